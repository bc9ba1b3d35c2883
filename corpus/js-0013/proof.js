// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Is a domain with a leading dot refused (b1), and is a short empty pair at the end of the header lost (b2)?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const cookie = require(path.join(root, 'package', 'index.js'));
  if (!/; Domain=example\.org$/.test(cookie.serialize('a', 'b', { domain: 'example.org' }))) throw new Error('sanity: domain');
  const pairs = cookie.parse('a=1; b=; c=3;d=4');
  if (pairs.a !== '1' || pairs.b !== '' || pairs.c !== '3' || pairs.d !== '4') throw new Error('sanity: parse');
  const present = [];
  try {
    cookie.serialize('a', 'b', { domain: '.example.org' });
  } catch (error) {
    if (!/domain/.test(error.message)) throw error;
    present.push('b1');
  }
  if (cookie.parse('a=1;b=').b !== '') present.push('b2');
  console.log('present: ' + (present.join(' ') || 'none'));
  return present.length > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
