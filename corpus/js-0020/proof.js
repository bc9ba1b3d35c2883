// reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
// A project is set up by a known package manager: does the first hook also say that the tests shall run?
// argv[2] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
'use strict';
const path = require('path');
const fs = require('fs');
const os = require('os');
const { spawnSync } = require('child_process');

function bugPresent(root) {
  const program = path.join(root, 'package', 'bin.js');
  if (!fs.existsSync(program)) throw new Error('no ' + program);

  function hook(agent) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'proof-'));
    try {
      fs.mkdirSync(path.join(folder, '.git'));
      fs.writeFileSync(path.join(folder, 'package.json'), '{}');
      const env = { PATH: folder, HOME: folder }; // git is not found there, and not needed for this file
      if (agent) env.npm_config_user_agent = agent;
      spawnSync(process.execPath, [program, 'init'], { cwd: folder, env, timeout: 30000, stdio: 'ignore' });
      return fs.readFileSync(path.join(folder, '.husky', 'pre-commit'), 'utf8').trim();
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  if (hook(null) !== 'npm test') throw new Error('sanity: ' + hook(null));
  const got = hook('pnpm/9.0.0 npm/? node/v20.0.0 linux x64');
  if (!/^(pnpm|npm)( test)?$/.test(got)) throw new Error('unexpected ' + got);
  return !got.endsWith(' test');
}

try {
  process.exitCode = bugPresent(path.resolve(process.argv[2])) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
