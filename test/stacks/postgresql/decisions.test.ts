import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Credentials } from '../../../stacks/postgresql/client/credentials.ts';
import { connectionDetails } from '../../../stacks/postgresql/connection-details.ts';
import {
  databaseCredential,
  observationOf as databaseObservationOf,
} from '../../../stacks/postgresql/postgresql-database/desired-state.ts';
import { differingFields, grantSpec } from '../../../stacks/postgresql/postgresql-grant/desired-state.ts';
import { observationOf, roleCredential } from '../../../stacks/postgresql/postgresql-role/desired-state.ts';
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

const marked = { name: 'shop' };
const observedRole = {
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
const observedDatabase = {
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

describe('an observation names the fields of the spec that differ', () => {
  const held = new Map([['CONNECT', { isGrantable: false }]]);
  const onShop = { role: 'app', database: 'shop' };
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
        observedRole,
        false,
      ).differing,
      'login',
      'privileges.createDb',
      'connectionLimit',
      'configurationParameters',
    ));
  test('of a database, and no other differences', () =>
    differ(
      databaseObservationOf(database('shop', { owner: 'app', connectionLimit: 5, encoding: 'LATIN1' }), {
        database: observedDatabase,
        role: undefined,
        isLockedOut: false,
        serverVersion: 18,
      }).differing,
      'owner',
      'connectionLimit',
      'encoding',
    ));
  const differInGrant = (forProvider: Parameters<typeof grant>[1], field: string): void =>
    assert.deepEqual(differingFields(held, grantSpec(grant('g', { ...onShop, ...forProvider }))), [field]);
  test('of a grant, its privileges', () => differInGrant({ privileges: ['CREATE'] }, 'privileges'));
  test('of a grant, its option', () =>
    differInGrant({ privileges: ['CONNECT'], withGrantOption: true }, 'withGrantOption'));
});

test('a role is no member of itself', () =>
  assert.throws(() => grantSpec(grant('g', { role: 'app', memberOf: 'app' })), {
    message: 'role "app" cannot be a member of itself; change spec.forProvider.role or memberOf',
  }));

describe('a database is Ready only while its own role can connect', () => {
  const own = { ...observedDatabase, owner: 'shop' };
  const login = { ...observedRole, login: true };
  type Row = readonly [
    found: typeof own,
    role: typeof login,
    message?: string,
    forProvider?: Parameters<typeof database>[1],
  ];
  const table: Readonly<Record<string, Row>> = {
    'it can': [own, login],
    'a user set the limit of the database to 0': [
      { ...own, connectionLimit: 0 },
      login,
      'the database allows no connections: its connection limit is 0',
    ],
    'its spec has the limit 0': [
      { ...own, connectionLimit: 0 },
      login,
      'the database allows no connections: its connection limit is 0; change spec.forProvider.connectionLimit',
      { connectionLimit: 0 },
    ],
    'its spec allows no connections': [
      { ...own, allowConnections: false },
      login,
      'the database does not allow connections; change spec.forProvider.allowConnections',
      { allowConnections: false },
    ],
    'the limit of the role is 0': [
      own,
      { ...login, connectionLimit: 0 },
      'the role of the database may not connect: its connection limit is 0',
    ],
    'a user revoked the right of the owner': [
      { ...own, isOpenToOwner: false },
      login,
      'the role of the database has no right to connect to it',
    ],
    'a user gave the database to another role': [
      { ...own, owner: 'legacy', isOpenToPublic: false },
      login,
      'the role of the database has no right to connect to it',
    ],
  };
  for (const [name, [found, ownRole, message, forProvider = {}]] of Object.entries(table)) {
    test(name, () => {
      const { ready } = databaseObservationOf(database('shop', forProvider), {
        database: found,
        role: ownRole,
        isLockedOut: false,
        serverVersion: 18,
      });
      assert.deepEqual([ready?.status, ready?.message], [message === undefined ? 'True' : 'False', message]);
    });
  }
});
