import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../runtime/time/random.ts';
import { eventually } from '../cluster/stack-harness.ts';
import type { FaultyLink } from './faulty-link.ts';
import { startFaultyLink } from './faulty-link.ts';

describe('a faulty link', () => {
  let server: Server;
  let link: FaultyLink;
  /** All that has reached the server. */
  let received = '';
  const clients: Socket[] = [];

  beforeEach(async () => {
    received = '';
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        socket.write(chunk);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    link = await startFaultyLink({ target: { host: '127.0.0.1', port }, random: seededRandom(1) });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await link.close();
    server.close();
    await once(server, 'close');
  });

  /** A connection, all that came back over it, and whether it is over. */
  async function dial() {
    const socket = connect(link.port, '127.0.0.1');
    clients.push(socket);
    const state = { text: '', isClosed: false };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      state.text += chunk.toString('latin1');
    });
    socket.on('close', () => {
      state.isClosed = true;
    });
    // Reset connections may end before this hears that they began.
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
    return { socket, state };
  }

  test('cut: resets what is connected and what comes, until it is open', async () => {
    const former = await dial();
    link.become('cut');
    await eventually('it is reset', async () => former.state.isClosed);
    const refused = await dial();
    await eventually('the new one is, too', async () => refused.state.isClosed);
    link.become('open');
    const { socket, state } = await dial();
    socket.write('hello');
    await eventually('the next is answered', async () => state.text === 'hello');
  });

  test('stall: takes everything, says nothing, and delivers it late to who still waits', async () => {
    const waiting = await dial();
    const givenUp = await dial();
    link.become('stall');
    waiting.socket.write('patient');
    givenUp.socket.write('hasty');
    await sleep(50);
    givenUp.socket.destroy();
    await sleep(50);
    assert.equal(received, '');
    assert.equal(waiting.state.isClosed, false);
    link.become('open');
    await eventually('the answer comes', async () => waiting.state.text === 'patient');
    assert.equal(received, 'patient');
  });

  test('throttle: takes its time', async () => {
    const { socket, state } = await dial();
    link.become('throttle');
    const startedMs = performance.now();
    socket.write('x'.repeat(4096));
    await eventually('all is back', async () => state.text.length === 4096);
    assert.ok(performance.now() - startedMs >= 490, 'a quarter of a second each way');
  });

  test('truncate: ends in the middle of an answer', async () => {
    const { socket, state } = await dial();
    link.become('truncate');
    socket.write('x'.repeat(20_000));
    await eventually('it is over', async () => state.isClosed);
    assert.ok(state.text.length < 4000, String(state.text.length));
  });

  test('corrupt: changes bytes and drops none; towards the server only by their top bit', async () => {
    const { socket, state } = await dial();
    link.become('corrupt');
    const pieces = 60;
    for (let piece = 1; piece <= pieces; piece += 1) {
      socket.write('abcdefghij');
      await eventually('it is back', async () => state.text.length === piece * 10);
    }
    const letters = 'abcdefghij'.repeat(pieces);
    const differing = [...received].filter((letter, at) => letter !== letters[at]);
    assert.ok(differing.length > 0 && differing.length < pieces / 2, String(differing.length));
    for (const letter of differing) assert.ok(letter.charCodeAt(0) >= 0x80);
    assert.notEqual(state.text, received);
  });
});
