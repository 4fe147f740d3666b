// The agent with eight cards and forty processes, beside other people's readers of the same simulated library.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { agentPid, root } from '../support/portal.mjs';
import { quantile } from './client.mjs';

const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
const HOST = 'dgx-h100';
const PROCESSES_PER_CARD = 5;
const CYCLES = 10_000;
const berth = join(target, 'release/berth');

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

/** Processor time of all threads of a process, in seconds. */
function cpuSeconds(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

const residentMib = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Forty processes of this machine on the eight cards. */
export function fill(fleet) {
  const cards = fleet.hosts.find((host) => host.name === HOST).cards.map((card) => card.facts.uuid);
  const jobs = cards.flatMap((card) =>
    Array.from({ length: PROCESSES_PER_CARD }, () =>
      spawn('sleep', ['3600'], { env: { ...process.env, BERTH_SIM_HOST: HOST, CUDA_VISIBLE_DEVICES: card }, stdio: 'ignore' }),
    ),
  );
  return () => jobs.forEach((job) => job.kill());
}

/** Waits until the agent lists all of them. */
async function filled(portal) {
  const env = { ...portal.env, BERTH_SOCKET: join(portal.simDir, HOST, 'agent.sock') };
  for (;;) {
    const { cards } = JSON.parse(execFileSync(berth, ['status', '--json'], { env }).toString());
    if (cards.every((card) => (card.processes ?? []).length >= PROCESSES_PER_CARD)) return;
    await pause(200);
  }
}

/** Processor time a minute, once the process has settled. */
async function perMinute(pid, seconds) {
  const before = cpuSeconds(pid);
  const start = performance.now();
  await pause(seconds * 1000);
  return ((cpuSeconds(pid) - before) * 60_000) / (performance.now() - start);
}

/** An exporter that samples as often as the agent does, asked once a beat as Prometheus would. */
async function exporter(portal) {
  const port = 9800 + Math.floor(Math.random() * 90);
  const library = join(portal.simDir, HOST);
  const peer = spawn(join(target, 'peers/bin/python'), ['-m', 'nvitop_exporter', '--bind-address', '127.0.0.1', '--port', String(port), '--interval', '2'], {
    env: { ...process.env, LD_LIBRARY_PATH: library },
    stdio: 'ignore',
  });
  try {
    const address = `http://127.0.0.1:${port}/metrics`;
    for (let tries = 0; tries < 100; tries++) {
      if (await fetch(address).then((answer) => answer.ok, () => false)) break;
      await pause(200);
    }
    const asking = setInterval(() => fetch(address).then((answer) => answer.text(), () => {}), 2000);
    await pause(4000);
    const cpu = await perMinute(peer.pid, 20);
    clearInterval(asking);
    return { cpu, memory: residentMib(peer.pid) };
  } finally {
    peer.kill();
  }
}

/**
 * An agent of its own on the same cards, whose reports pass through a relay that notes their sizes. With `echo` the relay
 * gives the portal's first answer again and again: the portal collects reports before it commits, which would set the pace.
 */
async function watched(portal, name, extra = {}, echo = false) {
  const sizes = [];
  let first = null;
  const relay = createServer((asked, answer) => {
    const chunks = [];
    asked.on('data', (chunk) => chunks.push(chunk));
    asked.on('end', () => {
      const body = Buffer.concat(chunks);
      const isReport = asked.url === '/api/v1/agent/report';
      if (isReport) sizes.push(body.length);
      if (isReport && first) {
        answer.writeHead(200, { 'content-type': 'application/json' });
        answer.end(first);
        return;
      }
      const on = request(portal.url + asked.url, { method: asked.method, headers: asked.headers }, (reply) => {
        answer.writeHead(reply.statusCode, reply.headers);
        reply.pipe(answer);
        if (!isReport || !echo || reply.statusCode !== 200 || sizes.length < 20) return;
        const parts = [];
        reply.on('data', (part) => parts.push(part));
        reply.on('end', () => (first = Buffer.concat(parts)));
      });
      on.on('error', () => answer.destroy());
      on.end(body);
    });
  });
  await new Promise((ready) => relay.listen(0, '127.0.0.1', ready));
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const cards = join(portal.simDir, HOST);
  const env = {
    ...portal.env,
    BERTH_STATE_DIR: join(folder, 'state'),
    BERTH_SOCKET: join(folder, 'agent.sock'),
    BERTH_NVML_LIBRARY: join(cards, 'libnvidia-ml.so.1'),
    BERTH_NVML_SIMULATED: cards,
    ...extra,
  };
  const code = execFileSync(join(target, 'release/berth-server'), ['admin', 'enrol-code', name], { env: portal.env });
  const enrol = ['enrol', '--no-service', `http://127.0.0.1:${relay.address().port}`];
  // Not the synchronous way: the relay answers in this very process.
  const enrolling = spawn(berth, enrol, { env, stdio: ['pipe', 'ignore', 'ignore'] });
  enrolling.stdin.end(code);
  const enrolled = await new Promise((done) => enrolling.on('exit', done));
  if (enrolled !== 0) throw new Error(`berth enrol ended with ${enrolled}`);
  const agent = spawn(berth, ['agent'], { env, stdio: 'ignore' });
  const reports = async (number) => {
    while (sizes.length < number) {
      if (agent.exitCode !== null) throw new Error(`the agent ended with ${agent.exitCode}`);
      await pause(100);
    }
  };
  const stop = () => {
    agent.kill();
    relay.closeAllConnections();
    relay.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { pid: agent.pid, sizes, reports, stop };
}

/** Growth of resident memory over many cycles in little time, in MiB. */
async function growth(portal) {
  const agent = await watched(portal, 'bench-growth', { BERTH_REPORT_EVERY: '10ms' }, true);
  try {
    await agent.reports(500);
    const before = residentMib(agent.pid);
    await agent.reports(500 + CYCLES);
    return residentMib(agent.pid) - before;
  } finally {
    agent.stop();
  }
}

/** The size of a report without the inventory, in bytes. */
async function snapshot(portal) {
  const agent = await watched(portal, 'bench-wire');
  try {
    await agent.reports(8);
    return quantile(agent.sizes.slice(3), 0.5);
  } finally {
    agent.stop();
  }
}

/** Time of whole runs of a program, in milliseconds. */
function runs(times, program, args, env) {
  const took = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    const ran = spawnSync(program, args, { env, stdio: 'ignore' });
    took.push(performance.now() - start);
    if (ran.status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${ran.status}`);
  }
  return took;
}

/**
 * The most memory that a program has at the end of its output, in MiB: it is kept from ending by a pipe that nobody empties.
 * What the kernel counts for ended children would include the memory of the program that started them.
 */
function peakMib(program, args, env) {
  const code = `
import fcntl, os, re, subprocess, sys, time
ours, theirs = os.pipe()
fcntl.fcntl(theirs, 1031, 4096)  # F_SETPIPE_SZ
child = subprocess.Popen(sys.argv[1:], stdout=theirs)
peak, quiet = "0", 0
while quiet < 20:
    time.sleep(0.1)
    now = re.search(r"VmHWM:\\s+(\\d+)", open(f"/proc/{child.pid}/status").read()).group(1)
    peak, quiet = now, quiet + 1 if now == peak else 0
child.kill()
print(peak)`;
  return Number(execFileSync('python3', ['-c', code, program, ...args], { env }).toString()) / 1024;
}

/** All figures whose names begin with `agent.`. */
export async function agentFigures(portal, report) {
  const pid = agentPid(portal, HOST);
  await filled(portal);
  await pause(4000);
  const peer = await exporter(portal);
  report('agent.cpu_per_minute', await perMinute(pid, 30), 's', 0.1, peer.cpu);
  report('agent.memory', residentMib(pid), 'MiB', 12, peer.memory);
  report('agent.snapshot', await snapshot(portal), 'bytes');
  report('agent.growth_10000_cycles', await growth(portal), 'MiB', 1);
}

/** All figures of `berth status --json`, beside those of programs that people use for the same. */
export async function statusFigures(portal, report) {
  await filled(portal);
  const ours = { ...portal.env, BERTH_SOCKET: join(portal.simDir, HOST, 'agent.sock') };
  const theirs = { ...process.env, LD_LIBRARY_PATH: join(portal.simDir, HOST), TERM: 'xterm' };
  const python = join(target, 'peers/bin');
  const gpustat = quantile(runs(5, join(python, 'gpustat'), ['--json'], theirs), 0.5);
  const nvitop = quantile(runs(5, join(python, 'nvitop'), ['-1'], theirs), 0.5);
  const took = runs(200, berth, ['status', '--json'], ours);
  report('status.json.p50', quantile(took, 0.5), 'ms', 5, Math.min(gpustat, nvitop));
  report('status.json.p99', quantile(took, 0.99), 'ms');
  report('status.json.memory', peakMib(berth, ['status', '--json'], ours), 'MiB', 8, peakMib(join(python, 'gpustat'), ['--json'], theirs));
  report('status.gpustat', gpustat, 'ms');
  report('status.nvitop', nvitop, 'ms');
}
