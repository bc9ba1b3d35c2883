// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// While entries are being fetched: do forEach, rforEach and find hand a promise to the callback?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');

function bugPresent(root) {
  const Cache = require(path.join(root, 'package', 'index.js'));
  const cache = new Cache({ max: 4, fetchMethod: () => new Promise(() => {}) });
  cache.set('ready', 'value');
  cache.set('old', 'stale value');
  cache.fetch('old', { forceRefresh: true });
  cache.fetch('new');
  if (cache.get('ready') !== 'value') throw new Error('sanity: get');
  const visited = { forEach: [], rforEach: [], find: [] };
  cache.forEach((value) => { visited.forEach.push(value); });
  cache.rforEach((value) => { visited.rforEach.push(value); });
  cache.find((value) => { visited.find.push(value); });
  const values = Object.values(visited);
  if (!values.every((list) => list.includes('value'))) throw new Error('sanity: visited');
  const promised = values.map((list) => list.some((value) => value && typeof value.then === 'function'));
  if (!promised.includes(true) && !values.every((list) => list.includes('stale value'))) throw new Error('sanity: stale');
  return promised.includes(true);
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
