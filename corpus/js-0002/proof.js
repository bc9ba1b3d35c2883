// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Is an octet with a leading zero read as decimal (b1), and does forEach hold the whole network in memory (b2)?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const { Netmask } = require(path.join(root, 'package', 'lib', 'netmask.js'));
  if (new Netmask('192.168.1.0/24').base !== '192.168.1.0') throw new Error('sanity: base');
  const seen = [];
  new Netmask('192.168.1.0/29').forEach((text, long, index) => seen.push(text + ' ' + index));
  if (seen.length !== 6 || seen[0] !== '192.168.1.1 0' || seen[5] !== '192.168.1.6 5') throw new Error('sanity: forEach');
  const present = [];
  let base = 'rejected';
  try {
    base = new Netmask('0177.0.0.1/32').base;
  } catch (error) {
    // a refusal is no wrong address
  }
  if (!['127.0.0.1', '177.0.0.1', 'rejected'].includes(base)) throw new Error('unexpected ' + base);
  if (base === '177.0.0.1') present.push('b1');
  const enough = new Error('enough');
  const before = process.memoryUsage().heapUsed;
  let grown;
  try {
    new Netmask('10.0.0.0/10').forEach(() => {
      grown = process.memoryUsage().heapUsed - before;
      throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  if (grown > 16 << 20) present.push('b2'); // 4 million numbers are at least 16 MiB; without the list it is far below 1
  console.log('present: ' + (present.join(' ') || 'none'));
  return present.length > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
