import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { PostgreSQLDatabaseClass } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { connectionDetails } from '../../../controllers/postgresql/connection-details.ts';
import { createPasswordChecks } from '../../../controllers/postgresql/password-checks.ts';
import {
  configurePostgreSQLDatabase,
  misfitOfPostgreSQLDatabase,
} from '../../../controllers/postgresql/postgresql-database/configure.ts';
import { testClock } from '../../../testing/test-clock.ts';

const claimOf = (spec: PostgreSQLInstance['spec']): PostgreSQLInstance => ({
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'PostgreSQLInstance',
  metadata: { namespace: 'team', name: 'orders' },
  spec,
});

const classOf = (
  forProvider: PostgreSQLDatabaseClass['specTemplate']['forProvider'],
): PostgreSQLDatabaseClass => ({
  apiVersion: 'postgresql.crossplane.io/v1alpha1',
  kind: 'PostgreSQLDatabaseClass',
  metadata: { name: 'small' },
  specTemplate: { writeConnectionSecretsToNamespace: 'secrets', forProvider },
});

describe('engineVersion of claim and class', () => {
  const cases: Record<string, { claim?: string; class?: string; want: string | undefined }> = {
    'neither says one: any will do': { want: undefined },
    'the class leaves it open: the claim says': { claim: '18', want: '18' },
    'the claim leaves it open: the class says': { class: '18', want: '18' },
    'both say the same': { claim: '18', class: '18', want: '18' },
    'the same major version': { claim: '18.1', class: '18', want: '18' },
  };
  for (const [name, { claim, class: given, want }] of Object.entries(cases)) {
    test(name, () => {
      const asking = claimOf(claim === undefined ? {} : { engineVersion: claim });
      const offered = { connectionLimit: 5, ...(given === undefined ? {} : { engineVersion: given }) };
      assert.equal(misfitOfPostgreSQLDatabase(asking, offered), undefined);
      const { forProvider } = configurePostgreSQLDatabase(asking, classOf(offered));
      assert.deepEqual(forProvider, {
        connectionLimit: 5,
        ...(want === undefined ? {} : { engineVersion: want }),
      });
    });
  }
  test('they contradict each other: refused with both', () =>
    assert.equal(
      misfitOfPostgreSQLDatabase(claimOf({ engineVersion: '14' }), { engineVersion: '18' }),
      'has engineVersion "18", but the claim\'s spec.engineVersion is "14"',
    ));
});

describe('connection details say how to use TLS as the administrator does', () => {
  const at = (endpoint: string) => ({ endpoint, port: 5432, username: 'admin', password: 'secret' });
  const access = { username: 'app', password: 'p@ss', database: 'shop' };
  const cases = {
    'on this machine: nothing is said': {
      credentials: at('127.0.0.1'),
      sslmode: undefined,
      uri: 'postgresql://app:p%40ss@127.0.0.1:5432/shop',
    },
    'elsewhere: required': {
      credentials: at('db.example'),
      sslmode: 'require',
      uri: 'postgresql://app:p%40ss@db.example:5432/shop?sslmode=require',
    },
    'with a CA: verified': {
      credentials: { ...at('db.example'), clusterCA: 'PEM' },
      sslmode: 'verify-full',
      uri: 'postgresql://app:p%40ss@db.example:5432/shop?sslmode=verify-full',
    },
    'as said': {
      credentials: { ...at('db.example'), sslmode: 'disable' as const },
      sslmode: 'disable',
      uri: 'postgresql://app:p%40ss@db.example:5432/shop?sslmode=disable',
    },
  };
  for (const [name, { credentials, sslmode, uri }] of Object.entries(cases)) {
    test(name, () => {
      const details = connectionDetails(credentials, access);
      assert.equal(details.sslmode, sslmode);
      assert.equal(details.uri, uri);
      assert.equal(details.clusterCA, 'clusterCA' in credentials ? 'PEM' : undefined);
      assert.ok(!Object.values(details).includes('secret'), 'the administrator’s password stays out');
    });
  }
  test('without a password there is no URI', () =>
    assert.equal(
      connectionDetails(at('127.0.0.1'), { username: 'app', password: undefined }).uri,
      undefined,
    ));
});

describe('a published password is tried', () => {
  const periodMs = 1000;
  const checksAt = () => {
    const clock = testClock();
    let tries = 0;
    const checks = createPasswordChecks({ clock, random: () => 0.5, periodMs });
    const isWrong = (password: string, works: boolean, isSaidToWork = true) =>
      checks.isWrong('a', password, {
        isSaidToWork,
        tryPassword: async () => {
          tries++;
          return works;
        },
      });
    return { clock, checks, isWrong, tries: () => tries };
  };

  test('after a restart, not at once but within a period', async () => {
    const { clock, isWrong, tries } = checksAt();
    assert.equal(await isWrong('old', false), false);
    assert.equal(tries(), 0);
    clock.stall(periodMs / 2);
    assert.equal(await isWrong('old', false), true);
    assert.equal(tries(), 1);
  });
  test('at once after a restart too, unless its owner is said to work', async () => {
    const { clock, isWrong, tries } = checksAt();
    assert.equal(await isWrong('restored', false, false), true);
    assert.equal(await isWrong('restored', false, false), true);
    assert.equal(tries(), 1);
    clock.stall(periodMs);
    assert.equal(await isWrong('restored', true, true), false);
    assert.equal(tries(), 2);
  });
  test('once per period, and the answer holds meanwhile', async () => {
    const { clock, checks, isWrong, tries } = checksAt();
    checks.passed('a', 'new');
    assert.equal(await isWrong('new', false), false);
    clock.stall(periodMs);
    assert.equal(await isWrong('new', false), true);
    assert.equal(await isWrong('new', true), true);
    assert.equal(tries(), 1);
    clock.stall(periodMs);
    assert.equal(await isWrong('new', true), false);
    assert.equal(tries(), 2);
  });
  test('at once when it is another than before', async () => {
    const { checks, isWrong, tries } = checksAt();
    checks.passed('a', 'new');
    assert.equal(await isWrong('edited', false), true);
    assert.equal(tries(), 1);
  });
  test('not when it could not be tried: the next look tries again', async () => {
    const { checks, isWrong, tries } = checksAt();
    checks.passed('a', 'new');
    await assert.rejects(
      checks.isWrong('a', 'edited', {
        isSaidToWork: true,
        tryPassword: () => Promise.reject(new Error('unreachable')),
      }),
      /^Error: unreachable$/,
    );
    assert.equal(await isWrong('edited', false), true);
    assert.equal(tries(), 1);
  });
});
