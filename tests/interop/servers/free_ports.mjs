// SPDX-License-Identifier: MIT
// Loaded before a server of other people that is told its ports and names them in what it says: it is told free ones, in
// the variables that HAWSER_PORT_VARIABLES lists. When it listens on all of them, on the loopback only, the first number
// is written to the file that HAWSER_PORT_FILE names.
import { renameSync, writeFileSync } from 'node:fs';
import { Server, createServer } from 'node:net';

const file = process.env.HAWSER_PORT_FILE;
const listen = Server.prototype.listen;
const variables = process.env.HAWSER_PORT_VARIABLES.split(',');
const placeholders = await Promise.all(variables.map(() => new Promise((resolve) => {
  const server = createServer();
  listen.call(server, { port: 0, host: '127.0.0.1' }, () => resolve(server));
})));
const ports = placeholders.map((server) => server.address().port);
variables.forEach((name, nth) => { process.env[name] = `${ports[nth]}`; });
await Promise.all(placeholders.map((server) => new Promise((resolve) => server.close(resolve))));

const missing = new Set(ports);
Server.prototype.listen = function (port, ...words) {
  this.once('listening', () => {
    missing.delete(this.address().port);
    if (missing.size > 0) return;
    writeFileSync(`${file}.new`, `${ports[0]}`);
    renameSync(`${file}.new`, file);
  });
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...words.filter((word) => typeof word === 'function'));
};
