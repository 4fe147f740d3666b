// Measures the built programs, prints a table and writes target/bench.json. ONLY=prefix measures a part.
//
// Speed is measured here and nowhere else: no test asserts on it.

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { agentFigures, fill, statusFigures } from './agent.mjs';
import { bookingFigures } from './bookings.mjs';
import { calendarFigures, crowdedFigures } from './calendar.mjs';
import { quantile } from './client.mjs';
import { finderFigures } from './finder.mjs';
import { Park } from './park.mjs';
import { Person } from '../support/person.mjs';
import { root, runOn, startPortal } from '../support/portal.mjs';

const only = process.env.ONLY ?? '';
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
const rows = [];

/**
 * A figure; `goal` is a limit that it must not pass, or must reach where it is a limit of the kind 'at least'; `peer` is the
 * same figure of a comparable program.
 */
function report(name, value, unit, goal = null, peer = null, kind = 'at most') {
  if (!name.startsWith(only)) return;
  const met = goal === null || (kind === 'at least' ? value >= goal : value <= goal);
  rows.push({ name, value: Number(value.toFixed(3)), unit, goal, kind, peer, met });
  console.log(
    `${name.padEnd(34)} ${value.toFixed(2).padStart(12)} ${unit.padEnd(8)} ` +
      `${goal === null ? '' : `goal ${kind === 'at least' ? '>= ' : ''}${Number(goal.toFixed(2))}${met ? '' : '  MISSED'}`}${peer === null ? '' : `  peer ${peer} (x${(value / peer).toFixed(2)})`}`,
  );
}

/** Whether any figure of a group is wanted. */
const wanted = (group) => group.startsWith(only) || only.startsWith(group);

async function timed(times, act) {
  const took = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await act(i);
    took.push(performance.now() - start);
  }
  return took;
}

function build() {
  const site = join(target, 'site/pkg');
  // A page loads one of the two browser parts; scripts/check-size has the limits.
  for (const [part, goal] of [['plan', 450], ['look', 250]]) {
    const sent = readdirSync(site).filter((name) => new RegExp(`^(${part}\\..*(wasm|js)|.*css)\\.br$`).test(name));
    report(`page.download.${part}`, sent.reduce((sum, name) => sum + statSync(join(site, name)).size, 0) / 1000, 'kB', goal);
  }
  for (const program of ['berth-server', 'berth']) {
    report(`build.${program}`, statSync(join(target, 'release', program)).size / 1e6, 'MB');
  }
}

async function pages(ada) {
  for (const [name, path] of [['now', '/'], ['bookings', '/bookings'], ['book', '/book']]) {
    await timed(20, () => ada.page(path));
    const took = await timed(200, () => ada.page(path));
    report(`page.${name}.p50`, quantile(took, 0.5), 'ms', 50);
    report(`page.${name}.p99`, quantile(took, 0.99), 'ms', 50);
  }
}

/** From the moment a report leaves the host until the browser's stream has it. */
async function stream(portal, ada) {
  const code = execFileSync(join(target, 'release/berth-server'), ['admin', 'enrol-code', 'bench-host'], { env: portal.env }).toString().trim();
  const post = async (path, body, credential) => {
    const response = await fetch(portal.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(credential ? { authorization: `Bearer ${credential}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { credential } = await post('/api/v1/agent/enrol', { code, hostname: 'bench-host', agent_version: '0.0.0' });
  const seen = new Map();
  const abort = new AbortController();
  const events = await fetch(`${portal.url}/events`, { headers: { cookie: ada.cookie, accept: 'text/event-stream' }, signal: abort.signal });
  const reading = (async () => {
    let text = '';
    try {
      for await (const chunk of events.body) {
        text += Buffer.from(chunk).toString();
        const at = performance.now();
        for (const [, marker] of text.matchAll(/"memory_total_mib":(7\d{6})/g)) if (!seen.has(marker)) seen.set(marker, at);
        text = text.slice(text.lastIndexOf('\n\n') + 1);
      }
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  })();
  const took = [];
  for (let i = 0; i < 100; i++) {
    // The size of the host's memory marks the report on its way.
    const marker = String(7_000_000 + i);
    const start = performance.now();
    await post('/api/v1/agent/report', {
      agent_version: '0.0.0', boot_id: 'bench', seq: i, sampled_at: new Date().toISOString(), nvml: { state: 'ok' },
      memory_total_mib: Number(marker), cards: [],
    }, credential);
    while (!seen.has(marker)) {
      if (performance.now() - start > 5000) throw new Error('an event never came');
      await new Promise((next) => setTimeout(next, 1));
    }
    took.push(seen.get(marker) - start);
  }
  abort.abort();
  await reading;
  report('sse.push_to_browser.p50', quantile(took, 0.5), 'ms');
  report('sse.push_to_browser.p99', quantile(took, 0.99), 'ms', 250);
}

/** What `berth run` adds to a command: the whole, less the command alone. */
function launches(portal) {
  const env = { ...portal.env, BERTH_SOCKET: join(portal.simDir, 'dgx-h100/agent.sock') };
  const berth = join(target, 'release/berth');
  const whole = (program, args) => {
    const took = [];
    for (let i = 0; i < 200; i++) {
      const start = performance.now();
      const ran = spawnSync(program, args, { env, stdio: 'ignore' });
      took.push(performance.now() - start);
      if (ran.status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${ran.status}`);
    }
    return took;
  };
  const bare = quantile(whole('/bin/true', []), 0.5);
  const run = whole(berth, ['run', '--', '/bin/true']);
  report('launch.run_adds.p50', quantile(run, 0.5) - bare, 'ms', 10);
  report('launch.run_adds.p99', quantile(run, 0.99) - bare, 'ms', 10);
}

if (wanted('page.download') || wanted('build.')) build();
const live = ['page.', 'booking.', 'sse.', 'launch.', 'status.', 'agent.'].filter(wanted);
if (live.length > 0 && !only.startsWith('page.download')) {
  const portal = await startPortal();
  try {
    const ada = new Person(portal);
    await ada.call('set_up', {
      code: portal.setupLink.split('#code=')[1], name: 'ada', display_name: 'Ada Lovelace',
      password: 'correct horse battery', zone: 'Europe/Berlin',
    });
    let fleet;
    do fleet = await ada.call('fleet', {});
    while (fleet.hosts.length < 3 || fleet.hosts.some((host) => host.cards.length === 0));
    // Cards are shown at once and can be booked from the moment that their host's first report is committed.
    let hosts;
    do ({ hosts } = await ada.call('admin', {}));
    while (hosts.some((host) => host.cards === 0));

    if (wanted('page.')) await pages(ada);
    if (wanted('agent.') || wanted('status.')) {
      const empty = fill(fleet);
      try {
        if (wanted('agent.')) await agentFigures(portal, report);
        if (wanted('status.')) await statusFigures(portal, report);
      } finally {
        empty();
      }
    }
    if (wanted('booking.')) await bookingFigures(portal, ada, fleet, report);
    if (wanted('sse.')) await stream(portal, ada);
    if (wanted('launch.')) {
      const card = fleet.hosts.find((host) => host.name === 'dgx-h100').cards[7].facts.uuid;
      const { people } = await ada.call('admin', {});
      const account = execFileSync('id', ['-un']).toString().trim();
      await ada.call('map_account', { host: '', os_user: account, person: people[0].id });
      await ada.call('book', {
        ask: {
          cards: [card], purpose: 'bench', idempotency_key: crypto.randomUUID(),
          window: { start: new Date().toISOString(), end: new Date(Date.now() + 3_600_000).toISOString() },
        },
      }, 'application/json');
      let ran;
      do ran = await runOn(portal, 'dgx-h100', account, 'berth run -- true');
      while (ran.code === 77);
      launches(portal);
    }
  } finally {
    await portal.stop();
  }
}

if (wanted('calendar.') || wanted('finder.')) {
  const park = await Park.start();
  try {
    if (wanted('calendar.64_cards')) {
      await park.grow(64);
      park.book(500);
      await calendarFigures('calendar.64_cards', park, report);
    }
    if (wanted('calendar.512_cards') || wanted('finder.')) {
      await park.grow(512);
      park.book(5000);
    }
    if (wanted('calendar.512_cards')) await crowdedFigures('calendar.512_cards', park, report);
    if (wanted('finder.')) await finderFigures(park, report, wanted);
  } finally {
    await park.stop();
  }
}

writeFileSync(join(target, 'bench.json'), `${JSON.stringify(rows, null, 2)}\n`);
if (rows.some((row) => !row.met)) console.log('\nA goal was missed. Other work on the machine shows here: run it again on a quiet one.');
