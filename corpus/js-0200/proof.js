// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// The list given to map fails half-way and a task that was already scheduled fails too: is its rejection left unhandled?
// The one package it depends on is replaced by a stand-in, beside a copy of the module.
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const fs = require('fs');
const os = require('os');
const { pathToFileURL } = require('url');

const QUEUE = `export default class Queue {
  items = [];
  enqueue(item) { this.items.push(item); }
  dequeue() { return this.items.shift(); }
  clear() { this.items = []; }
  get size() { return this.items.length; }
}
`;

async function bugPresent(root) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'proof-'));
  try {
    const stand = path.join(folder, 'node_modules', 'yocto-queue');
    fs.mkdirSync(stand, { recursive: true });
    fs.writeFileSync(path.join(stand, 'package.json'), '{"type": "module", "exports": "./index.js"}');
    fs.writeFileSync(path.join(stand, 'index.js'), QUEUE);
    fs.copyFileSync(path.join(root, 'package', 'index.js'), path.join(folder, 'index.mjs'));
    const { default: pLimit } = await import(pathToFileURL(path.join(folder, 'index.mjs')));

    const unhandled = [];
    process.on('unhandledRejection', (error) => { unhandled.push(error.message); });
    const settled = () => new Promise((resolve) => { setTimeout(resolve, 50); });
    const failing = async () => { throw new Error('task'); };
    const message = (promise) => promise.then(String, (error) => error.message);

    const limit = pLimit(2);
    if ((await limit.map(new Set([1, 2, 3]), async (value) => value * 2)).join() !== '2,4,6') throw new Error('sanity: map');
    if (await message(limit.map([1, 2], failing)) !== 'task') throw new Error('sanity: a failing task');
    function* items() {
      yield 1;
      throw new Error('items');
    }
    if (await message(limit.map(items(), async () => 1)) !== 'items') throw new Error('sanity: failing items');
    await settled();
    if (unhandled.length > 0) throw new Error('sanity: ' + unhandled.join());
    if (await message(limit.map(items(), failing)) !== 'items') throw new Error('sanity: both fail');
    await settled();
    if (unhandled.some((text) => text !== 'task')) throw new Error('unexpected ' + unhandled.join());
    return unhandled.length > 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = 2; // stands when the answer never comes
Promise.resolve().then(() => bugPresent(path.resolve(process.argv[2]))).then(
  (present) => { process.exitCode = present ? 1 : 0; },
  (error) => { console.error(error); },
);
