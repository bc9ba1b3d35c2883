// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// Closing fails during clean-up: which error comes (b1)? And does a removed file leave the list of pending removals (b2)?
// The one package it depends on is replaced by a stand-in.
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const fs = require('fs');
const os = require('os');
const Module = require('module');

function bugPresent(root) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'os-tmpdir' ? () => os.tmpdir() : load(name, ...rest));
  const tmp = require(path.join(root, 'package', 'lib', 'tmp.js'));
  Module._load = load;
  const { closeSync } = fs;
  const { unshift } = Array.prototype;

  // What the caller sees when closing fails with this error number.
  function outcome(number) {
    const made = tmp.fileSync();
    fs.closeSync = (descriptor) => {
      closeSync(descriptor);
      throw Object.assign(new Error('close refused'), { errno: -number });
    };
    try {
      made.removeCallback();
      return 'ignored';
    } catch (error) {
      return error instanceof ReferenceError ? 'ReferenceError' : error.message;
    } finally {
      fs.closeSync = closeSync;
      fs.rmSync(made.name, { force: true });
    }
  }

  const { EBADF, ENOENT, EIO } = os.constants.errno;
  if (outcome(EBADF) !== 'ignored') throw new Error('sanity: closed by the caller');
  const missing = outcome(ENOENT);
  const other = outcome(EIO);
  const present = [];
  if (missing === 'ReferenceError' && other === 'ReferenceError') present.push('b1');
  else if (missing !== 'ignored' || other !== 'close refused') throw new Error('unexpected ' + missing + ', ' + other);

  let pending;
  Array.prototype.unshift = function (...items) {
    if (typeof items[0] === 'function') pending = this;
    return unshift.apply(this, items);
  };
  let made;
  try {
    made = tmp.fileSync();
  } finally {
    Array.prototype.unshift = unshift;
  }
  if (!pending || !pending.includes(made.removeCallback)) throw new Error('sanity: no list of pending removals');
  made.removeCallback();
  if (fs.existsSync(made.name)) throw new Error('sanity: not removed');
  if (pending.includes(made.removeCallback)) present.push('b2');
  console.log('present: ' + (present.join(' ') || 'none'));
  return present.length > 0;
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
