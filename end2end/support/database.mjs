// The Postgres of a portal that was started by `startPortal`, spoken to past the portal.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

function psql() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const found = versions.map((version) => join('/usr/lib/postgresql', version, 'bin/psql')).filter((path) => existsSync(path));
  return found.at(-1) ?? 'psql';
}

/** Runs statements and gives what they print, without headings. */
export function sql(portal, statements) {
  const data = portal.env.BERTH_DATA_DIR;
  // The fifth line of this file is the folder of the socket.
  const socketDir = readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[4];
  const options = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-h', socketDir, '-U', 'berth', 'berth'];
  return execFileSync(psql(), options, { input: statements, stdio: ['pipe', 'pipe', 'pipe'] }).toString();
}
