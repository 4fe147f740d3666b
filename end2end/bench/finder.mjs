// The finder over a park: whole answers, from the request to the last byte, the reading of the park included.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { client, mustBe, quantile } from './client.mjs';
import { root } from '../support/portal.mjs';

const GOAL = 20;
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** Sentences as people make them. */
const usual = { count: 1, kind: 'any', together: 'host', place: 'any', minutes: 240, from: 'now' };
const LINES = [
  usual,
  { ...usual, count: 2, together: 'nv_link' },
  { ...usual, count: 4, kind: { memory: 80 }, from: 'tonight' },
  { ...usual, count: 2, together: 'nv_link', from: 'earliest', minutes: 1440 },
  { ...usual, count: 8, together: 'nv_link', from: 'earliest', minutes: 4320 },
  { ...usual, count: 32, together: 'anywhere', from: 'earliest', minutes: 720 },
];

/** The search alone, without portal and database: the slowest kind's median. */
function search() {
  // With the packages that the programs are built from, so that nothing is built twice.
  const packages = ['server', 'agent', 'nvml-sim', 'domain'].flatMap((name) => ['-p', name]);
  execFileSync('cargo', ['build', '--quiet', '--release', '--locked', ...packages, '--example', 'finder_bench'], { cwd: root, stdio: 'inherit' });
  const said = JSON.parse(execFileSync(join(target, 'release/examples/finder_bench')).toString());
  const kinds = Object.entries(said).filter(([name]) => !name.startsWith('stock'));
  return Math.max(...kinds.map(([, { median }]) => median));
}

/** All figures whose names begin with `finder.`. */
export async function finderFigures(park, report, wanted) {
  if (wanted('finder.search')) report('finder.search_alone', search(), 'ms', GOAL);
  const line = client(park.portal, park.ada);
  const ask = async (n) => {
    const reply = mustBe(await line.ask('POST', '/api/page/finder_line', { line: LINES[n % LINES.length], key: null }), 200);
    if (JSON.parse(reply.text).found.suggestions.length === 0) throw new Error(`nothing was found: ${reply.text.slice(0, 400)}`);
    return reply.took;
  };
  try {
    for (let n = 0; n < 20; n++) await ask(n);
    const quiet = [];
    for (let n = 0; n < 300; n++) quiet.push(await ask(n));
    report('finder.answer.p50', quantile(quiet, 0.5), 'ms', GOAL);
    report('finder.answer.p99', quantile(quiet, 0.99), 'ms', GOAL);
    const fresh = [];
    for (let n = 0; n < 60; n++) {
      park.change();
      fresh.push(await ask(n));
    }
    report('finder.after_a_change.p50', quantile(fresh, 0.5), 'ms', GOAL);
    report('finder.after_a_change.p99', quantile(fresh, 0.99), 'ms');
  } finally {
    line.close();
  }
}
