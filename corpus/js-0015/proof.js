// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// A paused queue without any task is continued: is its drain callback called?
// The one package it depends on is replaced by a stand-in.
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const Module = require('module');

const reusify = (Kind) => ({ get: () => new Kind(), release: () => {} });

function bugPresent(root) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'reusify' ? reusify : load(name, ...rest));
  const fastq = require(path.join(root, 'package', 'queue.js'));
  Module._load = load;

  const worked = [];
  let drained = 0;
  const busy = fastq((task, done) => { worked.push(task); done(null); }, 1);
  busy.drain = () => { drained += 1; };
  busy.push('one');
  busy.pause();
  busy.push('two');
  if (worked.join() !== 'one' || drained !== 1) throw new Error('sanity: paused');
  busy.resume();
  if (worked.join() !== 'one,two' || drained !== 2) throw new Error('sanity: resumed');

  let told = false;
  const empty = fastq((task, done) => done(null), 1);
  empty.drain = () => { told = true; };
  empty.pause();
  empty.resume();
  return !told;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
