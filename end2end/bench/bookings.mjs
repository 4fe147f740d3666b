// Bookings over HTTP, each synced to the disk before it is answered: by one client, by sixteen on cards of their own, and
// by thirty-two after the same cards. Beside them what this disk gives: commits of one row each, one after the other.

import { performance } from 'node:perf_hooks';

import { Person } from '../support/person.mjs';
import { sql } from '../support/database.mjs';
import { client, mustBe, quantile } from './client.mjs';

const HOUR = 3_600_000;
const SLOT = 600_000;
const RACES = 40;
const PASSWORD = 'correct horse battery';

/**
 * What comparable programs did on a machine of this kind. A booking of GPUBK: 98 ms. A second: TensorHive 141, with double
 * bookings in 19 of 65 races as soon as it runs in four processes; NEMO 82, with double bookings in 39 of 40 races; gflow
 * 8,500, all of which kill -9 lost; the bare insert under the constraint, in Postgres itself, 15,000.
 */
const PEERS = { oneMs: 98, rate: 141 };

/** Somebody who books. */
function booker(portal, person) {
  const { ask, close } = client(portal, person);
  const book = (cards, start, end) =>
    ask('POST', '/api/page/book', {
      ask: {
        cards,
        window: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
        purpose: 'bench',
        idempotency_key: crypto.randomUUID(),
      },
    });
  return { book, close };
}

/** Commits of one row each, one after the other, on the disk of the portal's own Postgres. */
function singleCommits(portal) {
  const rounds = 500;
  sql(portal, 'create table bench_commit (n int)');
  try {
    const took = sql(
      portal,
      `create procedure bench_commits() language plpgsql as $$
       begin for n in 1..${rounds} loop insert into bench_commit values (n); commit; end loop; end $$;
       \\timing on
       call bench_commits();`,
    );
    return (rounds * 1000) / Number(/Time: ([\d.]+) ms(?![\s\S]*Time:)/.exec(took)[1]);
  } finally {
    sql(portal, 'drop procedure if exists bench_commits; drop table bench_commit');
  }
}

/** How many pairs of bookings hold the same part of a card at the same time. */
function doubled(portal) {
  return Number(
    sql(
      portal,
      `select count(*) from reservation_card a join reservation_card b
          on a.hold_id < b.hold_id and a.gpu = b.gpu and a.slices && b.slices and a.during && b.during
       where not a.released and not b.released`,
    ).trim(),
  );
}

async function people(portal, count) {
  const made = [];
  for (let i = 0; i < count; i++) {
    const person = new Person(portal);
    await person.call('sign_up', { name: `bench-${i}`, display_name: `Bench ${i}`, password: PASSWORD, zone: 'UTC' });
    made.push(person);
  }
  return made;
}

/** All figures whose names begin with `booking.`. */
export async function bookingFigures(portal, ada, fleet, report) {
  const cards = fleet.hosts.find((host) => host.name === 'dgx-h100').cards.map((card) => card.facts.uuid);
  const rig = fleet.hosts.find((host) => host.name === 'rig-3090').cards.map((card) => card.facts.uuid);
  const first = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;

  const one = booker(portal, ada);
  const timed = async (times, wanted, from) => {
    const took = [];
    for (let i = 0; i < times; i++) {
      const start = performance.now();
      mustBe(await one.book(wanted, from + i * SLOT, from + (i + 1) * SLOT), 200);
      took.push(performance.now() - start);
    }
    return took;
  };
  await timed(20, cards.slice(0, 1), first);
  const single = await timed(300, cards.slice(0, 1), first + 20 * SLOT);
  report('booking.one_client.p50', quantile(single, 0.5), 'ms', 8, PEERS.oneMs);
  report('booking.one_client.p99', quantile(single, 0.99), 'ms');
  const four = await timed(100, cards.slice(1, 5), first);
  report('booking.four_cards.p50', quantile(four, 0.5), 'ms');
  report('booking.four_cards.p99', quantile(four, 0.99), 'ms', 50);
  one.close();

  const crowd = (await people(portal, 32)).map((person) => booker(portal, person));
  const commits = singleCommits(portal);
  report('booking.single_commits', commits, '1/s');

  // Sixteen, each on slots of its own: of eight cards, the one half before the other.
  const each = 100;
  const far = first + 1000 * SLOT;
  const start = performance.now();
  await Promise.all(
    crowd.slice(0, 16).map(async (person, n) => {
      const from = far + Math.floor(n / 8) * each * SLOT;
      for (let i = 0; i < each; i++) {
        mustBe(await person.book([cards[n % 8]], from + i * SLOT, from + (i + 1) * SLOT), 200);
      }
    }),
  );
  const rate = (16 * each * 1000) / (performance.now() - start);
  report('booking.16_clients', rate, '1/s', Math.min(1000, 2 * commits), PEERS.rate, 'at least');

  // Thirty-two after the same card at the same time: one has it, and everybody else is told who.
  let wins = 0;
  const began = performance.now();
  for (let race = 0; race < RACES; race++) {
    const from = first + race * SLOT;
    const replies = await Promise.all(crowd.map((person) => person.book([rig[0]], from, from + SLOT)));
    const won = replies.filter((reply) => mustBe(reply, 200, 409).status === 200).length;
    if (won !== 1) throw new Error(`${won} of 32 were told that the card is theirs`);
    wins += won;
  }
  report('booking.32_on_one_slot', (32 * RACES * 1000) / (performance.now() - began), '1/s');
  report('booking.won_a_race', wins / RACES, '', 1);
  report('booking.doubled', doubled(portal), '', 0);
  crowd.forEach((person) => person.close());
}
