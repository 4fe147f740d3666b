// A portal of its own with three simulated hosts, started as a user starts it, in a folder that goes away afterwards.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/**
 * @typedef {object} Portal
 * @property {string} url Address, without a final slash.
 * @property {string} setupLink The one-time link for the first administrator; empty with demonstration data, which has one.
 * @property {string} said What the terminal showed until everything was up.
 * @property {string} simDir Folder of the simulated hosts.
 * @property {NodeJS.ProcessEnv} env Environment for `scripts/on`.
 * @property {number} serverPid Process id of berth-server.
 * @property {() => Promise<void>} stop
 */

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** @returns {Promise<Portal>} */
export async function startPortal(extra = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-e2e-'));
  // Other accounts reach the simulated hosts' sockets through it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const env = {
    ...process.env,
    BERTH_LISTEN: `127.0.0.1:${port}`,
    BERTH_DATA_DIR: join(folder, 'data'),
    BERTH_SIM_DIR: join(folder, 'sim'),
    BERTH_SIM_JOBS: '0',
    DATABASE_URL: undefined,
    ...extra,
  };
  const child = spawn(join(root, 'scripts/run'), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const setupLink = await new Promise((found, failed) => {
    const look = (chunk) => {
      output += chunk.toString();
      if (!output.includes('Ctrl-C stops everything')) return;
      found(/(http:\S+\/setup#\S+)/.exec(output)?.[1] ?? '');
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', (code) => failed(new Error(`scripts/run ended with ${code}:\n${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    setupLink,
    said: output,
    simDir: env.BERTH_SIM_DIR,
    env,
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(child) {
  if (child.exitCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
}

/** Process id of the agent of one simulated host of this portal. */
export function agentPid(portal, host) {
  return Number(readFileSync(join(portal.simDir, host, 'agent.pid'), 'utf8'));
}

/**
 * Runs a line as it was copied, as an account of that host.
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
export function runOn(portal, host, account, line) {
  const child = spawn(join(root, 'scripts/on'), [host, '--as', account, line], { env: portal.env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((done) => child.on('exit', (code) => done({ code: code ?? -1, stdout, stderr })));
}

/** Starts a line and leaves it running. */
export function startOn(portal, host, account, line) {
  return spawn(join(root, 'scripts/on'), [host, '--as', account, line], { env: portal.env, stdio: 'ignore' });
}

const sudo = process.getuid?.() === 0 ? [] : ['sudo'];

function asRoot(...command) {
  const [program, ...args] = [...sudo, ...command];
  execFileSync(program, args, { stdio: 'pipe' });
}

/** Makes an account of the operating system for the time of the test. */
export function makeAccount(name) {
  removeAccount(name);
  asRoot('useradd', '--no-create-home', '--shell', '/bin/sh', name);
}

/** Ends whatever runs as an account. It is sudo that started it where the test does not run as root. */
export function endJobs(name) {
  asRoot('pkill', '-KILL', '-u', name);
}

export function removeAccount(name) {
  // First whatever a failed test has left running; both fail where there is nothing to remove.
  for (const command of [['pkill', '-KILL', '-u', name], ['userdel', name]]) {
    try {
      asRoot(...command);
    } catch {
      // Nothing to remove.
    }
  }
}

/** Puts a program on the PATH of the simulated hosts. */
export function installProgram(portal, name, script) {
  const path = join(portal.simDir, 'bin', name);
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}
