// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Which address do an upper-case hexadecimal octet (b1) and octets with unusable characters (b2) become?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const { Netmask } = require(path.join(root, 'package', 'lib', 'netmask.js'));
  const first = (text) => {
    try {
      return new Netmask(text).base;
    } catch (error) {
      return 'rejected';
    }
  };
  for (const plain of ['127.0.0.1/32', '0x7f.0.0.1/32', '0177.0.0.1/32']) {
    if (first(plain) !== '127.0.0.1') throw new Error('sanity: ' + plain);
  }
  const present = [];
  const upper = first('0X7F.0.0.1/32');
  if (!['127.0.0.1', '0.0.0.1', 'rejected'].includes(upper)) throw new Error('unexpected ' + upper);
  if (upper === '0.0.0.1') present.push('b1');
  if (first('1a.2.3.4/32') === '1.2.3.4' || first('09.1.1.1/32') === '0.1.1.1') present.push('b2');
  console.log('present: ' + (present.join(' ') || 'none'));
  return present.length > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
