// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Does text that is no size come back as NaN?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const bytes = require(path.join(root, 'package', 'index.js'));
  if (bytes.parse('1kb') !== 1024 || bytes.parse('1.5 MB') !== 1572864 || bytes.parse('7') !== 7) throw new Error('sanity');
  if (bytes.parse(null) !== null || bytes.parse({}) !== null) throw new Error('sanity: no text');
  return ['unlimited', '', 'kb'].some((text) => Number.isNaN(bytes.parse(text)));
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
