// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Which address is a short form (b1), and is an octet that starts with 0 and holds an 8 or 9 accepted as decimal (b2)?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const { Netmask } = require(path.join(root, 'package', 'lib', 'netmask.js'));
  const base = (text) => {
    try {
      return new Netmask(text).base;
    } catch (error) {
      return 'rejected';
    }
  };
  if (base('10.0.0.0/8') !== '10.0.0.0' || base('192.168.1.7/32') !== '192.168.1.7') throw new Error('sanity: plain');
  if (base('010.0.0.1/32') !== '8.0.0.1' || base('0x7f.0.0.1/32') !== '127.0.0.1') throw new Error('sanity: bases');
  if (base('1.2.3.256/32') !== 'rejected') throw new Error('sanity: range');
  const present = [];
  if (base('10.1/32') === '0.0.10.1' || base('127.1/32') === '0.0.127.1' || base('10.256/32') === 'rejected') {
    present.push('b1');
  }
  if (base('08.1.1.1/32') === '8.1.1.1' || base('1.1.1.09/32') === '1.1.1.9') present.push('b2');
  console.log('present: ' + (present.join(' ') || 'none'));
  return present.length > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
