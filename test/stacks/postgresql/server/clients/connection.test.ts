import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { ScramClient } from '../../../../../stacks/postgresql/client/scram-client.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { untilBlocked } from '../settings.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const {
  local,
  server: serverOf,
  sql,
  connect,
  sessions,
  credentials,
  refusal,
} = await postgresqlFixture({
  maxConnections: 20,
  ssl: true,
  settings: { autovacuum: 'off', superuser_reserved_connections: '1' },
});
const owned = { ownerId };
const open = async (): Promise<number> => {
  const [row] = await sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'services-stack'`,
  );
  return row!.n;
};
const allClosed = () => eventually('no connection is left', async () => (await open()) === 0);

/** A client under test that counts its connections, until the server has closed them. */
function counted(options: Parameters<typeof serverOf>[0]) {
  const count = { made: 0, open: 0, most: 0 };
  const server = serverOf({
    ...options,
    createClient(config) {
      const client = new ScramClient(config);
      count.made += 1;
      count.open += 1;
      count.most = Math.max(count.most, count.open);
      client.once('end', () => {
        count.open -= 1;
      });
      return client;
    },
  });
  return { server, count };
}

describe('50 at once on a server with max_connections = 20', () => {
  test('by one client: all succeed over the connections it may have', async () => {
    const { server, count } = counted({ maxConnections: 3 });
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const name = `one ${index}`;
        await server.roles.create(name, { login: true }, { ownerId, password: name });
        await server.databases.create(name, { owner: name, extensions: [{ name: 'citext' }] }, owned);
      }),
    );
    assert.equal(count.most, 3);
    for (const index of [0, 49]) {
      const name = `one ${index}`;
      assert.equal(await refusal({ user: name, password: name, database: name }), 'allowed');
      assert.equal(await refusal({ user: name, password: name, database: 'one 7' }), '42501');
    }
    const names = await sql(`SELECT FROM pg_database WHERE datname LIKE 'one %'`);
    assert.equal(names.length, 50);
    await server.close();
    await allClosed();
  });

  test('by 50 clients: those the server has no connection for wait their turn', async () => {
    const servers = Array.from({ length: 50 }, () =>
      serverOf({ maxConnections: 1, idleMs: 1, connectionWaitMs: 60_000 }),
    );
    await Promise.all(servers.map((server, index) => server.databases.create(`many ${index}`, {}, owned)));
    const names = await sql(`SELECT FROM pg_database WHERE datname LIKE 'many %'`);
    assert.equal(names.length, 50);
    await Promise.all(servers.map((server) => server.close()));
  });

  test('waiting ends: then the error says why and that it is worth coming back', async () => {
    const hogs = await sessions(20);
    const server = serverOf({ connectionWaitMs: 100 });
    await assert.rejects(server.serverVersion(), {
      name: 'PostgresqlError',
      code: '53300',
      isRetryable: true,
      message: /has no connection left: (sorry, too many clients already|remaining connection slots)/,
    });
    await Promise.all(hogs.map((hog) => hog.end()));
  });
});

describe('connections', () => {
  test('an unused one is closed after a while', async () => {
    const { server, count } = counted({ idleMs: 500 });
    await server.serverVersion();
    await allClosed();
    assert.equal(count.made, 1);
  });

  test('one to another database is closed at once', async () => {
    const server = serverOf();
    await server.databases.create('visited', { extensions: [{ name: 'citext' }] }, owned);
    await server.databases.observe('visited', { withExtensions: true });
    await server.databases.drop('visited', { ownerId, terminateSessions: false });
    await server.close();
  });

  test('an abort ends the statement under way, with its reason', async () => {
    const server = serverOf({ maxConnections: 1 });
    const blocker = await connect();
    await blocker.query('BEGIN; LOCK pg_shdescription IN ACCESS EXCLUSIVE MODE');
    const abort = new AbortController();
    const reason = new Error('enough');
    const ended = assert.rejects(server.roles.create('late', {}, { ownerId, signal: abort.signal }), reason);
    const patient = server.serverVersion();
    await untilBlocked(connect);
    abort.abort(reason);
    await ended;
    await blocker.query('ROLLBACK');
    await blocker.end();
    assert.equal(await patient, 18, 'the others go on');
    await assert.rejects(server.serverVersion(AbortSignal.abort(reason)), reason);
    assert.equal(await server.roles.observe('late'), undefined);
  });

  test('a statement that takes too long is ended', async () => {
    const server = serverOf({ statementTimeoutMs: 100 });
    const blocker = await connect();
    await blocker.query('BEGIN; LOCK pg_shdescription IN ACCESS EXCLUSIVE MODE');
    await assert.rejects(server.roles.create('late', {}, owned), { code: '57014', isRetryable: true });
    await blocker.query('ROLLBACK');
    await blocker.end();
    await serverOf().roles.create('late', {}, owned);
  });

  test('a closed client refuses work', async () => {
    const server = serverOf();
    const last = server.serverVersion();
    await server.close();
    assert.equal(await last, 18, 'a running call is finished');
    await assert.rejects(server.serverVersion(), { code: 'Closed' });
    await server.close();
  });

  test('environment variables of PostgreSQL have no effect', async () => {
    const variables = {
      PGHOST: 'nowhere.invalid',
      PGUSER: 'nobody',
      PGSSLMODE: 'require',
      PGOPTIONS: '-c role=nobody',
    };
    Object.assign(process.env, variables);
    after(() => {
      for (const name of Object.keys(variables)) delete process.env[name];
    });
    assert.equal(await serverOf().serverVersion(), 18);
    for (const name of Object.keys(variables)) delete process.env[name];
  });
});

describe('a server that is not as expected', () => {
  test('a server that does not answer is unreachable', async () => {
    const { createServer } = await import('node:net');
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const server = serverOf({ credentials: { ...credentials, port }, connectTimeoutMs: 100 });
    await assert.rejects(server.serverVersion(), {
      code: 'Unreachable',
      message: `server 127.0.0.1:${port} is unreachable: timed out`,
    });
    silent.close();
  });

  test('stopped and started again: errors in between, then all is well with the same client', async () => {
    const server = serverOf();
    await server.databases.create('lasting', {}, owned);
    for (const halt of ['stop', 'kill'] as const) {
      await local[halt]();
      await assert.rejects(server.databases.observe('lasting'), { code: 'Unreachable', isRetryable: true });
      await local.start();
      assert.equal((await server.databases.observe('lasting'))?.comment, markOf(ownerId));
    }
  });

  test('stopped during a statement: retryable', async () => {
    const server = serverOf();
    const blocker = await connect();
    await blocker.query('BEGIN; LOCK pg_shdescription IN ACCESS EXCLUSIVE MODE');
    const creating = assert.rejects(server.roles.create('cut_off', {}, owned), {
      code: 'Unreachable',
      isRetryable: true,
    });
    await untilBlocked(connect);
    await local.stop();
    await creating;
    await local.start();
    assert.equal(await server.roles.observe('cut_off'), undefined);
  });
});

describe('TLS', () => {
  const { clusterCA } = local;
  const other = `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIBATAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVvdGhlcjAe
-----END CERTIFICATE-----`;
  const isEncrypted = async (): Promise<unknown> =>
    (
      await sql(
        `SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
         WHERE a.application_name = 'services-stack' ORDER BY a.backend_start DESC LIMIT 1`,
      )
    )[0]?.ssl;
  const good = {
    'no TLS on loopback by default': { with: {}, encrypted: false },
    'verify-full by default with a CA': { with: { clusterCA: clusterCA! }, encrypted: true },
    'require takes any certificate': { with: { sslmode: 'require' }, encrypted: true },
    'verify-ca': { with: { sslmode: 'verify-ca', clusterCA: clusterCA! }, encrypted: true },
    'the name in the certificate': {
      with: { endpoint: 'localhost', clusterCA: clusterCA! },
      encrypted: true,
    },
    'verify-ca does not ask for the name': {
      with: { endpoint: '127.0.0.2', sslmode: 'verify-ca', clusterCA: clusterCA! },
      encrypted: true,
    },
  } as const;
  for (const [name, row] of Object.entries(good)) {
    test(name, async () => {
      if ('endpoint' in row.with && row.with.endpoint === '127.0.0.2') {
        // The server listens on 127.0.0.1 only; 127.0.0.2 stands for a name the certificate lacks.
        const { createServer, connect: dial } = await import('node:net');
        const relay = createServer((near) => {
          const far = dial(local.port, '127.0.0.1');
          near.pipe(far).pipe(near);
          near.on('error', () => far.destroy());
          far.on('error', () => near.destroy());
        }).listen(0, '127.0.0.2');
        await new Promise((resolve) => relay.once('listening', resolve));
        const { port } = relay.address() as { port: number };
        const through = { ...credentials, ...row.with, port };
        const loose = serverOf({ credentials: through });
        assert.equal(await loose.serverVersion(), 18);
        await loose.close();
        const strict = serverOf({ credentials: { ...through, sslmode: 'verify-full' } });
        await assert.rejects(strict.serverVersion(), { code: 'TlsFailed', isRetryable: false });
        relay.close();
        return;
      }
      const server = serverOf({ credentials: { ...credentials, ...row.with } });
      assert.equal(await server.serverVersion(), 18);
      assert.equal(await isEncrypted(), row.encrypted);
      await server.close();
    });
  }

  test('a certificate that the CA did not sign is refused, also by require with a CA', async () => {
    const { selfSignedCertificate } = await import('../../../../../local/postgresql-certificate.ts');
    const { certificate } = selfSignedCertificate();
    for (const sslmode of ['verify-full', 'verify-ca', 'require'] as const) {
      const server = serverOf({ credentials: { ...credentials, sslmode, clusterCA: certificate } });
      await assert.rejects(server.serverVersion(), { code: 'TlsFailed', isRetryable: false });
    }
    const system = serverOf({ credentials: { ...credentials, sslmode: 'verify-full' } });
    await assert.rejects(
      system.serverVersion(),
      { code: 'TlsFailed' },
      'nor do the authorities of the system help',
    );
  });

  test('a CA that is no certificate is an error, not a way around', async () => {
    const server = serverOf({ credentials: { ...credentials, clusterCA: other } });
    await assert.rejects(server.serverVersion(), { name: 'PostgresqlError' });
  });

  test('a server without TLS is not spoken to in the clear', async () => {
    const { startPostgresql } = await import('../../../../../local/postgresql.ts');
    await using plain = await startPostgresql();
    const server = serverOf({
      credentials: { ...credentials, port: plain.port, password: plain.password, sslmode: 'require' },
    });
    await assert.rejects(server.serverVersion(), {
      code: 'TlsFailed',
      message: `server 127.0.0.1:${plain.port} does not offer TLS; to connect without TLS, set sslmode "disable" in the credentials`,
    });
  });
});
