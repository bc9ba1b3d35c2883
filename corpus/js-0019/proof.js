// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Is the day of the month the same after it was packed?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const make = require(path.join(root, 'package', 'headers', 'entryHeader.js'));
  let wrong = 0;
  for (const day of [9, 16, 23, 27, 30]) { // none is the number of its weekday, 9 is a Sunday
    const header = make();
    header.time = new Date(2021, 4, day, 10, 20, 30);
    const back = header.time;
    if (back.getFullYear() !== 2021 || back.getHours() !== 10 || back.getMinutes() !== 20) throw new Error('sanity: ' + back);
    if (back.getMonth() !== 4 || back.getDate() !== day) wrong += 1;
  }
  return wrong > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
