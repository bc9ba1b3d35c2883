// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Are local addresses in hexadecimal, octal, short or whole-number spelling taken for public ones?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const ip = require(path.join(root, 'package', 'lib', 'ip.js'));
  if (!ip.isPublic('8.8.8.8') || ip.isPublic('10.1.2.3') || ip.isPublic('127.0.0.1')) throw new Error('sanity: public');
  if (!ip.isLoopback('127.0.0.1') || ip.isLoopback('8.8.8.8') || !ip.isPrivate('192.168.0.1')) throw new Error('sanity');
  const spellings = ['0x7f.1', '0177.0.0.1', '0xa.1.2.3', '0xc0.0xa8.0.1', '10.1', '192.168.257'];
  return spellings.some((text) => ip.isPublic(text)) || !ip.isLoopback('2130706433');
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
