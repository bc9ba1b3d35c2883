// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Does a dotted option reach the prototype that all functions share?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const parse = require(path.join(root, 'package', 'index.js'));
  const plain = parse(['--a.b.c', '1', '--d=x', 'rest']);
  if (plain.a.b.c !== 1 || plain.d !== 'x' || plain._[0] !== 'rest') throw new Error('sanity');
  parse(['--__proto__.mark', '1']);
  parse(['--x.constructor.prototype.mark', '1']);
  if ({}.mark !== undefined) throw new Error('sanity: the prototype of plain objects');
  parse(['--_.concat.constructor.prototype.mark', '1']);
  const reached = (() => {}).mark !== undefined;
  delete Function.prototype.mark;
  return reached;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
