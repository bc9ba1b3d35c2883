// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Is the scheme still seen when a control character stands before the address?
// The two small packages it depends on are replaced by stand-ins.
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const Module = require('module');

const STAND_INS = {
  'requires-port': (port, protocol) => Boolean(port) && !(protocol === 'http:' && Number(port) === 80),
  querystringify: { parse: (text) => text, stringify: String },
};

function bugPresent(root) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name in STAND_INS ? STAND_INS[name] : load(name, ...rest));
  const Url = require(path.join(root, 'package', 'index.js'));
  Module._load = load;
  const plain = new Url('http://a.example:8080/x');
  if (plain.hostname !== 'a.example' || plain.port !== '8080' || plain.pathname !== '/x') throw new Error('sanity');
  for (const address of ['javascript:alert(1)', ' \t\njavascript:alert(1)']) {
    if (new Url(address).protocol !== 'javascript:') throw new Error('sanity: ' + JSON.stringify(address));
  }
  return [0x00, 0x01, 0x08, 0x0e, 0x1b, 0x1f].some(
    (code) => new Url(String.fromCharCode(code) + 'javascript:alert(1)').protocol !== 'javascript:',
  );
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
