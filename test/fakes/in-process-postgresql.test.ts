import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PostgresqlError } from '../../clients/postgresql/error.ts';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import type { InProcessPostgresql } from './in-process-postgresql.ts';
import { createInProcessPostgresql, postgresqlClients } from './in-process-postgresql.ts';
import type { CarryOutside } from './outside.ts';
import { atOnce } from './outside.ts';

const ownerId = 'one';
const owned = { ownerId };

interface Scene {
  readonly clock: TestClock;
  readonly postgresql: InProcessPostgresql;
}

function scene(): Scene {
  const clock = testClock();
  return { clock, postgresql: createInProcessPostgresql(clock) };
}

function clientOf({ clock, postgresql }: Scene, carryOut: CarryOutside = atOnce, mayGoOn = () => {}) {
  const process = postgresql.clientsFor(carryOut);
  const { credentials } = postgresql;
  return { ...process, server: process.createServer({ credentials, clock, random: () => 0.5, mayGoOn }) };
}

describe('the door of a process', () => {
  test('sees connections and statements, and no secret', async () => {
    const given = scene();
    const seen: string[] = [];
    const { server } = clientOf(given, (call, effect) => {
      const what = call.isTentative ? ' may write' : ' writes';
      seen.push(`${call.system} ${call.verb} ${call.target}${call.isWrite ? what : ''}`);
      return atOnce(call, effect);
    });
    await server.roles.create('ann', { login: true }, { ownerId, password: 'a-secret' });
    assert.deepEqual(seen, [
      'postgresql connect postgres',
      'postgresql SELECT ',
      'postgresql BEGIN ',
      'postgresql SELECT ',
      'postgresql CREATE ROLE ann may write',
      'postgresql COMMENT ann may write',
      'postgresql ALTER ROLE ann may write',
      'postgresql COMMIT  writes',
    ]);
  });

  test('may not answer: the client gives up, and the server forgets it', async () => {
    const given = scene();
    const { server } = clientOf(given, (call, effect) =>
      call.verb === 'COMMENT' ? new Promise(() => {}) : atOnce(call, effect),
    );
    let error: unknown;
    server.roles.create('ann', {}, owned).catch((thrown: unknown) => {
      error = thrown;
    });
    await given.clock.advanceUntil(() => error !== undefined);
    assert.match(String(error), /is unreachable: timed out/);
    await clientOf(given).server.roles.create('ann', {}, owned);
  });

  for (const [who, leave] of Object.entries({
    'the client gives up': ({ clock }: Scene) => clock.advance(10_000),
    'its process dies': (_: Scene, end: () => void) => end(),
  })) {
    test(`the answer to a login may be delayed: ${who}, and the session ends`, async () => {
      const given = scene();
      const calm = clientOf(given).server;
      await calm.roles.create('ann', {}, owned);
      await calm.databases.create('shop', { owner: 'ann' }, owned);
      const { server, end } = clientOf(given, async (call, effect) => {
        const answer = await effect();
        return call.verb === 'connect' && call.target === 'shop' ? new Promise(() => {}) : answer;
      });
      const looked = server.databases.observe('shop', { withExtensions: true });
      looked.catch(() => {});
      await given.clock.settle();
      const drop = () => calm.databases.drop('shop', { ...owned, terminateSessions: false });
      await assert.rejects(drop(), /has 1 open session/);
      await leave(given, end);
      await drop();
    });
  }
});

test('a process that may not go on sends no further statement, and nothing is done of what it began', async () => {
  let isDone = false;
  const halt = new Error('another process may lead');
  for (let allowed = 0; !isDone; allowed += 1) {
    const given = scene();
    const sent: string[] = [];
    let left = allowed;
    const { server } = clientOf(
      given,
      (call, effect) => {
        if (call.verb !== 'connect') sent.push(call.verb);
        return atOnce(call, effect);
      },
      () => {
        if (left === 0) throw halt;
        left -= 1;
      },
    );
    isDone = await server.roles.create('ann', { login: true }, { ownerId, password: 'p' }).then(
      () => true,
      ({ code, message, cause }: PostgresqlError) => {
        assert.deepEqual({ code, message, cause }, { code: 'Halted', message: halt.message, cause: halt });
        return false;
      },
    );
    assert.equal(sent.length, allowed);
    assert.equal(given.postgresql.roles().length, isDone ? 1 : 0);
  }
});

describe('a server', () => {
  test('that is stopped refuses connections, and has kept all when it is started', async () => {
    const given = scene();
    const { server } = clientOf(given);
    await server.roles.create('ann', {}, owned);
    given.postgresql.stop();
    await assert.rejects(server.roles.observe('ann'), { code: 'Unreachable' });
    given.postgresql.start();
    assert.equal((await server.roles.observe('ann'))?.name, 'ann');
  });

  test('is found at its own place only', async () => {
    const clock = testClock();
    const servers = ['a.test', 'b.test'].map((endpoint, index) =>
      createInProcessPostgresql(clock, { endpoint, systemIdentifier: String(index) }),
    );
    const clients = postgresqlClients(clock, servers);
    const options = { clock, random: () => 0.5 };
    for (const [index, { credentials }] of servers.entries()) {
      const server = clients.createServer({ credentials, ...options });
      assert.equal(await server.systemIdentifier(), `PostgreSQL system ${index}`);
    }
    const credentials = { ...servers[0]!.credentials, port: 1 };
    await assert.rejects(clients.createServer({ credentials, ...options }).serverVersion(), {
      message: 'server a.test:1 is unreachable: connection refused',
    });
  });

  test('says that it does not know a statement, and not that it was refused', async () => {
    const { postgresql } = scene();
    await assert.rejects(postgresql.sql("VACUUM FULL 'a-secret'"), {
      message: 'not in the PostgreSQL in memory, from "vacuum" on: VACUUM FULL \'…\'',
    });
  });
});
