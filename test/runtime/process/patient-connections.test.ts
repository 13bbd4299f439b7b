import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  connect,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
} from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { makeConnectionsPatient } from '../../../runtime/process/patient-connections.ts';
import { until } from '../widgets.ts';

/** A server on 127.0.0.2 whose queue is full while it is stopped, so that the first packet of a connection is lost. */
async function slowServer() {
  const script = `
    const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
    server.listen({ host: '127.0.0.2', port: 0, backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(String(line));
  const fillers: Socket[] = [];
  return {
    port,
    /** It takes no connections. */
    async stall() {
      child.kill('SIGSTOP');
      const state = () => execFileSync('ps', ['-o', 'stat=', '-p', String(child.pid)], { encoding: 'utf8' });
      await until('it is stopped', () => state().startsWith('T'));
      for (let count = 0; count < 4; count += 1) {
        fillers.push(connect({ host: '127.0.0.2', port }).on('error', () => {}));
      }
      await delay(100);
    },
    /** The connections that were begun are made when the system tries again, a second later. */
    goOnSoon: () => void setTimeout(() => child.kill('SIGCONT'), 500),
    end() {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    },
  };
}

/** A name with two addresses: the first is slow, and at the second nothing listens. */
const addresses = ['127.0.0.2', '127.0.0.3'];

const connected = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({
      host: 'two.test',
      port,
      autoSelectFamily: true,
      timeout: 10_000,
      lookup: (_name, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
    });
    const settle = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle('connected'));
    socket.once('error', () => settle('failed'));
    socket.once('timeout', () => settle('timed out'));
  });

/** The result of curl, with which users would try it. Undefined: curl is not there, or is too old. */
const curl = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const name = `two.test:${port}:${addresses.join(',')}`;
    const args = ['-sS', '--max-time', '5', '--resolve', name, `telnet://two.test:${port}`];
    const child = execFile('curl', args, { timeout: 6_000 }, (error) => {
      if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return resolve(undefined);
      const code = (error as { code?: number } | null)?.code ?? 0;
      resolve(code === 7 ? 'failed' : 'connected'); // 28: it was connected until its time was over
    });
    child.stdin?.end();
  });

describe('a name with several addresses', () => {
  const former = getDefaultAutoSelectFamilyAttemptTimeout();
  let server: Awaited<ReturnType<typeof slowServer>>;
  before(async () => {
    server = await slowServer();
  });
  after(() => {
    setDefaultAutoSelectFamilyAttemptTimeout(former);
    server.end();
  });

  test('an address whose answer takes a second is reached, as curl reaches it', async () => {
    makeConnectionsPatient();
    await server.stall();
    const connecting = Promise.all([connected(server.port), curl(server.port)]);
    server.goOnSoon();
    const [ours, other] = await connecting;
    assert.deepEqual([ours, other ?? 'connected'], ['connected', 'connected']);
  });

  test('the patience of Node alone does not reach it', async () => {
    setDefaultAutoSelectFamilyAttemptTimeout(250);
    await server.stall();
    const connecting = connected(server.port);
    server.goOnSoon();
    assert.equal(await connecting, 'failed');
  });
});
