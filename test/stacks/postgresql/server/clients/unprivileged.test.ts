import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { realClock } from '../../../../../runtime/time/clock.ts';
import { databaseDrift } from '../../../../../stacks/postgresql/client/database-spec.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { createPostgresqlServer } from '../../../../../stacks/postgresql/client/server.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const { sql, refusal, connect, credentials } = await postgresqlFixture({ settings: { autovacuum: 'off' } });
const owned = { ownerId };

/** The memberships of the administrator, which no case may change. */
const memberships = (admin: string) =>
  sql(
    `SELECT roleid::regrole::text AS role, grantor::regrole::text, admin_option, inherit_option, set_option
     FROM pg_auth_members WHERE member = '${admin}'::regrole ORDER BY 1, 2`,
  );

// As managed services have them: CREATEDB and CREATEROLE, no superuser.
const admins: Record<string, string> = {
  'plain administrator': '',
  'one who inherits the roles it makes': `ALTER ROLE %s SET createrole_self_grant = 'inherit'`,
  'one who is a full member of the roles it makes': `ALTER ROLE %s SET createrole_self_grant = 'set, inherit'`,
};
for (const [index, [name, extra]] of Object.entries(admins).entries()) {
  describe(`${name}, not a superuser`, () => {
    const admin = `admin_${index}`;
    const server = createPostgresqlServer({
      clock: realClock(),
      random: Math.random,
      credentials: { ...credentials, username: admin, password: admin },
    });
    before(async () => {
      await sql(`CREATE ROLE ${admin} LOGIN CREATEDB CREATEROLE PASSWORD '${admin}'`);
      if (extra) await sql(extra.replace('%s', admin));
    });
    after(() => server.close());
    const { databases, roles, grants } = server;
    const tenant = `tenant_${index}`;
    const other = `other_${index}`;
    const login = { user: tenant, password: 'pw' };
    const database = `db_${index}`;
    const spec = { owner: tenant, connectionLimit: 9, extensions: [{ name: 'citext' }, { name: 'hstore' }] };
    const asBefore = async (act: () => Promise<unknown>): Promise<void> => {
      const before = await memberships(admin);
      await act();
      assert.deepEqual(await memberships(admin), before, 'its memberships are as they were');
    };

    test('creates roles and databases for them, with trusted extensions', async () => {
      for (const role of [tenant, other]) {
        await roles.create(
          role,
          { login: true, configuration: { work_mem: '8MB' } },
          { ownerId, password: 'pw' },
        );
      }
      await asBefore(() => databases.create(database, spec, owned));
      const observed = await databases.observe(database, { withExtensions: true });
      assert.deepEqual(databaseDrift(observed!, spec), { changed: [], immutable: [] });
      assert.equal(observed?.comment, markOf(ownerId));
      assert.equal(await refusal({ ...login, database }, 'CREATE TABLE t (id int)'), 'allowed');
      assert.equal(await refusal({ user: other, password: 'pw', database }), '42501');
    });

    test('an extension that only a superuser may install is refused with the statement for one', async () => {
      const statement = 'CREATE EXTENSION IF NOT EXISTS "postgres_fdw" WITH SCHEMA "public" CASCADE';
      const extensions = [...spec.extensions, { name: 'postgres_fdw' }];
      await assert.rejects(
        databases.update(database, { ...spec, extensions }, owned),
        ({ message }: Error) => {
          assert.match(message, /^permission denied to create extension "postgres_fdw"/);
          assert.ok(
            message.endsWith(`; a superuser can run in database "${database}": ${statement}`),
            message,
          );
          return true;
        },
      );
      await sql(statement, { database });
      await databases.update(database, { ...spec, extensions }, owned);
    });

    test('repairs drift', async () => {
      await sql(
        `ALTER DATABASE ${database} CONNECTION LIMIT 1; GRANT CONNECT ON DATABASE ${database} TO PUBLIC`,
      );
      await sql(`REVOKE CONNECT ON DATABASE ${database} FROM ${admin}`);
      await sql(`ALTER DATABASE ${database} OWNER TO ${other}`);
      await asBefore(() => databases.update(database, spec, owned));
      const observed = await databases.observe(database, { withExtensions: true });
      assert.deepEqual(databaseDrift(observed!, spec), { changed: [], immutable: [] });
      await sql(`ALTER ROLE ${tenant} NOLOGIN CONNECTION LIMIT 2`);
      await roles.update(tenant, { login: true }, owned);
      await roles.setPassword(tenant, 'pw', owned);
      assert.equal(await refusal({ ...login, database }), 'allowed');
    });

    for (const taker of ['postgres', 'legacy']) {
      test(`names the statement that ends it if a superuser gave the database to "${taker}"`, async () => {
        if (taker === 'legacy') await sql('DROP ROLE IF EXISTS legacy; CREATE ROLE legacy');
        await sql(`ALTER DATABASE ${database} OWNER TO ${taker}`);
        const statement = `ALTER DATABASE "${database}" OWNER TO "${tenant}"`;
        await assert.rejects(databases.update(database, spec, owned), {
          message: `database "${database}" belongs to role "${taker}" now, on which the provider has no rights; run as a superuser: ${statement}`,
        });
        await sql(statement);
        await databases.update(database, spec, owned);
      });
    }

    test('grants and revokes on what the tenant owns', async () => {
      const onDatabase = {
        role: other,
        on: { database },
        privileges: ['CONNECT', 'CREATE'],
        withGrantOption: true,
      };
      const onSchema = { role: other, on: { database, schema: 'public' }, privileges: ['CREATE'] };
      const member = { role: other, on: { memberOf: tenant }, withGrantOption: true };
      for (const grant of [onDatabase, onSchema, member]) {
        await asBefore(() => grants.apply(grant));
        assert.ok((await grants.observe(grant))!.size > 0);
      }
      assert.equal(
        await refusal({ user: other, password: 'pw', database }, 'CREATE TABLE public.o (id int)'),
        'allowed',
      );
      for (const grant of [member, onSchema, onDatabase]) {
        await asBefore(() => grants.revoke(grant));
        assert.equal((await grants.observe(grant))!.size, 0);
      }
    });

    test('drops a role to which another role passed a privilege on', async () => {
      const [giver, taker] = [`giver_${index}`, `taker_${index}`];
      for (const role of [giver, taker]) {
        await roles.create(role, { login: true }, { ownerId, password: 'pw' });
      }
      await grants.apply({ role: giver, on: { database }, privileges: ['CONNECT'], withGrantOption: true });
      await grants.apply({
        role: giver,
        on: { database, schema: 'public' },
        privileges: ['USAGE'],
        withGrantOption: true,
      });
      const giving = { user: giver, password: 'pw', database };
      await sql(`GRANT CONNECT ON DATABASE ${database} TO ${taker}`, giving);
      await sql(`GRANT USAGE ON SCHEMA public TO ${taker}`, giving);
      await roles.drop(taker, owned);
      assert.equal(await roles.observe(taker), undefined);
      assert.equal(
        (await grants.observe({ role: giver, on: { database } }))?.get('CONNECT')?.isGrantable,
        true,
      );
      await roles.drop(giver, owned);
    });

    test('drops a role that owns tables, then the database with its sessions, then the owner', async () => {
      await sql(`GRANT CONNECT ON DATABASE ${database} TO ${other}`); // the owner's to take back
      await roles.drop(other, owned);
      assert.deepEqual(await sql(`SELECT tableowner FROM pg_tables WHERE tablename = 'o'`, { database }), [
        { tableowner: tenant },
      ]);
      await assert.rejects(roles.drop(tenant, owned), { code: 'InUse', message: /it owns database/ });
      const session = await connect({ ...login, database });
      await assert.rejects(databases.drop(database, { ownerId, terminateSessions: false }), {
        code: 'InUse',
      });
      await databases.drop(database, { ownerId, terminateSessions: true });
      await assert.rejects(session.query('SELECT 1'), /terminat|not queryable/);
      assert.equal(await databases.observe(database), undefined);
      await roles.drop(tenant, owned);
      assert.equal(await roles.observe(tenant), undefined);
      assert.deepEqual(await memberships(admin), []);
    });

    test('a session of a superuser remains and is named, and the other sessions end', async () => {
      const shared = `shared_${index}`;
      await databases.create(shared, {}, owned);
      await roles.create(`guest_${index}`, { login: true }, { ownerId, password: 'pw' });
      await sql(`GRANT CONNECT ON DATABASE ${shared} TO guest_${index}`);
      const superuserSession = await connect({ database: shared });
      const { rows } = await superuserSession.query<{ pid: number }>(
        `SELECT pg_backend_pid() AS pid, set_config('application_name', 'a monitor', false)`,
      );
      const guestSession = await connect({ user: `guest_${index}`, password: 'pw', database: shared });
      await assert.rejects(databases.drop(shared, { ownerId, terminateSessions: true }), {
        code: 'InUse',
        errorClass: 'NotReady',
        message: `database "${shared}" has 1 open session that role "${admin}" may not end: ${rows[0]?.pid} of "postgres" ("a monitor"); run as a superuser: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${shared}'`,
      });
      await assert.rejects(guestSession.query('SELECT 1'), /terminat|not queryable/);
      await superuserSession.query('SELECT 1');
      const ended = new Promise((resolve) => superuserSession.once('end', resolve));
      await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${shared}'`);
      await ended;
      await databases.drop(shared, { ownerId, terminateSessions: true });
      await roles.drop(`guest_${index}`, owned);
    });

    test('an administrator that replaced another learns the statement', async () => {
      const heir = `heir_${index}`;
      await sql(`CREATE ROLE ${heir} LOGIN CREATEDB CREATEROLE PASSWORD 'x'`);
      await roles.create(`left_${index}`, { login: true }, { ownerId, password: 'pw' });
      await databases.create(`left_${index}`, { owner: `left_${index}` }, owned);
      const next = createPostgresqlServer({
        clock: realClock(),
        random: Math.random,
        credentials: { ...credentials, username: heir, password: 'x' },
      });
      const message = new RegExp(`run as a superuser: GRANT "left_${index}" TO "${heir}" WITH ADMIN OPTION$`);
      for (const call of [
        () => next.roles.setPassword(`left_${index}`, 'new', owned),
        () => next.roles.update(`left_${index}`, { login: true, connectionLimit: 3 }, owned),
        () => next.databases.update(`left_${index}`, { connectionLimit: 3 }, owned),
        () => next.databases.drop(`left_${index}`, { ownerId, terminateSessions: true }),
      ]) {
        await assert.rejects(call(), { code: '42501', message });
      }
      await sql(`GRANT left_${index} TO ${heir} WITH ADMIN OPTION`);
      await next.roles.setPassword(`left_${index}`, 'new', owned);
      await next.databases.drop(`left_${index}`, { ownerId, terminateSessions: true });
      await next.roles.drop(`left_${index}`, owned);
      await next.close();
    });

    test('an action without the right is a clear error', async () => {
      await sql(`CREATE ROLE stranger_${index}`);
      await assert.rejects(databases.create(`odd_${index}`, { owner: `stranger_${index}` }, owned), {
        name: 'PostgresqlError',
        code: '42501',
        isRetryable: false,
      });
      const unfinished = await sql(`SELECT datname FROM pg_database WHERE datname LIKE 'services-stack-%'`);
      assert.deepEqual(unfinished, []);
      await assert.rejects(roles.create(`root_${index}`, { superuser: true }, owned), { code: '42501' });
    });
  });
}
