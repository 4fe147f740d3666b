// A portal with as many cards and bookings as a figure asks for. One host is simulated; all others are its twins, which
// report what it reported, as often as it does, with cards of their own.

import { Person } from '../support/person.mjs';
import { sql } from '../support/database.mjs';
import { startPortal } from '../support/portal.mjs';
import { client, mustBe } from './client.mjs';

const FIRST = 'dgx-h100';
const CARDS_PER_HOST = 8;
const BEAT = 2000;
const HOUR = 3_600_000;
const PASSWORD = 'correct horse battery';
const PEOPLE = 12;

/** Numbers that are the same in every run. */
function dice() {
  let state = 7n;
  return (limit) => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number((state >> 33n) % BigInt(limit));
  };
}

export class Park {
  /** One host, and twelve people. */
  static async start() {
    const park = new Park();
    park.portal = await startPortal({ BERTH_SIM_HOSTS: FIRST });
    try {
      await park.open();
    } catch (error) {
      await park.stop();
      throw error;
    }
    return park;
  }

  twins = [];
  ends = new Map();
  roll = dice();
  bookings = 0;

  async open() {
    this.ada = new Person(this.portal);
    await this.ada.call('set_up', {
      code: this.portal.setupLink.split('#code=')[1], name: 'ada', display_name: 'Ada Lovelace', password: PASSWORD, zone: 'UTC',
    });
    for (let n = 1; n < PEOPLE; n++) {
      const guest = new Person(this.portal);
      await guest.call('sign_up', { name: `bench-${n}`, display_name: `Bench Person ${n}`, password: PASSWORD, zone: 'UTC' });
    }
    let known = '';
    do known = sql(this.portal, `select json_build_object('report', last_report, 'inventory', inventory, 'id', inventory_id) from host where inventory is not null`);
    while (known.trim() === '');
    this.first = JSON.parse(known);
  }

  /** What the first host said, by one of its twins. */
  said(n, withInventory) {
    const twin = `GPU-${n.toString(16).padStart(4, '0')}`;
    const whole = { ...this.first.report, ...(withInventory ? { inventory: this.first.inventory } : {}) };
    const own = JSON.parse(JSON.stringify(whole).replaceAll(/GPU-[0-9a-f]{4}/g, twin));
    return { ...own, inventory_id: `${this.first.id.slice(0, 40)}-${n}`, boot_id: `twin-${n}` };
  }

  /** Adds twins until there are so many cards. */
  async grow(cards) {
    for (let n = this.twins.length + 1; n < cards / CARDS_PER_HOST; n++) {
      const [code] = await this.ada.call('new_code', { host: `dgx-${String(n).padStart(2, '0')}` });
      const line = client(this.portal);
      const enrolled = await line.ask('POST', '/api/v1/agent/enrol', { code, hostname: `dgx-${n}`, agent_version: '0.0.0' });
      const { credential } = JSON.parse(mustBe(enrolled, 200).text);
      let seq = 0;
      const said = this.said(n, false);
      const report = async (body) =>
        line.ask('POST', '/api/v1/agent/report', { ...body, seq: seq++, sampled_at: new Date().toISOString() }, { authorization: `Bearer ${credential}` });
      mustBe(await report(this.said(n, true)), 200);
      // Where the portal has gone, the figures say so.
      const beat = setInterval(() => report(said).catch(() => {}), BEAT);
      this.twins.push(() => {
        clearInterval(beat);
        line.close();
      });
    }
    const seen = Number(sql(this.portal, 'select count(*) from card where present'));
    if (seen !== cards) throw new Error(`${seen} cards instead of ${cards}`);
  }

  /** Adds bookings of one or two cards until there are so many: two weeks of them, past the portal's own path. */
  book(count) {
    const cards = sql(this.portal, 'select h.name, c.card_uuid, c.card_index from card c join host h using (host_id) order by h.name, c.card_index')
      .trim().split('\n').map((line) => line.split('|'));
    const people = sql(this.portal, 'select user_id from "user" order by name').trim().split('\n');
    const hosts = [...new Set(cards.map(([host]) => host))];
    const base = Math.floor(Date.now() / HOUR) * HOUR - 12 * HOUR;
    const made = [];
    const held = [];
    for (; this.bookings < count; this.bookings++) {
      const host = hosts[this.roll(hosts.length)];
      const own = cards.filter(([name]) => name === host);
      const first = this.roll(own.length);
      const taken = [first, ...(this.roll(2) === 0 ? [] : [(first + 1) % own.length])].map((place) => own[place]);
      const begins = Math.max(...taken.map(([, card]) => this.ends.get(card) ?? 0)) + this.roll(12) * HOUR;
      const ends = begins + (2 + this.roll(24)) * HOUR;
      const [start, end] = [begins, ends].map((at) => new Date(base + at).toISOString());
      const id = crypto.randomUUID();
      made.push({ id, who: people[this.roll(people.length)], start, end });
      for (const [, card, index] of taken) {
        this.ends.set(card, ends);
        held.push({ id, card, index: Number(index), start, end });
      }
    }
    sql(
      this.portal,
      `insert into reservation (reservation_id, user_id, purpose, during, created_at)
       select id, who, 'Fine-tuning, run 4', tstzrange(start, "end"), now() - interval '1 day'
       from json_to_recordset($json$${JSON.stringify(made)}$json$) as made (id uuid, who uuid, start timestamptz, "end" timestamptz);
       insert into reservation_card (reservation_id, card_uuid, gpu, slices, during, card_index)
       select id, card, card, '[0,)', tstzrange(start, "end"), index
       from json_to_recordset($json$${JSON.stringify(held)}$json$) as held (id uuid, card text, index int, start timestamptz, "end" timestamptz);
       analyze;`,
    );
    this.change();
  }

  /** What somebody's booking does to whatever is kept at hand. */
  change() {
    sql(this.portal, 'insert into change (made_at) values (now())');
  }

  async stop() {
    this.twins.forEach((end) => end());
    await this.portal.stop();
  }
}
