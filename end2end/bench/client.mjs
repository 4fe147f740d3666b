// A client with a connection that stays open: fetch costs more than an answer does.

import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

export const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];

/**
 * Speaks to a portal, as a person where one is given. `ask` gives the status, the text, the bytes of the body as they were
 * sent, and the time until the last of them had come, in milliseconds.
 */
export function client(portal, person = null) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(portal.url);
  const ask = (method, path, body = null, headers = {}) =>
    new Promise((done, failed) => {
      const text = body === null ? null : JSON.stringify(body);
      const own = {
        ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(person === null ? {} : { accept: 'application/json', 'sec-fetch-site': 'same-origin', cookie: person.cookie }),
        ...headers,
      };
      const began = performance.now();
      const asked = request({ agent, hostname, port, path, method, headers: own }, (reply) => {
        const parts = [];
        reply.on('data', (part) => parts.push(part));
        reply.on('end', () => {
          const took = performance.now() - began;
          const content = Buffer.concat(parts);
          done({ status: reply.statusCode, text: content.toString(), bytes: content.length, took });
        });
      });
      asked.on('error', failed);
      asked.end(text ?? undefined);
    });
  return { ask, close: () => agent.destroy() };
}

/** The answer, where it is of one of these. */
export function mustBe(reply, ...statuses) {
  if (!statuses.includes(reply.status)) throw new Error(`${reply.status} ${reply.text}`);
  return reply;
}
