import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../../../../local/free-port.ts';
import type { PostgresqlError } from '../../../../../stacks/postgresql/client/error.ts';
import type { PostgresqlServerOptions } from '../../../../../stacks/postgresql/client/server.ts';
import { pgbouncer } from '../../../../../tools/offline/debian-program.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { reload, requireStandby, untilBlocked } from '../settings.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const {
  local,
  server: serverOf,
  sql,
  connect,
  sessions,
  credentials,
} = await postgresqlFixture({ maxConnections: 20, settings: { autovacuum: 'off' } });
const address = `${credentials.endpoint}:${credentials.port}`;
const owned = { ownerId };

/** Code, class and message of the error of a call. */
async function errorOf(call: Promise<unknown>): Promise<readonly string[]> {
  const error = (await call.then(
    () => assert.fail('no error'),
    (thrown: unknown) => thrown,
  )) as PostgresqlError;
  assert.equal(error.name, 'PostgresqlError', String(error.stack));
  return [error.code, error.errorClass, error.message];
}

/** The error of the first call with other options. */
async function refusalOf(options: Partial<PostgresqlServerOptions>): Promise<readonly string[]> {
  const server = serverOf({ connectionWaitMs: 0, ...options });
  try {
    return await errorOf(server.serverVersion());
  } finally {
    await server.close();
  }
}

/** Our sessions, and what they wait for. */
const ours = () =>
  sql<{ wait: string }>(
    `SELECT wait_event AS wait FROM pg_stat_activity WHERE application_name = 'services-stack'`,
  );

/** No session of ours is on the server. */
const allGone = () =>
  eventually('no session is left', async () => {
    assert.deepEqual(await ours(), []);
    return true;
  });

describe('the cause of an error', () => {
  before(async () => {
    await sql(`CREATE ROLE admin LOGIN CREATEROLE CREATEDB PASSWORD 'x'`);
  });
  const asAdmin = { ...credentials, username: 'admin', password: 'x' };

  test('a limit of the role is no quota', async () => {
    await sql('ALTER ROLE admin CONNECTION LIMIT 0');
    assert.deepEqual(await refusalOf({ credentials: asAdmin }), [
      '53300',
      'Exhausted',
      `server ${address} refused a connection: too many connections for role "admin"; raise the CONNECTION LIMIT of that role or database, or end its sessions`,
    ]);
    await sql('ALTER ROLE admin CONNECTION LIMIT -1');
  });

  test('a limit of the database is no quota', async () => {
    await sql('CREATE DATABASE small CONNECTION LIMIT 0');
    assert.deepEqual((await refusalOf({ credentials: { ...asAdmin, database: 'small' } })).slice(0, 2), [
      '53300',
      'Exhausted',
    ]);
  });

  test('a server without a free connection is exhausted', async () => {
    const hogs = await sessions(17);
    assert.deepEqual(await refusalOf({ credentials: asAdmin }), [
      '53300',
      'Exhausted',
      `server ${address} has no connection left: remaining connection slots are reserved for roles with the SUPERUSER attribute; end sessions, or raise max_connections`,
    ]);
    await Promise.all(hogs.map((hog) => hog.end()));
  });

  test('a role that may not log in is not a wrong password', async () => {
    await sql('ALTER ROLE admin NOLOGIN');
    assert.deepEqual(await refusalOf({ credentials: asAdmin }), [
      'LoginRefused',
      'LoginRefused',
      `server ${address} does not let user "admin" in: role "admin" is not permitted to log in; if the role exists, run: ALTER ROLE "admin" LOGIN`,
    ]);
    await sql('ALTER ROLE admin LOGIN');
  });

  test('an expired password is refused as a wrong one, and the message names both', async () => {
    await sql(`ALTER ROLE admin VALID UNTIL '2001-01-01'`);
    assert.deepEqual(await refusalOf({ credentials: asAdmin }), [
      'AuthenticationFailed',
      'CredentialsRefused',
      `server ${address} refused the credentials of user "admin": password authentication failed for user "admin" (it is wrong, or its VALID UNTIL has passed)`,
    ]);
    await sql(`ALTER ROLE admin VALID UNTIL 'infinity'`);
  });

  for (const [rule, line] of Object.entries({
    'no line of pg_hba.conf': '',
    'a line with reject': 'host all admin 127.0.0.1/32 reject',
    'a line that asks for TLS': 'hostssl all admin 127.0.0.1/32 scram-sha-256',
  })) {
    test(`${rule}: the credentials were not tested`, async () => {
      const [{ hba_file: file } = { hba_file: '' }] = await sql<{ hba_file: string }>('SHOW hba_file');
      const former = readFileSync(file, 'utf8');
      writeFileSync(file, `${line}\nhost all postgres 127.0.0.1/32 scram-sha-256\n`);
      await reload(connect);
      const [code, errorClass, message = ''] = await refusalOf({ credentials: asAdmin });
      writeFileSync(file, former);
      await reload(connect);
      assert.deepEqual([code, errorClass], ['LoginRefused', 'LoginRefused']);
      assert.match(
        message,
        /does not let user "admin" in: (no pg_hba\.conf entry|pg_hba\.conf rejects).*; add a line for this user, database and address to pg_hba\.conf, before any that rejects them, and reload the server\. Or, if it asks for TLS, set sslmode "require" in the credentials$/,
      );
    });
  }
});

describe('no session of ours stays', () => {
  test('while a commit waits for a synchronous standby', async () => {
    await requireStandby(connect);
    const server = serverOf({ commitTimeoutMs: 500, statementTimeoutMs: 3000 });
    for (const call of [
      () => server.roles.create('waiting', { login: true }, { ownerId, password: 'x' }),
      () => server.databases.create('waiting', {}, owned),
      () => server.roles.drop('waiting', owned),
    ]) {
      assert.deepEqual(await errorOf(call()), [
        'StandbyMissing',
        'NotReady',
        `server ${address} waits for a synchronous standby, which does not confirm changes; start the standby, or take it off synchronous_standby_names`,
      ]);
    }
    const abort = new AbortController();
    const patient = serverOf({ commitTimeoutMs: 60_000 });
    const aborted = patient.roles.create('aborted', {}, { ownerId, signal: abort.signal });
    const waits = async () => (await ours()).some(({ wait }) => wait === 'SyncRep');
    await eventually('it waits', waits);
    abort.abort(new Error('the run is over'));
    await assert.rejects(aborted, /the run is over/);
    await Promise.all([server.close(), patient.close()]);
    await allGone();
    await sql('ALTER SYSTEM RESET synchronous_standby_names');
    await reload(connect);
  });

  test('while a statement waits for a lock, and the call is aborted', async () => {
    const blocker = await connect();
    await blocker.query('BEGIN; LOCK pg_shdescription IN ACCESS EXCLUSIVE MODE');
    const server = serverOf({ lockTimeoutMs: 60_000, idleMs: 50 });
    const abort = new AbortController();
    const call = server.roles.create('late', {}, { ownerId, signal: abort.signal });
    await untilBlocked(connect);
    abort.abort(new Error('the run is over'));
    await assert.rejects(call, /the run is over/);
    await allGone();
    await blocker.query('ROLLBACK');
    await blocker.end();
    await server.close();
  });
});

describe('a standby', () => {
  test('changes nothing, and nothing counts as absent there, until it is promoted', async () => {
    const server = serverOf();
    await server.roles.create('before', { login: true }, { ownerId, password: 'x' });
    const [{ directory } = { directory: '' }] = await sql<{ directory: string }>(
      `SELECT current_setting('data_directory') AS directory`,
    );
    await local.stop();
    writeFileSync(join(directory, 'standby.signal'), '');
    await local.start();
    for (const call of [
      () => server.serverVersion(),
      () => server.systemIdentifier(),
      () => server.roles.observe('before'),
      () => server.roles.observe('absent'),
      () => server.databases.observe('absent'),
      () => server.grants.observe({ role: 'absent', on: { database: 'postgres' } }),
      () => server.roles.drop('absent', owned),
      () => server.databases.drop('absent', { ...owned, terminateSessions: true }),
    ]) {
      assert.deepEqual(await errorOf(call()), [
        '25006',
        'ReadOnly',
        `server ${address} is a standby, so it changes nothing and its data may be old; use the address of the primary in the credentials`,
      ]);
    }
    const watching = serverOf({ isReadOnly: true });
    assert.ok(await watching.roles.observe('before'), 'a client that only reads may read');
    await sql('SELECT pg_promote()');
    assert.ok(await server.roles.observe('before'));
    await server.roles.drop('before', owned);
    await Promise.all([server.close(), watching.close()]);
  });
});

const bouncer = await pgbouncer.support();

describe('with PgBouncer between', { skip: bouncer.by === 'none' && bouncer.reason }, () => {
  let stop = async () => {};
  let port = 0;
  const through = () => ({ ...credentials, port });

  before(async () => {
    if (bouncer.by === 'none') return;
    port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const isRoot = process.getuid?.() === 0;
    const users = join(folder, 'users.txt');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(users, `"${local.superuser}" "${local.password}"\n"admin" "x"\n`);
    writeFileSync(
      file,
      `[databases]
gone = host=127.0.0.1 port=1
* = host=${local.host} port=${local.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
auth_user = ${local.superuser}
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
server_login_retry = 0
pool_mode = session
max_client_conn = 6
default_pool_size = 3
query_wait_timeout = 4
`,
    );
    for (const each of [folder, users, file]) chmodSync(each, 0o755);
    const child = spawn(bouncer.path, [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
    stop = async () => {
      child.kill();
      rmSync(folder, { recursive: true });
    };
    await eventually('PgBouncer answers', () =>
      connect({ port }).then(
        (client) => client.end().then(() => true),
        () => false,
      ),
    );
  });
  after(() => stop());

  test('settings are made without options of the connection', async () => {
    const server = serverOf({ credentials: through(), statementTimeoutMs: 300 });
    await server.databases.create('pooled', { extensions: [{ name: 'citext' }] }, owned);
    const found = await server.databases.observe('pooled', { withExtensions: true });
    assert.ok(found?.extensions?.some(({ name }) => name === 'citext'));
    const blocker = await connect();
    await blocker.query('BEGIN; LOCK pg_shdescription IN ACCESS EXCLUSIVE MODE');
    const waiting = serverOf({ credentials: through(), statementTimeoutMs: 300, lockTimeoutMs: 60_000 });
    const [code] = await errorOf(waiting.roles.create('late', {}, owned));
    assert.ok(['57014', '55P03'].includes(code ?? ''), code);
    await blocker.query('ROLLBACK');
    await blocker.end();
    await Promise.all([server.close(), waiting.close()]);
    await sql('DROP DATABASE pooled WITH (FORCE)').catch(() => {});
  });

  test('a full pool and a server that is gone behind PgBouncer have different errors', async () => {
    const answers: string[][] = [];
    const note = async (call: Promise<readonly string[]>) =>
      answers.push((await call).slice(0, 2) as string[]);
    await note(refusalOf({ credentials: { ...through(), password: 'wrong' } }));
    await note(refusalOf({ credentials: { ...through(), database: 'gone' }, connectTimeoutMs: 20_000 }));
    const hogs = await Promise.all([1, 2, 3].map(() => connect({ port })));
    await Promise.all(hogs.map((hog) => hog.query('SELECT 1'))); // only then they have a connection of the server
    await note(refusalOf({ credentials: through() }));
    for (let more = 0; more < 3; more += 1) {
      const client = await connect({ port, database: 'template1' }).catch(() => undefined);
      if (client !== undefined) hogs.push(client);
    }
    await note(refusalOf({ credentials: through() }));
    await Promise.all(hogs.map((hog) => hog.end()));
    assert.deepEqual(answers, [
      ['AuthenticationFailed', 'CredentialsRefused'],
      ['Exhausted', 'Exhausted'], // the time for a connection is over before PgBouncer reports the server
      ['Exhausted', 'Exhausted'],
      ['Exhausted', 'Exhausted'],
    ]);
  });

  test('a password is accepted, although the server begins no session behind PgBouncer', async () => {
    const server = serverOf({ credentials: through() });
    const { roles } = server;
    await roles.create('pooled_tenant', { login: true }, { ...owned, password: 'right' });
    await sql('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
    try {
      assert.equal(await roles.checkPassword('pooled_tenant', 'right'), true, 'no CONNECT');
      await sql('GRANT CONNECT ON DATABASE postgres TO pooled_tenant');
      await sql('ALTER ROLE pooled_tenant CONNECTION LIMIT 0');
      assert.equal(await roles.checkPassword('pooled_tenant', 'right'), true, 'no connection left');
      assert.equal(await roles.checkPassword('pooled_tenant', 'wrong'), false);
    } finally {
      await server.close();
      await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
      await sql('DROP OWNED BY pooled_tenant');
      await sql('DROP ROLE pooled_tenant');
    }
  });
});
