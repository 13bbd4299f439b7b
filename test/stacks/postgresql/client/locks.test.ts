import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstInFirstOut, turnsByGroup } from '../../../../runtime/time/turns-by-group.ts';
import type { PostgresqlServer } from '../../../../stacks/postgresql/client/server.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { createInProcessPostgresql } from '../../../fakes/in-process-postgresql.ts';

const mine = { ownerId: 'mine' };

/** A server with databases `db0`, `db1`, … whose rows a session of another client holds locked. */
async function scene(held: number) {
  const clock = testClock();
  const postgresql = createInProcessPostgresql(clock);
  const server = postgresql.clientsFor().createServer({
    credentials: postgresql.credentials,
    clock,
    random: () => 0.5,
    createLine: (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)),
  });
  const played = async <T>(call: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    call.then(over, over);
    await clock.advanceUntil(() => isOver);
    return call;
  };
  const names = Array.from({ length: held }, (_, index) => `db${index}`);
  for (const name of names) await played(server.databases.create(name, {}, mine));
  const sessions = names.map(() => postgresql.open());
  for (const [index, name] of names.entries()) {
    await played(sessions[index]!.sql('BEGIN').then(() => undefined));
    await played(sessions[index]!.sql(`ALTER DATABASE ${name} CONNECTION LIMIT 3`).then(() => undefined));
  }
  const repair = (by: PostgresqlServer, name: string) =>
    by.databases.update(name, { connectionLimit: 5 }, mine);
  return { clock, server, names, sessions, played, repair };
}

describe('a call that waits for a lock', () => {
  test("leaves its connection, so that 12 locks of one team delay another team's database by a moment", async () => {
    const { clock, server, names, played, repair } = await scene(12);
    const startedAtMs = clock.elapsedMs();
    const repairs = names.map((name) => repair(server.usedBy('team-a'), name).catch((error) => error.code));
    await played(server.usedBy('team-b').databases.create('shop', {}, mine));
    const tookMs = clock.elapsedMs() - startedAtMs;
    assert.ok(tookMs <= 500, `${tookMs} ms`);
    assert.deepEqual(await played(Promise.all(repairs)), Array(12).fill('55P03'));
  });

  test('a single call at a time waits longer than the others, and gets the lock', async () => {
    const { clock, server, names, sessions, played, repair } = await scene(2);
    const outcomes = Promise.all(
      names.map((name) =>
        repair(server, name).then(
          () => 'repaired',
          (error) => error.code,
        ),
      ),
    );
    void outcomes;
    await clock.advance(1_500);
    await played(Promise.all(sessions.map((session) => session.sql('COMMIT'))));
    assert.deepEqual((await played(outcomes)).toSorted(), ['55P03', 'repaired']);
    assert.equal((await played(server.databases.observe('db0')))?.connectionLimit, 5);
  });
});
