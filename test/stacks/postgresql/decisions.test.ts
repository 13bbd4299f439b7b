import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Credentials } from '../../../stacks/postgresql/client/credentials.ts';
import { connectionDetails } from '../../../stacks/postgresql/connection-details.ts';
import { createPasswordChecks } from '../../../stacks/postgresql/password-checks.ts';
import {
  databaseCredential,
  observationOf as databaseObservationOf,
} from '../../../stacks/postgresql/postgresql-database/desired-state.ts';
import { differingFields, grantSpec } from '../../../stacks/postgresql/postgresql-grant/desired-state.ts';
import { observationOf, roleCredential } from '../../../stacks/postgresql/postgresql-role/desired-state.ts';
import { isLockedOut } from '../../../stacks/postgresql/role-password.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { database, grant, role } from './passes.ts';

describe('connection details say how to use TLS as the administrator does', () => {
  const at = (endpoint: string) => ({ endpoint, port: 5432, username: 'admin', password: 'secret' });
  const access = { username: 'app', password: 'p@ss', database: 'shop' };
  function say(credentials: Credentials, sslmode: string | undefined, uri: string): void {
    const details = connectionDetails(credentials, access);
    assert.deepEqual([details.sslmode, details.uri], [sslmode, uri]);
    assert.equal(details.clusterCA, 'clusterCA' in credentials ? 'PEM' : undefined);
    assert.ok(!Object.values(details).includes('secret'), 'the administrator’s password stays out');
  }
  test('on this machine: nothing is said', () =>
    say(at('127.0.0.1'), undefined, 'postgresql://app:p%40ss@127.0.0.1:5432/shop'));
  test('elsewhere: required', () =>
    say(at('db.example'), 'require', 'postgresql://app:p%40ss@db.example:5432/shop?sslmode=require'));
  test('with a CA: verified', () =>
    say(
      { ...at('db.example'), clusterCA: 'PEM' },
      'verify-full',
      'postgresql://app:p%40ss@db.example:5432/shop?sslmode=verify-full',
    ));
  test('as said', () =>
    say(
      { ...at('db.example'), sslmode: 'disable' },
      'disable',
      'postgresql://app:p%40ss@db.example:5432/shop?sslmode=disable',
    ));
  test('without a password there is no URI', () =>
    assert.equal(
      connectionDetails(at('127.0.0.1'), { username: 'app', password: undefined }).uri,
      undefined,
    ));
});

describe('a password is tested', () => {
  const periodMs = 1000;
  /** A server that takes some passwords; `undefined`: any. */
  const checksAt = () => {
    const clock = testClock();
    const tested: string[] = [];
    const checks = createPasswordChecks({ clock, random: () => 0.5, periodMs });
    const verdictOn = (value: string, isApplied: boolean, works?: readonly string[]) =>
      checks.verdictOn('a', { value, isApplied }, async (password) => {
        tested.push(password);
        return works === undefined || works.includes(password);
      });
    return { clock, checks, verdictOn, tested };
  };

  const rows = {
    'at once where it is not applied: it works, and another does not': {
      works: ['secret'],
      want: 'inForce',
      tested: ['secret', 'not secret'],
    },
    'and is wrong where it does not work': { works: [], want: 'wrong', tested: ['secret'] },
    'and nothing is known where the server takes any': {
      works: undefined,
      want: undefined,
      tested: ['secret', 'not secret'],
    },
  };
  for (const [name, { works, want, tested: all }] of Object.entries(rows)) {
    test(name, async () => {
      const { verdictOn, tested } = checksAt();
      assert.equal(await verdictOn('secret', false, works), want);
      assert.equal(await verdictOn('secret', false, works), want);
      assert.deepEqual(tested, all, 'once');
    });
  }

  test('not at once after a restart where it is applied, but within a period', async () => {
    const { clock, verdictOn, tested } = checksAt();
    assert.equal(await verdictOn('secret', true, []), undefined);
    assert.deepEqual(tested, []);
    clock.stall(periodMs / 2);
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
  test('a login is checked once per period, and the result holds until the next', async () => {
    const { clock, checks, verdictOn, tested } = checksAt();
    checks.wasSet('a', 'secret');
    assert.equal(await verdictOn('secret', true, []), 'inForce');
    clock.stall(periodMs);
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.equal(await verdictOn('secret', true, ['secret']), 'wrong');
    assert.deepEqual(tested, ['secret']);
    clock.stall(periodMs);
    assert.equal(await verdictOn('secret', true, ['secret']), 'inForce');
    assert.deepEqual(tested, ['secret', 'secret']);
  });
  test('at once where the role was not that of the resource, also if it is applied', async () => {
    const { checks, verdictOn, tested } = checksAt();
    checks.wasSet('a', 'secret');
    checks.doubt('a');
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
  test('no more once it was set', async () => {
    const { checks, verdictOn, tested } = checksAt();
    assert.equal(await verdictOn('secret', false, []), 'wrong');
    checks.wasSet('a', 'secret');
    assert.equal(await verdictOn('secret', true, []), 'inForce');
    assert.deepEqual(tested, ['secret']);
  });
  test('again when it could not be tested', async () => {
    const { checks, verdictOn, tested } = checksAt();
    await assert.rejects(
      checks.verdictOn('a', { value: 'secret', isApplied: false }, () =>
        Promise.reject(new Error('unreachable')),
      ),
      /^Error: unreachable$/,
    );
    assert.equal(await verdictOn('secret', false, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
});

describe('a password that worked works no more', () => {
  const rows = [
    { credential: { value: 'p', isApplied: true }, verdict: 'wrong', want: true },
    { credential: { value: 'p', isApplied: true }, verdict: 'inForce', want: false },
    { credential: { value: 'p', isApplied: true }, verdict: undefined, want: false },
    // The former one may work.
    { credential: { value: 'p', isApplied: false }, verdict: 'wrong', want: false },
    { credential: undefined, verdict: undefined, want: false },
  ] as const;
  for (const { credential, verdict, want } of rows) {
    test(`${want}: applied ${credential?.isApplied}, ${verdict}`, () =>
      assert.equal(isLockedOut(credential, verdict), want));
  }
});

describe('a password is generated', () => {
  const rotation = { passwordRotation: '2' };
  const is = (
    credential: typeof databaseCredential | typeof roleCredential,
    managed: Managed,
    want: boolean,
  ): void => assert.equal(credential.isWanted?.(managed as never), want);
  test('for a database that has an owner role of its own', () =>
    is(databaseCredential, database('shop'), true));
  test('not for one whose owner is named', () =>
    is(databaseCredential, database('shop', { owner: 'clerk' }), false));
  test('not for one whose owner is chosen', () =>
    is(databaseCredential, database('shop', { ownerSelector: { matchLabels: { a: 'b' } } }), false));
  test('for a role that may log in', () => is(roleCredential, role('app'), true));
  test('not for one that may not', () => is(roleCredential, role('app', {}), false));
  test('not for one that may log in when it is created', () =>
    is(roleCredential, role('app', {}, { spec: { initProvider: { login: true } } }), false));

  test('again with each other passwordRotation of forProvider', () => {
    assert.equal(databaseCredential.rotationOf?.(database('shop', rotation)), '2');
    assert.equal(roleCredential.rotationOf?.(role('app', rotation)), '2');
    const atCreation = roleCredential.rotationOf?.(role('app', {}, { spec: { initProvider: rotation } }));
    assert.equal(atCreation, undefined);
  });
});

describe('an observation names the fields of the spec that differ', () => {
  const marked = { name: 'there' };
  const someRole = {
    login: true,
    createDb: false,
    createRole: false,
    inherit: true,
    replication: false,
    bypassRls: false,
    superuser: true,
    connectionLimit: -1,
    configuration: {},
    ...marked,
  };
  const someDatabase = {
    owner: 'clerk',
    encoding: 'UTF8',
    lcCollate: 'C',
    lcCType: 'C',
    localeProvider: 'libc' as const,
    connectionLimit: -1,
    ...marked,
    allowConnections: true,
    isTemplate: false,
    isOpenToPublic: true,
    isOpenToAdmin: true,
    isOpenToOwner: true,
    isInvalid: false,
  };
  const held = new Map([['CONNECT', { isGrantable: false }]]);
  const onShop = { role: 'app', database: 'shop' };
  const granted = { ...grant('g', { ...onShop, privileges: ['CONNECT'] }), status: { granted: onShop } };
  const differ = (got: readonly string[] | undefined, ...want: readonly string[]): void => {
    const fields = want.map((field) => `spec.forProvider.${field}`);
    assert.deepEqual(got, fields);
  };
  test('of a role', () =>
    differ(
      observationOf(
        role('app', {
          login: false,
          connectionLimit: 5,
          privileges: { createDb: true },
          configurationParameters: [{ name: 'work_mem', value: '8MB' }],
        }),
        { role: someRole, isLockedOut: false },
      ).differing,
      'login',
      'privileges.createDb',
      'connectionLimit',
      'configurationParameters',
    ));
  test('of a database, and no other differences', () =>
    differ(
      databaseObservationOf(database('shop', { owner: 'app', connectionLimit: 5, encoding: 'LATIN1' }), {
        database: someDatabase,
        role: undefined,
        isLockedOut: false,
        serverVersion: 18,
      }).differing,
      'owner',
      'connectionLimit',
      'encoding',
    ));
  test('of a grant, its privileges', () =>
    differ(differingFields(grant('g', { ...onShop, privileges: ['CREATE'] }), held), 'privileges'));
  test('of a grant, its option', () =>
    differ(
      differingFields(grant('g', { ...onShop, privileges: ['CONNECT'], withGrantOption: true }), held),
      'withGrantOption',
    ));
  test('of a grant, its place', () =>
    differ(
      differingFields(
        {
          ...granted,
          spec: { ...granted.spec, forProvider: { ...granted.spec.forProvider, role: 'other' } },
        },
        held,
      ),
      'role',
    ));
});

test('a role is no member of itself', () =>
  assert.throws(() => grantSpec(grant('g', { role: 'app', memberOf: 'app' })), {
    message: 'role "app" cannot be a member of itself; change spec.forProvider.role or memberOf',
  }));
