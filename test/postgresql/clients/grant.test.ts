import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GrantSpec } from '../../../clients/postgresql/grant-spec.ts';
import { grantDrift } from '../../../clients/postgresql/grant-spec.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const { server: serverOf, sql, refusal } = await postgresqlFixture({ settings: { autovacuum: 'off' } });
const server = serverOf();
const { databases, roles, grants } = server;
const owned = { ownerId };
const none = { missing: [], extra: [], overgranted: [] };
const reader = { user: 'reader', password: 'reader' };

before(async () => {
  for (const name of ['owner', 'reader', 'other', 'team']) {
    await roles.create(name, { login: true }, { ownerId, password: name });
  }
  await databases.create('ledger', { owner: 'owner' }, owned);
  await sql('CREATE SCHEMA "Books"; ALTER SCHEMA "Books" OWNER TO owner', { database: 'ledger' });
});
after(() => server.close());

const held = async (spec: GrantSpec): Promise<Record<string, boolean> | undefined> => {
  const observed = await grants.observe(spec);
  return observed && Object.fromEntries([...observed].map(([name, { isGrantable }]) => [name, isGrantable]));
};

const cases: Record<string, { readonly spec: GrantSpec; readonly want: Record<string, boolean> }> = {
  'privileges on a database': {
    spec: { role: 'reader', on: { database: 'ledger' }, privileges: ['CONNECT', 'temp'] },
    want: { CONNECT: false, TEMPORARY: false },
  },
  'all on a database, to be passed on': {
    spec: { role: 'reader', on: { database: 'ledger' }, privileges: ['ALL'], withGrantOption: true },
    want: { CONNECT: true, CREATE: true, TEMPORARY: true },
  },
  'privileges on a schema': {
    spec: { role: 'reader', on: { database: 'ledger', schema: 'Books' }, privileges: ['USAGE'] },
    want: { USAGE: false },
  },
  'privileges on schema public': {
    spec: { role: 'reader', on: { database: 'ledger', schema: 'public' }, privileges: ['CREATE', 'USAGE'] },
    want: { CREATE: false, USAGE: false },
  },
  membership: { spec: { role: 'reader', on: { memberOf: 'team' } }, want: { MEMBER: false } },
  'membership, to be passed on': {
    spec: { role: 'reader', on: { memberOf: 'team' }, withGrantOption: true },
    want: { MEMBER: true },
  },
  'membership of a role of the server': {
    spec: { role: 'reader', on: { memberOf: 'pg_monitor' } },
    want: { MEMBER: false },
  },
};
for (const [name, { spec, want }] of Object.entries(cases)) {
  test(`${name}: granted, unchanged by a second time, revoked`, async () => {
    assert.deepEqual(await held(spec), {});
    await grants.apply(spec);
    assert.deepEqual(await held(spec), want);
    assert.deepEqual(grantDrift((await grants.observe(spec))!, spec), none);
    await grants.apply(spec);
    assert.deepEqual(await held(spec), want);
    await grants.revoke(spec);
    assert.deepEqual(await held(spec), {});
    await grants.revoke(spec);
  });
}

test('a grant lets a role in, and revoking shuts it out', async () => {
  const spec = { role: 'reader', on: { database: 'ledger' }, privileges: ['CONNECT'] };
  assert.equal(await refusal({ ...reader, database: 'ledger' }), '42501');
  await grants.apply(spec);
  assert.equal(await refusal({ ...reader, database: 'ledger' }), 'allowed');
  await grants.revoke(spec);
  assert.equal(await refusal({ ...reader, database: 'ledger' }), '42501');
});

describe('drift', () => {
  const onDatabase = { role: 'reader', on: { database: 'ledger' }, privileges: ['CONNECT', 'TEMPORARY'] };
  const member = { role: 'reader', on: { memberOf: 'team' } };
  before(() => Promise.all([grants.apply(onDatabase), grants.apply(member)]));
  const drifts: Record<string, { readonly spec: GrantSpec; readonly break: string; readonly want: object }> =
    {
      'a privilege gone': {
        spec: onDatabase,
        break: 'REVOKE CONNECT ON DATABASE ledger FROM reader',
        want: { ...none, missing: ['CONNECT'] },
      },
      'a privilege too many': {
        spec: onDatabase,
        break: 'GRANT CREATE ON DATABASE ledger TO reader',
        want: { ...none, extra: ['CREATE'] },
      },
      'an option too many': {
        spec: onDatabase,
        break: 'GRANT CONNECT ON DATABASE ledger TO reader WITH GRANT OPTION',
        want: { ...none, overgranted: ['CONNECT'] },
      },
      'a membership gone': {
        spec: member,
        break: 'REVOKE team FROM reader',
        want: { ...none, missing: ['MEMBER'] },
      },
      'an admin option too many': {
        spec: member,
        break: 'GRANT team TO reader WITH ADMIN OPTION',
        want: { ...none, overgranted: ['MEMBER'] },
      },
    };
  for (const [name, row] of Object.entries(drifts)) {
    test(`${name} is noticed and repaired`, async () => {
      await sql(row.break);
      assert.deepEqual(grantDrift((await grants.observe(row.spec))!, row.spec), row.want);
      await grants.apply(row.spec);
      assert.deepEqual(grantDrift((await grants.observe(row.spec))!, row.spec), none);
    });
  }

  test('extra privileges remain with revokeExtra false', async () => {
    await sql('GRANT CREATE ON DATABASE ledger TO reader');
    await grants.apply(onDatabase, { revokeExtra: false });
    assert.deepEqual(await held(onDatabase), { CONNECT: false, CREATE: false, TEMPORARY: false });
    await grants.apply(onDatabase);
    assert.deepEqual(await held(onDatabase), { CONNECT: false, TEMPORARY: false });
  });
});

test('revoking takes back what was passed on', async () => {
  const spec = { role: 'reader', on: { database: 'ledger' }, privileges: ['CONNECT'], withGrantOption: true };
  await grants.apply(spec);
  await sql('GRANT CONNECT ON DATABASE ledger TO other', { ...reader, database: 'ledger' });
  assert.equal(await refusal({ user: 'other', password: 'other', database: 'ledger' }), 'allowed');
  await grants.revoke(spec);
  assert.equal(await refusal({ user: 'other', password: 'other', database: 'ledger' }), '42501');
});

test('a membership that another administrator gave is taken back too', async () => {
  await sql('GRANT team TO other WITH ADMIN OPTION');
  await sql('GRANT team TO reader', { user: 'other', password: 'other' });
  await grants.apply({ role: 'reader', on: { memberOf: 'team' } });
  await grants.revoke({ role: 'reader', on: { memberOf: 'team' } });
  assert.deepEqual(
    await sql(`SELECT 1 FROM pg_auth_members WHERE member = 'reader'::regrole AND roleid = 'team'::regrole`),
    [],
  );
});

test('the owner has everything, and loses nothing by a grant', async () => {
  const spec = { role: 'owner', on: { database: 'ledger' }, privileges: ['CONNECT'] };
  await grants.apply(spec);
  await grants.revoke(spec);
  assert.equal(
    await refusal({ user: 'owner', password: 'owner', database: 'ledger' }, 'CREATE SCHEMA still_mine'),
    'allowed',
  );
});

test('a missing role or target is undefined, rejects apply, and is no error for revoke', async () => {
  const missing: readonly GrantSpec[] = [
    { role: 'nobody', on: { database: 'ledger' }, privileges: ['CONNECT'] },
    { role: 'reader', on: { database: 'nowhere' }, privileges: ['CONNECT'] },
    { role: 'reader', on: { database: 'nowhere', schema: 'public' }, privileges: ['USAGE'] },
    { role: 'reader', on: { database: 'ledger', schema: 'nowhere' }, privileges: ['USAGE'] },
    { role: 'reader', on: { memberOf: 'nobody' } },
  ];
  for (const spec of missing) {
    assert.equal(await grants.observe(spec), undefined);
    await assert.rejects(grants.apply(spec), { code: 'NotFound', isRetryable: true });
    await grants.revoke(spec);
  }
});

const invalid: Record<string, GrantSpec> = {
  'a privilege of tables on a database': {
    role: 'reader',
    on: { database: 'ledger' },
    privileges: ['SELECT'],
  },
  'a privilege that is SQL': {
    role: 'reader',
    on: { database: 'ledger' },
    privileges: ['CONNECT ON DATABASE x TO y; --'],
  },
  'no privilege': { role: 'reader', on: { database: 'ledger' }, privileges: [] },
  everybody: { role: 'public', on: { database: 'ledger' }, privileges: ['CONNECT'] },
};
for (const [name, spec] of Object.entries(invalid)) {
  test(`${name} cannot be granted`, async () => {
    await assert.rejects(grants.apply(spec), { name: 'PostgresqlError', code: 'Invalid' });
  });
}

test('many grants on one database at once do not fail each other', async () => {
  const other = serverOf({ maxConnections: 4 });
  const names = Array.from({ length: 24 }, (_, index) => `crowd ${index}`);
  await Promise.all(names.map((name) => roles.create(name, {}, owned)));
  const specs = names.map((role) => ({ role, on: { database: 'ledger' }, privileges: ['CONNECT'] }));
  await Promise.all(specs.map((spec, index) => (index % 2 ? server : other).grants.apply(spec)));
  for (const spec of specs) assert.deepEqual(await held(spec), { CONNECT: false });
});
