// SPDX-License-Identifier: MIT
// Loaded before a server of other people: whatever port it wants, it gets a free one of the loopback, and the number is
// written to the file that HAWSER_PORT_FILE names. Several of them can run at once then, also those that have a fixed port.
import { renameSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';

const listen = Server.prototype.listen;
const file = process.env.HAWSER_PORT_FILE;

Server.prototype.listen = function (...words) {
  this.once('listening', () => {
    writeFileSync(`${file}.new`, `${this.address().port}`);
    renameSync(`${file}.new`, file);
  });
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...words.filter(word => typeof word === 'function'));
};
