// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// A bad row is skipped: is the on_skip function that the caller gave called?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const { pathToFileURL } = require('url');

async function bugPresent(root) {
  const { parse } = await import(pathToFileURL(path.join(root, 'package', 'lib', 'index.js')));
  let skipped = 0;
  const records = [];
  const parser = parse({ skip_records_with_error: true, on_skip: () => { skipped += 1; } });
  parser.on('readable', () => {
    for (let record = parser.read(); record !== null; record = parser.read()) records.push(record.join('+'));
  });
  const ended = new Promise((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  parser.write('a,b\n1\n2,3\n');
  parser.end();
  await ended;
  if (records.join() !== 'a+b,2+3') throw new Error('sanity: ' + records.join());
  return skipped === 0;
}

process.exitCode = 2; // stands when the answer never comes
Promise.resolve().then(() => bugPresent(path.resolve(process.argv[2]))).then(
  (present) => { process.exitCode = present ? 1 : 0; },
  (error) => { console.error(error); },
);
