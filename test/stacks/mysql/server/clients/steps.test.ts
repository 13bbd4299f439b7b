import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databaseDrift } from '../../../../../stacks/mysql/client/database.ts';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { mariadbFixture, owned, password, skip } from './fixture.ts';

const at = mariadbFixture();
const { sql, refusal } = at;

/** A server whose process ends before its statement `last`, counted from 0. */
function endingBefore(last: number) {
  let sent = 0;
  return at.server({
    mayGoOn: () => {
      sent += 1;
      if (sent > last) throw new Error('the process ends');
    },
  });
}

/** Ends the process before each of its statements in turn. Returns how many there were. */
async function atEachStep(
  act: (server: ReturnType<typeof endingBefore>) => Promise<void>,
  afterwards: (isDone: boolean) => Promise<void>,
): Promise<number> {
  for (let step = 0; ; step += 1) {
    const server = endingBefore(step);
    const isDone = await act(server).then(
      () => true,
      (error: MysqlError) => {
        assert.equal(error.code, 'Halted', error.message);
        return false;
      },
    );
    await server.close();
    await afterwards(isDone);
    if (isDone) return step;
  }
}

describe('point 3: a process that ends at any step', { skip, timeout: 300_000 }, () => {
  const spec = { user: { maxUserConnections: 3 }, privileges: ['SELECT', 'CREATE'] };
  const login = { user: 'steps_a', password, database: 'steps_a' };

  test('a creation is continued, and no session begins before it is complete', async () => {
    const { databases } = at.server();
    const steps = await atEachStep(
      ({ databases: its }) => its.create('steps_a', spec, { ...owned, password }),
      async (isDone) => {
        const before = await databases.observe('steps_a');
        const isComplete = before.user?.isLocked === false;
        assert.equal((await refusal(login)) === 0, isComplete);
        if (isComplete) assert.deepEqual(databaseDrift(before, spec).changed, []);
        if (before.user !== undefined) assert.ok(before.user.mark, 'the mark comes first');
        if (before.database !== undefined) assert.ok(before.user, 'the user comes before the database');
        await databases.create('steps_a', spec, { ...owned, password });
        assert.deepEqual(databaseDrift(await databases.observe('steps_a'), spec).changed, []);
        assert.equal(await refusal(login, 'CREATE TABLE t (id INT)'), 0);
        if (!isDone) await databases.drop('steps_a', { ...owned, terminateSessions: true });
      },
    );
    assert.ok(steps > 12, `${steps} statements`);
  });

  test('a change is continued', async () => {
    const { databases } = at.server();
    const next = { user: { maxUserConnections: 5 }, characterSet: 'latin1' };
    await atEachStep(
      ({ databases: its }) => its.update('steps_a', next, owned),
      async () => {
        await databases.update('steps_a', next, owned);
        assert.deepEqual(databaseDrift(await databases.observe('steps_a'), next).changed, []);
        await databases.update('steps_a', { ...spec, characterSet: 'utf8mb4' }, owned);
      },
    );
  });

  test('a deletion is continued, and the marks go last', async () => {
    const { databases } = at.server();
    await atEachStep(
      ({ databases: its }) => its.drop('steps_a', { ...owned, terminateSessions: true }),
      async (isDone) => {
        const left = await databases.observe('steps_a');
        const isThere = left.database !== undefined || left.user !== undefined;
        if (isThere) assert.ok(left.marks.database && left.marks.user);
        await databases.drop('steps_a', { ...owned, terminateSessions: true });
        const found = await databases.observe('steps_a');
        assert.deepEqual([found.database, found.user, found.marks], [undefined, undefined, {}]);
        assert.deepEqual(await sql(`SELECT * FROM mysql.db WHERE User = 'steps_a'`), []);
        if (!isDone) await databases.create('steps_a', spec, { ...owned, password });
      },
    );
  });
});
