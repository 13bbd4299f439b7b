import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Clock } from '../../../../../clients/clock.ts';
import { realClock } from '../../../../../runtime/time/clock.ts';
import { unfinishedName } from '../../../../../stacks/postgresql/client/database-read.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { foreignOwnerId, ownerId, postgresqlFixture } from './fixture.ts';

// The actions of a tenant with its own credentials. None of them may affect another tenant.
const fixture = await postgresqlFixture({ maxConnections: 30, settings: { autovacuum: 'off' } });
const { server: serverOf, sql, refusal, connect } = fixture;
const server = serverOf();
const { databases, roles, grants } = server;
const owned = { ownerId };
const ann = { user: 'ann', password: 'ann' };
const inAnn = { ...ann, database: 'ann' };

before(async () => {
  for (const name of ['ann', 'bob']) {
    await roles.create(name, { login: true }, { ownerId, password: name });
    await databases.create(name, { owner: name }, owned);
  }
});
after(() => server.close());

/** A session of ann's that has begun something and never ends it. */
async function stubborn(database: string, ...statements: readonly string[]) {
  const session = await connect({ ...ann, database });
  for (const statement of ['BEGIN', ...statements]) await session.query(statement);
  return {
    end: () => session.end(),
    isEnded: () => session.query('SELECT 1').then(...[() => false, () => true]),
  };
}

describe('settings of a database, which its owner may change, do not reach our sessions on it', () => {
  const settings: Record<string, string> = {
    role: 'ann',
    session_authorization: 'ann',
    search_path: 'public',
    local_preload_libraries: 'no_such_library',
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'serializable',
    default_transaction_deferrable: 'on',
    default_tablespace: 'no_such_tablespace',
    statement_timeout: '1ms',
    lock_timeout: '1ms',
    transaction_timeout: '1ms',
    idle_session_timeout: '1ms',
    idle_in_transaction_session_timeout: '1ms',
    restrict_nonsystem_relation_kind: 'view',
    row_security: 'off',
    exit_on_error: 'on',
    standard_conforming_strings: 'off',
  };
  for (const [name, value] of Object.entries(settings)) {
    test(name, async () => {
      const verdict = await refusal(inAnn, `ALTER DATABASE ann SET ${name} = '${value}'`);
      assert.equal(verdict, 'allowed');
      // One that knows nothing yet, as after a restart. An extension that only a superuser may install.
      const fresh = serverOf();
      const on = { database: 'ann', schema: 'public' };
      await fresh.grants.apply({ role: 'bob', on, privileges: ['USAGE'] });
      const extensions = [{ name: 'file_fdw' }];
      await fresh.databases.update('ann', { owner: 'ann', extensions }, owned);
      const observed = await fresh.databases.observe('ann', { withExtensions: true });
      assert.ok(observed?.extensions?.some(({ name, version }) => name === 'file_fdw' && version === '1.0'));
      await fresh.close();
      await sql('ALTER DATABASE ann RESET ALL');
      const undo = 'DROP EXTENSION IF EXISTS file_fdw; REVOKE USAGE ON SCHEMA public FROM bob';
      await sql(undo, { database: 'ann' });
    });
  }

  test('settings of a role do not reach the check of its password', async () => {
    for (const setting of [`local_preload_libraries = 'none'`, `transaction_timeout = '1ms'`]) {
      const verdict = await refusal(inAnn, `ALTER ROLE ann SET ${setting}`);
      assert.equal(verdict, 'allowed');
      assert.equal(await roles.checkPassword('ann', 'ann'), true);
      assert.equal(await roles.checkPassword('ann', 'guess'), false);
      await sql('ALTER ROLE ann RESET ALL');
    }
  });
});

describe('locks', () => {
  /** The key of a creation, which any user can compute. */
  const keyOf = (name: string) =>
    createHash('sha256').update(unfinishedName(ownerId, name)).digest().readBigInt64BE();

  test('of a tenant on the key of a creation are not heeded', async () => {
    const session = await stubborn('postgres', `SELECT pg_advisory_lock(${keyOf('unheeded')})`);
    await databases.create('unheeded', {}, owned);
    await databases.drop('unheeded', { ownerId, terminateSessions: false });
    await session.end();
  });

  test('of ours are', async () => {
    const other = await connect();
    await other.query(`SELECT pg_advisory_lock(${keyOf('heeded')})`);
    let isDone = false;
    const creating = serverOf({ lockTimeoutMs: 50 }).databases.create('heeded', {}, owned);
    void creating.then(() => (isDone = true));
    await other.query('SELECT pg_sleep(0.3)');
    assert.equal(isDone, false);
    await other.end();
    await creating;
  });

  test('are waited for briefly, and what waits keeps no connection from others', async () => {
    const session = await stubborn('ann', 'GRANT USAGE ON SCHEMA public TO bob');
    const on = { database: 'ann', schema: 'public' };
    const waiting = serverOf({ lockTimeoutMs: 100 });
    await assert.rejects(waiting.grants.apply({ role: 'bob', on, privileges: ['CREATE'] }), {
      name: 'PostgresqlError',
      code: '55P03',
      isRetryable: true,
      message: /^server 127\.0\.0\.1:\d+: another session holds a needed lock: /,
    });
    await session.end();
    await grants.revoke({ role: 'bob', on });
  });

  const held: Record<string, string> = {
    'on the database': `COMMENT ON DATABASE leaving IS 'mine'`,
    'on its row': 'ALTER DATABASE leaving CONNECTION LIMIT 3',
    'on its settings': `ALTER DATABASE leaving SET work_mem = '1MB'`,
  };
  for (const [what, statement] of Object.entries(held)) {
    test(`${what} within a transaction that never ends do not keep a database whose sessions are to end`, async () => {
      await databases.create('leaving', { owner: 'ann' }, owned);
      const session = await stubborn('leaving', statement);
      await databases.drop('leaving', { ownerId, terminateSessions: true });
      assert.equal(await databases.observe('leaving'), undefined);
      assert.equal(await session.isEnded(), true);
    });
  }

  test('that its owner holds from another database do not keep it either', async () => {
    await databases.create('leaving', { owner: 'ann' }, owned);
    const session = await stubborn('ann', `COMMENT ON DATABASE leaving IS 'mine'`);
    await databases.drop('leaving', { ownerId, terminateSessions: true });
    assert.equal(await session.isEnded(), true);
  });

  test('of a role on itself do not prevent that its password is renewed, or that it goes', async () => {
    await roles.create('eve', { login: true }, { ownerId, password: 'eve' });
    const thief = await connect({ user: 'eve', password: 'eve', database: 'postgres' });
    const idle = await connect({ user: 'eve', password: 'eve', database: 'postgres' });
    await thief.query('BEGIN');
    await thief.query(`ALTER ROLE eve PASSWORD 'stolen'`);
    await roles.setPassword('eve', 'renewed', owned);
    assert.equal(await roles.checkPassword('eve', 'renewed'), true);
    await assert.rejects(thief.query('COMMIT'));
    assert.equal((await idle.query('SELECT 1')).rowCount, 1, 'others go on');
    await idle.query('BEGIN');
    await idle.query(`ALTER ROLE eve PASSWORD 'stolen'`);
    await roles.drop('eve', owned);
    assert.equal(await roles.observe('eve'), undefined);
  });
});

/** A clock that notes waits for a connection, which are those of less than a second. */
const noting = (waits: number[]): Pick<Clock, 'sleep'> => ({
  async sleep(delayMs, signal) {
    if (delayMs < 1000) waits.push(delayMs);
    else await realClock().sleep(delayMs, signal);
  },
});

describe('limits', () => {
  test('of a role that is full are no reason to wait with a connection of ours', async () => {
    await roles.create('full', { login: true, connectionLimit: 1 }, { ownerId, password: 'full' });
    const session = await connect({ user: 'full', password: 'full', database: 'postgres' });
    const waits: number[] = [];
    const patient = serverOf({ clock: noting(waits) });
    assert.equal(await patient.roles.checkPassword('full', 'full'), true);
    assert.equal(await patient.roles.checkPassword('full', 'wrong'), false);
    assert.deepEqual(waits, []);
    await session.end();
  });

  test('an administrator who is bound by the connection limit of a database gets a retryable error', async () => {
    await sql(`CREATE ROLE steward LOGIN CREATEDB CREATEROLE PASSWORD 'steward'; GRANT ann TO steward`);
    await sql('GRANT CONNECT ON DATABASE ann TO steward; ALTER DATABASE ann CONNECTION LIMIT 1');
    const session = await connect(inAnn);
    const waits: number[] = [];
    const { port } = session;
    const credentials = { endpoint: '127.0.0.1', port, username: 'steward', password: 'steward' };
    const patient = serverOf({ credentials, clock: noting(waits) });
    await assert.rejects(patient.databases.observe('ann', { withExtensions: true }), {
      code: '53300',
      isRetryable: true,
      message: /^server 127\.0\.0\.1:\d+ refused a connection: too many connections for database "ann"/,
    });
    assert.deepEqual(waits, []);
    await session.end();
    await sql('ALTER DATABASE ann CONNECTION LIMIT -1');
  });
});

describe('the owner of a database or role', () => {
  test('is a digest for strangers, who can read every comment', async () => {
    const all = 'SELECT description AS text FROM pg_shdescription';
    const rows = await sql<{ text: string }>(all, inAnn);
    const marks = rows.map(({ text }) => text).filter((text) => text.startsWith('services-stack'));
    assert.ok(marks.length >= 4);
    for (const mark of marks) assert.match(mark, /^services-stack: [0-9a-f]{32}$/);
  });

  test('is not named to another resource that asks for the same name', async () => {
    await assert.rejects(databases.create('bob', {}, { ownerId: foreignOwnerId }), {
      code: 'NotOurs',
      message: `database "bob" is managed by another resource, not by ${foreignOwnerId}; choose another external name; if a deleted resource retained it (Retain, Orphan), create one with the same kind, name and claimRef`,
    });
  });

  test('is known where the first version wrote it, and is then written as a digest', async () => {
    const readable = `services-stack: managed by ${ownerId}`;
    await sql(`COMMENT ON DATABASE ann IS '${readable}'; COMMENT ON ROLE ann IS '${readable}'`);
    await databases.create('ann', { owner: 'ann' }, owned);
    const dropping = databases.drop('ann', { ownerId: foreignOwnerId, terminateSessions: true });
    await assert.rejects(dropping, { code: 'NotOurs' });
    await databases.update('ann', { owner: 'ann' }, owned);
    await roles.update('ann', { login: true }, owned);
    assert.equal((await databases.observe('ann'))?.comment, markOf(ownerId));
    assert.equal((await roles.observe('ann'))?.comment, markOf(ownerId));
  });

  for (const comment of ['NULL', `'mine'`, `'services-stack: ${'0'.repeat(32)}'`]) {
    test(`is known by the owner role of its own, if the owner writes the comment ${comment}`, async () => {
      await databases.create('defaced', { owner: 'ann' }, owned);
      const deface = `COMMENT ON DATABASE defaced IS ${comment}`;
      assert.equal(await refusal({ ...ann, database: 'defaced' }, deface), 'allowed');
      await databases.update('defaced', { owner: 'ann' }, owned);
      assert.equal((await databases.observe('defaced'))?.comment, markOf(ownerId));
      await sql(deface);
      await databases.drop('defaced', { ownerId, terminateSessions: false });
      assert.equal(await databases.observe('defaced'), undefined);
    });
  }
});

describe('a name or value that would break a line or move a cursor', () => {
  test('no template, extension or parameter gets a name with control characters', async () => {
    const odd = '\u001b[31mred';
    const shown = /^[\x20-\x7e]+ must not contain control or invisible characters$/;
    const refused = { name: 'PostgresqlError', code: 'Invalid', isRetryable: false, message: shown };
    await assert.rejects(databases.create('plain', { template: odd }, owned), refused);
    for (const part of [{ name: odd }, { name: 'citext', version: odd }, { name: 'citext', schema: odd }]) {
      await assert.rejects(databases.create('plain', { extensions: [part] }, owned), refused);
    }
    await assert.rejects(roles.create('plain', { configuration: { 'app.x': odd } }, owned), refused);
  });

  test('an existing database with such a name can be updated and dropped', async () => {
    const name = 'made\nby the first version';
    await sql(`CREATE DATABASE "${name}"; `);
    await sql(`COMMENT ON DATABASE "${name}" IS '${markOf(ownerId)}'`);
    await databases.update(name, { connectionLimit: 3 }, owned);
    assert.equal((await databases.observe(name))?.connectionLimit, 3);
    const session = await connect({ database: name });
    const message = 'database "made\\u{a}by the first version" has 1 open session';
    await assert.rejects(databases.drop(name, { ownerId, terminateSessions: false }), { message });
    await session.end();
    await databases.drop(name, { ownerId, terminateSessions: false });
  });
});

describe('a grant by the owner of a database', () => {
  test('keeps no other role from being dropped, though it is granted to it, closed and unmarked', async () => {
    await roles.create('victim', { login: true }, { ownerId, password: 'victim' });
    await databases.create('annex', { owner: 'ann' }, owned);
    for (const [database, statement] of [
      ['annex', 'GRANT CREATE, USAGE ON SCHEMA public TO victim'],
      ['annex', 'GRANT CONNECT ON DATABASE annex TO victim'],
      ['annex', 'CREATE TABLE bait (); GRANT SELECT ON bait TO victim'],
      ['annex', 'COMMENT ON DATABASE annex IS NULL'],
      ['ann', 'COMMENT ON DATABASE ann IS NULL; GRANT USAGE ON SCHEMA public TO victim'],
      ['ann', 'ALTER DATABASE annex ALLOW_CONNECTIONS false'],
    ] as const) {
      assert.equal(await refusal({ ...ann, database }, statement), 'allowed', statement);
    }
    // Only one of a name with its owner is known as ours without its comment.
    const message = /2 objects depend on it in database "annex"/;
    await assert.rejects(roles.drop('victim', owned), { message });
    await databases.update('annex', { owner: 'ann', allowConnections: false }, owned);
    await roles.drop('victim', owned);
    assert.equal(await roles.observe('victim'), undefined);
    assert.equal((await databases.observe('annex'))?.allowConnections, false, 'as it was');
    await databases.update('ann', { owner: 'ann' }, owned);
  });

  test('makes its deletion wait at most while it is in use, and the message says where', async () => {
    await roles.create('victim', { login: true }, { ownerId, password: 'victim' });
    await refusal(inAnn, 'CREATE TABLE prey (); CREATE POLICY p ON prey TO victim');
    const session = await stubborn('ann', 'LOCK TABLE prey');
    await assert.rejects(serverOf({ lockTimeoutMs: 100 }).roles.drop('victim', owned), {
      code: 'InUse',
      isRetryable: true,
      message:
        'role "victim" cannot be dropped: sessions on database "ann" hold locks on objects that depend on it',
    });
    await session.end();
    await roles.drop('victim', owned);
  });

  const planted: Record<string, string> = {
    'a function': 'CREATE FUNCTION public.trap(text) RETURNS text LANGUAGE sql RETURN $1',
    'an operator': `CREATE SCHEMA own; CREATE FUNCTION own.trap(text, text) RETURNS text LANGUAGE sql RETURN $1;
      CREATE OPERATOR public.+ (FUNCTION = own.trap, LEFTARG = text, RIGHTARG = text)`,
  };
  for (const [what, statement] of Object.entries(planted)) {
    test(`is out of reach of a superuser's script: ${what}`, async () => {
      await databases.create('mined', { owner: 'ann', extensions: [{ name: 'file_fdw' }] }, owned);
      const login = { ...ann, database: 'mined' };
      assert.equal(await refusal(login, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public'), 'allowed');
      assert.equal(await refusal(login, statement), 'allowed');
      const wanted = (schema?: string) => ({
        owner: 'ann',
        extensions: [{ name: 'citext' }, { name: 'file_fdw', ...(schema === undefined ? {} : { schema }) }],
      });
      await assert.rejects(databases.update('mined', wanted(), owned), {
        code: 'Invalid',
        message:
          'extension "file_fdw" is not installed: only a superuser may, and its script could run objects that "ann" created in ' +
          'schema "public". Name another schema, or install it by hand',
      });
      await databases.update('mined', { owner: 'ann', extensions: [{ name: 'citext' }] }, owned);
      await sql('CREATE SCHEMA extensions', { database: 'mined' });
      await databases.update('mined', wanted('extensions'), owned);
      await databases.drop('mined', { ownerId, terminateSessions: true });
    });
  }
});
