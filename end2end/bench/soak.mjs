// Hours of what a busy day does in minutes: people who book and cancel in each other's way, open pages that are never
// closed, agents that report all the while. Fails where an acknowledged booking is lost or doubled, where an answer is
// neither a success nor a clear refusal, and where memory keeps growing.

import { readFileSync } from 'node:fs';

import { Person } from '../support/person.mjs';
import { agentPid, startPortal } from '../support/portal.mjs';

const minutes = Number(process.env.MINUTES ?? 60);
const PEOPLE = 8;
const STREAMS = 50;
const SLOT = 900_000;
const SLOTS = 400;
/** Growth beyond this over the whole run is a leak, in MiB. */
const GROWTH_MAX = { server: 64, agent: 2 };

const residentMib = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

function serverPid(portal) {
  const agent = agentPid(portal, 'dgx-h100');
  // scripts/run starts the server first; it is the agents' elder sibling.
  const parent = Number(readFileSync(`/proc/${agent}/stat`, 'utf8').split(') ')[1].split(' ')[1]);
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').map(Number);
  return children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0].endsWith('/berth-server'));
}

const pick = (list) => list[Math.floor(Math.random() * list.length)];

/** Books and cancels until `until`; everything that was acknowledged goes into `record`. */
async function live(person, cards, first, record, tally, until) {
  while (Date.now() < until) {
    const mine = record.filter((booking) => booking.who === person && booking.held);
    if (mine.length > 20 || (mine.length > 0 && Math.random() < 0.3)) {
      const booking = pick(mine);
      // Before the answer the slot may be anybody's already.
      booking.held = false;
      await person.call('cancel_booking', { id: booking.id });
      tally.cancelled += 1;
      continue;
    }
    const slot = Math.floor(Math.random() * SLOTS);
    const length = 1 + Math.floor(Math.random() * 4);
    const wanted = [...new Set(Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => pick(cards)))];
    try {
      const id = await person.call('book', {
        ask: {
          cards: wanted,
          window: {
            start: new Date(first + slot * SLOT).toISOString(),
            end: new Date(first + (slot + length) * SLOT).toISOString(),
          },
          purpose: 'soak',
          idempotency_key: crypto.randomUUID(),
        },
      }, 'application/json');
      const clash = record.find(
        (other) => other.held && other.slot < slot + length && slot < other.slot + other.length && other.cards.some((card) => wanted.includes(card)),
      );
      if (clash) throw new Error(`booked twice: ${id} and ${clash.id}`);
      record.push({ id, who: person, cards: wanted, slot, length, held: true });
      tally.booked += 1;
    } catch (error) {
      if (!/^book: 409 /.test(error.message)) throw error;
      tally.refused += 1;
    }
  }
}

const portal = await startPortal({ BERTH_SIM_JOBS: '1' });
try {
  const ada = new Person(portal);
  const password = 'correct horse battery';
  await ada.call('set_up', {
    code: portal.setupLink.split('#code=')[1], name: 'ada', display_name: 'Ada Lovelace', password, zone: 'Europe/Berlin',
  });
  let hosts;
  do ({ hosts } = await ada.call('admin', {}));
  while (hosts.length < 3 || hosts.some((host) => host.cards === 0));
  const fleet = await ada.call('fleet', {});
  const cards = fleet.hosts.flatMap((host) => host.cards.map((card) => card.facts.uuid));
  const people = [ada];
  for (let i = 1; i < PEOPLE; i++) {
    const person = new Person(portal);
    await person.call('sign_up', { name: `person-${i}`, display_name: `Person ${i}`, password, zone: 'UTC' });
    people.push(person);
  }

  const abort = new AbortController();
  let events = 0;
  for (let i = 0; i < STREAMS; i++) {
    const stream = await fetch(`${portal.url}/events`, { headers: { cookie: pick(people).cookie }, signal: abort.signal });
    (async () => {
      for await (const chunk of stream.body) events += chunk.length > 0 ? 1 : 0;
    })().catch(() => {});
  }

  const pids = { server: serverPid(portal), agent: agentPid(portal, 'dgx-h100') };
  const record = [];
  const tally = { booked: 0, refused: 0, cancelled: 0 };
  const first = Math.ceil(Date.now() / SLOT) * SLOT + SLOT * 8;
  const began = Date.now();
  const until = began + minutes * 60_000;
  const warm = Math.min(began + 120_000, began + (until - began) / 5);
  const day = (end) => Promise.all(people.map((person) => live(person, cards, first, record, tally, end)));
  await day(warm);
  const before = { server: residentMib(pids.server), agent: residentMib(pids.agent) };
  await day(until);
  const after = { server: residentMib(pids.server), agent: residentMib(pids.agent) };

  let lost = 0;
  for (const { id, held } of record) {
    const { state } = (await ada.call('booking', { id }))[0].booking;
    if ((state === 'cancelled') === held) lost += 1;
  }
  abort.abort();
  console.log(`${minutes} minutes: ${tally.booked} booked, ${tally.refused} refused, ${tally.cancelled} cancelled, ${events} events read`);
  let failed = lost > 0;
  if (lost > 0) console.log(`${lost} acknowledged bookings are not as they were acknowledged`);
  for (const part of ['server', 'agent']) {
    const growth = after[part] - before[part];
    console.log(`${part}: ${before[part].toFixed(1)} MiB after the warm-up, ${after[part].toFixed(1)} MiB at the end`);
    if (growth > GROWTH_MAX[part]) {
      console.log(`${part}: grew by more than ${GROWTH_MAX[part]} MiB`);
      failed = true;
    }
  }
  process.exitCode = failed ? 1 : 0;
} finally {
  await portal.stop();
}
