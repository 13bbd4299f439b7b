import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCondition } from '../../../../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../../../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../../../apis/database/v1alpha1/postgresql-instance.ts';
import { stackControllers } from '../../../../../controllers/stack.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { createPostgresqlStack } from '../../../../../stacks/postgresql/stack.ts';
import { FakeCluster, FakeProcess } from '../../../../controllers/environment-fake.ts';
import { postgresqlFixture } from '../clients/fixture.ts';
import { loginOf } from './fixture.ts';

const { server: serverOf, sql, refusal, credentials } = await postgresqlFixture();
const apiVersion = 'postgresql.crossplane.io/v1alpha1';

function start(cluster: FakeCluster, isObserveOnly: boolean): FakeProcess {
  const stack = createPostgresqlStack({
    createServer: (given) => serverOf({ ...given, connectionWaitMs: 100 }),
  });
  return new FakeProcess(cluster, (env) => stackControllers(env, [stack]), {
    isExternalReal: true,
    isObserveOnly,
  });
}

function putProvider(cluster: FakeCluster): void {
  cluster.put<Secret>(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'infra', name: 'server' },
    data: encodeDetails({ ...credentials, port: String(credentials.port) }),
  });
  cluster.put(ProviderConfigKind, {
    apiVersion,
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: {
      credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'server', key: 'endpoint' } },
    },
  });
}

const putClaim = (cluster: FakeCluster, name: string): void =>
  void cluster.put(PostgreSQLInstanceKind, {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'PostgreSQLInstance',
    metadata: { namespace: 'team', name },
    spec: {
      classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name: 'small' },
      writeConnectionSecretToRef: { name },
    },
  });

/** Everything of the server that a process could change: databases, roles with their passwords, comments, privileges. */
const state = async () => ({
  databases: await sql(
    "SELECT datname, datacl::text, datdba, shobj_description(oid, 'pg_database') FROM pg_database ORDER BY 1",
  ),
  roles: await sql(
    "SELECT rolname, rolpassword, rolcanlogin, shobj_description(oid, 'pg_authid') FROM pg_authid ORDER BY 1",
  ),
  members: await sql('SELECT roleid, member FROM pg_auth_members ORDER BY 1, 2'),
});

const kinds: readonly Kind[] = [
  SecretKind,
  ProviderConfigKind,
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
  PostgreSQLInstanceKind,
];

/** As a backup tool restores them into another cluster. */
function restoreAll(from: FakeCluster, to: FakeCluster): void {
  for (const kind of kinds) {
    for (const object of from.all(kind)) {
      const { metadata, status: _s, ...rest } = object as KubernetesObject & { readonly status?: unknown };
      const { uid, resourceVersion: _v, ownerReferences: _o, ...restoredMetadata } = metadata;
      to.put(kind, { ...rest, metadata: { ...restoredMetadata, uid: `restored-${uid}` } });
    }
  }
}

const readyOf = (cluster: FakeCluster, name: string): string => {
  const status = cluster.get(PostgreSQLInstanceKind, { namespace: 'team', name })?.status;
  const { status: ready, reason } = getCondition(status?.conditions, 'Ready');
  return `${status?.bindingPhase} ${ready}/${reason}`;
};

test('a rehearsal in a second cluster changes no database, role or password of the first, and shows what would change', async () => {
  const first = new FakeCluster();
  putProvider(first);
  first.put(PostgreSQLDatabaseClassKind, {
    apiVersion,
    kind: 'PostgreSQLDatabaseClass',
    metadata: { name: 'small' },
    specTemplate: { writeConnectionSecretsToNamespace: 'infra', forProvider: {} },
  });
  for (const name of ['orders', 'rotated', 'dropped']) putClaim(first, name);
  const living = await start(first, false).settle();
  living.stop();
  const second = new FakeCluster();
  restoreAll(first, second);

  // After the backup, one password is rotated and one database is dropped.
  for (const object of first.all(PostgreSQLDatabaseKind)) {
    if (object.spec.claimRef?.name !== 'rotated') continue;
    const forProvider = { ...object.spec.forProvider, passwordRotation: 'later' };
    first.put(PostgreSQLDatabaseKind, { ...object, spec: { ...object.spec, forProvider } });
  }
  first.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'dropped' });
  const again = await start(first, false).settle();
  again.stop();
  // A process repairs this right, and a rehearsal must not.
  await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
  putClaim(second, 'new');
  const before = await state();

  const rehearsal = await start(second, true).settle(60_000);
  assert.deepEqual(await state(), before);
  assert.deepEqual(
    ['orders', 'rotated', 'dropped', 'new'].map((name) => [name, readyOf(second, name)]),
    [
      ['orders', 'Bound True/Available'],
      ['rotated', 'Unbound False/ObserveOnly'],
      ['dropped', 'Unbound False/ObserveOnly'],
      ['new', 'Unbound False/ObserveOnly'],
    ],
  );
  const secret = first.get(SecretKind, { namespace: 'team', name: 'rotated' });
  assert.equal(await refusal(loginOf(decodeDetails(secret))), 'allowed');

  for (const name of ['orders', 'rotated']) {
    second.delete(PostgreSQLInstanceKind, { namespace: 'team', name });
  }
  await rehearsal.settle(60_000);
  rehearsal.stop();
  assert.deepEqual(await state(), before);
});
