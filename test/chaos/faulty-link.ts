import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { Random } from '../../runtime/time/random.ts';
import type { LinkFault } from './schedule.ts';

/** A TCP proxy on loopback that does harm to what goes through it. */
export interface FaultyLink {
  readonly port: number;
  /** From now on, for what is connected and for what will be; `open` ends the harm. */
  become(state: LinkFault | 'open'): void;
  close(): Promise<void>;
}

export interface FaultyLinkOptions {
  readonly target: { readonly host: string; readonly port: number };
  readonly random: Random;
  /** Called for every connection, also for a refused one, with the client's port. */
  readonly onConnection?: (port: number) => void;
  /** Called for every piece that a client sends, as soon as it arrives here. */
  readonly onSent?: (chunk: Buffer, port: number) => void;
}

const throttledBytesPerSecond = 16_384;
/** A cut comes somewhere in the first so many bytes of an answer. */
const truncateWithin = 4000;
const corruptedShare = 0.3;

/** The two ends of one connection. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** The pieces that wait, in order. */
  held: (() => void)[];
  /** Bytes of an answer until it is cut. */
  left: number;
  /** When the last throttled piece is through, by `performance.now`. */
  readonly busyUntilMs: { up: number; down: number };
}

/**
 * - `cut`: connections are reset, and so is every new one.
 * - `stall`: connections are accepted, and nothing gets through. Data of a client that gave up is never delivered.
 * - `throttle`: 16 KiB a second each way.
 * - `truncate`: the server's side ends in the middle of an answer.
 * - `corrupt`: single bytes change. Towards the client any bit may. Towards the server the top bit is set, which makes no
 * valid request another valid one: those could not be distinguished over plain TCP.
 */
export async function startFaultyLink(options: FaultyLinkOptions): Promise<FaultyLink> {
  const { target, random, onConnection, onSent } = options;
  let state: LinkFault | 'open' = 'open';
  const pairs = new Set<Pair>();

  const drop = (pair: Pair): void => {
    pairs.delete(pair);
    for (const socket of [pair.client, pair.server]) {
      if (!socket.destroyed) socket.resetAndDestroy();
    }
  };

  function pass(pair: Pair, to: 'up' | 'down', chunk: Buffer): void {
    const socket = to === 'up' ? pair.server : pair.client;
    if (socket.destroyed) return;
    switch (state) {
      case 'cut':
        drop(pair);
        break;
      case 'stall':
        pair.held.push(() => pass(pair, to, chunk));
        break;
      case 'throttle': {
        const now = performance.now();
        const atMs = Math.max(now, pair.busyUntilMs[to]) + (chunk.length / throttledBytesPerSecond) * 1000;
        pair.busyUntilMs[to] = atMs;
        setTimeout(() => deliver(pair, to, chunk), atMs - now);
        break;
      }
      case 'truncate':
        if (to === 'up' || chunk.length < pair.left) {
          if (to === 'down') pair.left -= chunk.length;
          deliver(pair, to, chunk);
        } else {
          socket.write(chunk.subarray(0, pair.left), () => drop(pair));
          pair.left = 0;
        }
        break;
      case 'corrupt':
        deliver(pair, to, random() < corruptedShare ? corrupted(chunk, to) : chunk);
        break;
      case 'open':
        deliver(pair, to, chunk);
        break;
    }
  }

  function deliver(pair: Pair, to: 'up' | 'down', chunk: Buffer): void {
    const [socket, source] = to === 'up' ? [pair.server, pair.client] : [pair.client, pair.server];
    // Data that was slowed down before comes first.
    const waitMs = pair.busyUntilMs[to] - performance.now();
    if (state !== 'throttle' && waitMs > 0) {
      setTimeout(() => deliver(pair, to, chunk), waitMs);
      return;
    }
    if (socket.destroyed) return;
    if (socket.write(chunk)) return;
    source.pause();
    socket.once('drain', () => source.resume());
  }

  function corrupted(chunk: Buffer, to: 'up' | 'down'): Buffer {
    const changed = Buffer.from(chunk);
    const at = Math.floor(random() * changed.length);
    changed[at] = to === 'up' ? changed[at]! | 0x80 : changed[at]! ^ (1 << Math.floor(random() * 8));
    return changed;
  }

  function take(client: Socket): void {
    const { remotePort: clientPort = 0 } = client;
    onConnection?.(clientPort);
    client.on('error', () => {});
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const server = connect(target);
    server.on('error', () => {});
    const left = Math.floor(random() * truncateWithin);
    const pair: Pair = { client, server, held: [], left, busyUntilMs: { up: 0, down: 0 } };
    pairs.add(pair);
    for (const socket of [client, server]) socket.setNoDelay(true);
    client.on('data', (chunk: Buffer) => {
      onSent?.(chunk, clientPort);
      pass(pair, 'up', chunk);
    });
    server.on('data', (chunk: Buffer) => pass(pair, 'down', chunk));
    // Half-open connections are not used here: a client that closed its side wants nothing delivered.
    client.on('close', () => drop(pair));
    client.on('end', () => (state === 'stall' ? drop(pair) : server.end()));
    server.on('close', () => {
      if (state === 'stall') pair.held.push(() => drop(pair));
      else client.resume().end(); // a delayed connection would never see that its peer closed
    });
  }

  const listener = createServer({ allowHalfOpen: true }, take);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    become(next) {
      state = next;
      for (const pair of pairs) {
        if (next === 'cut') drop(pair);
        pair.left = Math.floor(random() * truncateWithin);
        if (next === 'stall') continue;
        const { held } = pair;
        pair.held = [];
        for (const go of held) go();
      }
    },
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const pair of pairs) drop(pair);
      await closed;
    },
  };
}
