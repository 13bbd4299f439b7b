import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { unfinishedName } from '../../../clients/postgresql/database-read.ts';
import { databaseDrift } from '../../../clients/postgresql/database-spec.ts';
import { markOf } from '../../../clients/postgresql/mark.ts';
import type { PostgresqlServer } from '../../../clients/postgresql/server.ts';
import { createPostgresqlServer } from '../../../clients/postgresql/server.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const {
  server: serverOf,
  sql,
  refusal,
  credentials,
} = await postgresqlFixture({ settings: { autovacuum: 'off' } });
const owned = { ownerId };
const calm = serverOf();

/**
 * A driver whose connection dies at the `at`-th statement of the whole client: before the server sees it, or
 * after the server carried it out but before we hear of it. From then on nothing works, as in a dead process.
 */
function dying(at: number, when: 'before' | 'after') {
  let count = 0;
  let isDead = false;
  const createClient = (config: ClientConfig): Client => {
    const client = new Client(config);
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const die = () => {
      isDead = true;
      client.connection.stream.destroy();
      throw new Error('the process died here');
    };
    const mortal = async (...args: unknown[]) => {
      if (isDead) die();
      count++;
      if (count === at && when === 'before') die();
      const result = await query(...args);
      if (count === at && when === 'after') die();
      return result;
    };
    return Object.assign(client, { query: mortal }) as typeof client;
  };
  return { createClient, hasDied: () => isDead };
}

/** Runs `act` once per statement it takes, each time dying there, and `check` after each death. */
async function dieEverywhere(
  act: (server: PostgresqlServer) => Promise<void>,
  check: (where: string) => Promise<void>,
): Promise<number> {
  let deaths = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; ; at++) {
      const { createClient, hasDied } = dying(at, when);
      const server = createPostgresqlServer({
        credentials,
        clock: realClock(),
        random: Math.random,
        createClient,
      });
      const outcome = await act(server).then(
        () => 'done',
        (error: Error) => error.message,
      );
      await server.close();
      if (!hasDied()) {
        assert.equal(outcome, 'done');
        break;
      }
      deaths++;
      await check(`dead ${when} statement ${at}: ${outcome}`);
    }
  }
  return deaths;
}

const unfinished = () =>
  sql(`SELECT datname FROM pg_database WHERE datname LIKE 'services-stack-unfinished-%'`);

before(async () => {
  await calm.roles.create('ann', { login: true }, { ownerId, password: 'ann' });
  await calm.roles.create('eve', { login: true }, { ownerId, password: 'eve' });
});

describe('a crash between any two statements', () => {
  const spec = { owner: 'ann', connectionLimit: 5, extensions: [{ name: 'citext' }] };

  test('of creating a database: never half made under its name, never open to PUBLIC, finished next time', async () => {
    const deaths = await dieEverywhere(
      (server) => server.databases.create('shop', spec, owned),
      async (where) => {
        const half = await calm.databases.observe('shop', { withExtensions: true });
        if (half) {
          assert.equal(half.comment, markOf(ownerId), where);
          const { changed } = databaseDrift(half, spec);
          assert.deepEqual(
            changed.filter((field) => field !== 'extensions'),
            [],
            where,
          );
        }
        for (const { datname } of await unfinished()) {
          assert.equal(datname, unfinishedName(ownerId, 'shop'), where);
          assert.notEqual(
            await refusal({ user: 'eve', password: 'eve', database: String(datname) }),
            'allowed',
            where,
          );
        }
        assert.notEqual(await refusal({ user: 'eve', password: 'eve', database: 'shop' }), 'allowed', where);

        await calm.databases.create('shop', spec, owned);
        const whole = await calm.databases.observe('shop', { withExtensions: true });
        assert.deepEqual(databaseDrift(whole!, spec), { changed: [], immutable: [] }, where);
        assert.deepEqual(await unfinished(), [], where);
        await calm.databases.drop('shop', { ownerId, terminateSessions: true });
      },
    );
    assert.ok(deaths > 20, `only ${deaths} places to die`);
    await calm.databases.drop('shop', { ownerId, terminateSessions: true });
  });
});
