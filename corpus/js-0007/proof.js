// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// writeHead gets its headers as one flat list of names and values: do they arrive?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const http = require('http');

function bugPresent(root) {
  const onHeaders = require(path.join(root, 'package', 'index.js'));

  function sent(headers) {
    const response = new http.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} });
    let calls = 0;
    onHeaders(response, () => { calls += 1; });
    response.writeHead(200, headers);
    if (calls !== 1) throw new Error('sanity: the listener ran ' + calls + ' times');
    return response.getHeaders();
  }

  const pairs = sent([['X-One', 'first'], ['X-Two', 'second']]);
  const object = sent({ 'X-One': 'first', 'X-Two': 'second' });
  for (const got of [pairs, object]) {
    if (got['x-one'] !== 'first' || got['x-two'] !== 'second') throw new Error('sanity: ' + JSON.stringify(got));
  }
  const flat = sent(['X-One', 'first', 'X-Two', 'second']);
  return flat['x-one'] !== 'first' || flat['x-two'] !== 'second';
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
