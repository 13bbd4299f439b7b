import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CreateLine } from '../../clients/bounded-connections.ts';
import { boundedConnections } from '../../clients/bounded-connections.ts';
import { firstInFirstOut, turnsByGroup } from '../../runtime/time/turns-by-group.ts';
import { testClock } from '../../testing/test-clock.ts';

/** Connections that count themselves. */
function counted(max: number, createLine?: CreateLine) {
  const clock = testClock();
  const counts = { open: 0, most: 0, opened: 0 };
  const connections = boundedConnections({
    max,
    idleDatabase: 'kept',
    idleMs: 60_000,
    ...(createLine && { createLine }),
    clock,
    closed: () => Object.assign(new Error('closed'), { code: 'Closed' }),
    open: async (database) => {
      await turn();
      counts.opened++;
      counts.open++;
      counts.most = Math.max(counts.most, counts.open);
      let isUsable = true;
      return {
        database,
        isUsable: () => isUsable,
        breakOff: () => {
          isUsable = false;
        },
        close: async () => {
          await turn();
          isUsable = false;
          counts.open--;
        },
      };
    },
  });
  return { connections, counts, clock };
}

test('never more than the bound, kept ones and those to other databases together', async () => {
  const { connections, counts } = counted(3);
  const databases = Array.from({ length: 60 }, (_, index) => (index % 2 ? 'kept' : `other ${index}`));
  await Promise.all(databases.map((database) => connections.use(database, undefined, async () => turn())));
  assert.equal(counts.most, 3);
  await connections.close();
  assert.equal(counts.open, 0);
});

test('first come, first served', async () => {
  const { connections } = counted(1);
  const order: number[] = [];
  const use = (n: number) => connections.use('kept', undefined, async () => void order.push(n));
  await Promise.all([1, 2, 3, 4].map(use));
  assert.deepEqual(order, [1, 2, 3, 4]);
  await connections.close();
});

test('groups of callers wait in the line that is given, and a caller that gives up costs its group no turn', async () => {
  const { connections } = counted(1, (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)));
  const order: string[] = [];
  const abort = new AbortController();
  const use = (group: string, signal?: AbortSignal) =>
    connections.use('kept', signal, async () => void order.push(group), group);
  const first = use('first');
  const given = assert.rejects(use('many', abort.signal), /stopped/);
  const uses = ['many', 'many', 'few', 'few'].map((group) => use(group));
  abort.abort(new Error('stopped'));
  await Promise.all([first, given, ...uses]);
  assert.deepEqual(order, ['first', 'many', 'few', 'many', 'few']);
  await connections.close();
});

test('the kept database’s connection is used again, unless it broke', async () => {
  const { connections, counts } = counted(2);
  await connections.use('kept', undefined, async () => {});
  await connections.use('kept', undefined, async (connection) => connection.breakOff());
  assert.equal(counts.opened, 1);
  await connections.use('kept', undefined, async () => {});
  assert.equal(counts.opened, 2);
  await connections.close();
});

test('the connection to the kept database is closed some time after its last use', async () => {
  const { connections, counts, clock } = counted(2);
  await connections.use('kept', undefined, async () => {});
  await clock.advance(59_999);
  await connections.use('kept', undefined, async () => {});
  await clock.advance(59_999);
  assert.deepEqual([counts.opened, counts.open], [1, 1]);
  await clock.advance(1);
  await turn();
  assert.equal(counts.open, 0);
  assert.equal(clock.waitingCount, 0);
  await connections.close();
});

test('a failure gives its place back', async () => {
  const { connections } = counted(1);
  await assert.rejects(
    connections.use('kept', undefined, () => Promise.reject(new Error('boom'))),
    /boom/,
  );
  assert.equal(await connections.use('kept', undefined, async () => 'next'), 'next');
  await connections.close();
});

test('a caller that gives up waiting leaves the queue', async () => {
  const { connections } = counted(1);
  let finish = () => {};
  const first = connections.use('kept', undefined, () => new Promise<void>((resolve) => (finish = resolve)));
  const abort = new AbortController();
  const second = connections.use('kept', abort.signal, async () => 'must not run');
  const third = connections.use('kept', undefined, async () => 'third');
  await turn();
  abort.abort(new Error('no time'));
  await assert.rejects(second, /no time/);
  await turn();
  finish();
  await first;
  assert.equal(await third, 'third');
  await connections.close();
});

test('closing refuses those who wait and lets those who run finish', async () => {
  const { connections, counts } = counted(1);
  let finish = () => {};
  const running = connections.use(
    'kept',
    undefined,
    () => new Promise<string>((resolve) => (finish = () => resolve('ok'))),
  );
  const waiting = assert.rejects(
    connections.use('kept', undefined, async () => {}),
    { code: 'Closed' },
  );
  await turn();
  await turn();
  const closing = connections.close();
  await waiting;
  assert.equal(counts.open, 1);
  finish();
  assert.equal(await running, 'ok');
  await closing;
  assert.equal(counts.open, 0);
});
