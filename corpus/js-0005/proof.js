// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Do the parsed result and its sections still have the methods every plain object has?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const ini = require(path.join(root, 'package', 'ini.js'));
  const parsed = ini.parse('a=1\n[s]\nb=2\n[deep.down]\nc=3');
  if (parsed.a !== '1' || parsed.s.b !== '2' || parsed.deep.down.c !== '3') throw new Error('sanity');
  return [parsed, parsed.s, parsed.deep, parsed.deep.down].some((part) => typeof part.hasOwnProperty !== 'function');
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
