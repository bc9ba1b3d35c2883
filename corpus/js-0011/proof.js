// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// A merged mapping holds the key __proto__: does it replace the prototype of the loaded object?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const yaml = require(path.join(root, 'package', 'index.js'));
  const plain = yaml.load('src: &s {a: 1, b: 2}\ndst:\n  <<: *s\n  b: 3\n').dst;
  if (plain.a !== 1 || plain.b !== 3) throw new Error('sanity: merge');
  const direct = yaml.load('__proto__: {hidden: 1}\na: 1\n');
  if (direct.hidden !== undefined || !Object.hasOwn(direct, '__proto__')) throw new Error('sanity: direct key');
  const one = yaml.load('src: &s\n  __proto__: {hidden: 1}\ndst:\n  <<: *s\n').dst;
  const several = yaml.load('src: &s\n  __proto__: {hidden: 1}\ndst:\n  <<: [*s, {a: 1}]\n').dst;
  return one.hidden === 1 || several.hidden === 1;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
