// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Does a section, a dotted section or a list key of a parsed text reach the prototype that all objects share?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const ini = require(path.join(root, 'package', 'ini.js'));
  const parsed = ini.parse('[s]\na=1\n[t.u]\nb=2\nlist[]=x\nlist[]=y');
  if (parsed.s.a !== '1' || parsed.t.u.b !== '2' || parsed.t.u.list.join() !== 'x,y') throw new Error('sanity');
  let reached = false;
  for (const text of ['[__proto__]\nmark=1', '[__proto__.mark]\nb=1']) {
    ini.parse(text);
    reached = reached || {}.mark !== undefined;
    delete Object.prototype.mark;
  }
  const made = ini.parse('__proto__[]=1');
  return reached || Object.getPrototypeOf(made) !== Object.prototype;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
