// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// A server sends the client from https to http on the same host: do the log-in headers go along?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const { EventEmitter } = require('events');

function bugPresent(root) {
  const { wrap } = require(path.join(root, 'package', 'index.js'));

  // The names of the headers that the second request carries, when the first one is answered with `location`.
  function carried(location) {
    const seen = [];
    const transport = {
      request(options, callback) {
        seen.push({ protocol: options.protocol, headers: Object.keys(options.headers).map((name) => name.toLowerCase()) });
        const request = new EventEmitter();
        for (const name of ['write', 'abort', 'destroy', 'setHeader', 'removeHeader', 'flushHeaders', 'setTimeout']) {
          request[name] = () => request;
        }
        request.end = () => {
          setImmediate(() => {
            const response = new EventEmitter();
            response.statusCode = seen.length === 1 ? 302 : 200;
            response.headers = seen.length === 1 ? { location } : {};
            response.destroy = response.resume = () => {};
            callback(response);
          });
          return request;
        };
        return request;
      },
    };
    const { https } = wrap({ http: transport, https: transport });
    return new Promise((resolve, reject) => {
      const headers = { Authorization: 'secret', Cookie: 'a=b', 'X-Other': '1' };
      const request = https.request('https://host.example/', { headers }, () => {
        if (seen.length !== 2 || !seen[0].headers.includes('cookie') || !seen[1].headers.includes('x-other')) {
          reject(new Error('sanity: ' + JSON.stringify(seen)));
        } else {
          resolve(seen[1]);
        }
      });
      request.on('error', reject);
      request.end();
    });
  }

  return (async () => {
    const same = await carried('https://host.example/next');
    if (!same.headers.includes('authorization') || !same.headers.includes('cookie')) throw new Error('sanity: same site');
    const other = await carried('https://other.example/next');
    if (other.headers.includes('authorization') || other.headers.includes('cookie')) throw new Error('sanity: other site');
    const plain = await carried('http://host.example/next');
    if (plain.protocol !== 'http:') throw new Error('sanity: protocol');
    return plain.headers.includes('authorization') || plain.headers.includes('cookie');
  })();
}

process.exitCode = 2; // stands when the answer never comes
Promise.resolve().then(() => bugPresent(path.resolve(process.argv[2]))).then(
  (present) => { process.exitCode = present ? 1 : 0; },
  (error) => { console.error(error); },
);
