import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { stackControllers } from '../../controllers/stack.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { googleCloudClient } from '../../stacks/gcp/client/google-cloud.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import * as gcp from '../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { createGcpStack } from '../../stacks/gcp/stack.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import * as postgresql from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { createPostgresqlStack } from '../../stacks/postgresql/stack.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessGoogleCloud } from '../fakes/in-process-google-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { FakeCluster, FakeProcess } from './environment-fake.ts';
import { secretOf } from './objects.ts';

const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind, RedisClusterKind] as const;
const managedKinds = [
  FavouriteDBInstanceKind,
  PostgreSQLDatabaseKind,
  CloudMemorystoreInstanceKind,
  TopicKind,
] as const;
const providerKinds = [fcp.ProviderConfigKind, postgresql.ProviderConfigKind, gcp.ProviderConfigKind];
const classKinds = [
  FavouriteDBInstanceClassKind,
  PostgreSQLDatabaseClassKind,
  CloudMemorystoreInstanceClassKind,
];
const kinds: readonly Kind[] = [SecretKind, ...providerKinds, ...classKinds, ...managedKinds, ...claimKinds];

/** Long enough for an operation of a cloud, and too short for two polls. */
const settledMs = 50_000;

/**
 * One external system for each type of credential: passwords that this product sets and a login cannot test (a cloud) or
 * can test (PostgreSQL), and a secret that the cloud issues (Memorystore). A topic has none.
 */
class Outside {
  readonly cloud;
  readonly google;
  readonly server;

  constructor({ clock }: FakeCluster) {
    this.cloud = inProcessCloud(clock, { provisioningMs: 0 });
    this.google = inProcessGoogleCloud(clock, { provisioningMs: 1_000 });
    this.server = createInProcessPostgresql(clock);
  }

  /** Everything that a restore must not change, passwords included. */
  state() {
    return {
      cloud: this.cloud.instances().map(({ item: { id, name, password } }) => ({ id, name, password })),
      google: this.google.instances.all().map(({ name, authString }) => ({ name, authString })),
      topics: this.google.topics.all().map(({ name }) => name),
      databases: this.server.databases().map(({ name, comment }) => ({ name, comment })),
      roles: this.server.roles().map(({ name, password }) => ({ name, password })),
    };
  }

  start(cluster: FakeCluster): FakeProcess {
    const { cloud, google, server } = this;
    const stacks = [
      createFcpStack({
        createClient: (given) => favouriteCloudClient({ ...given, dispatcher: cloud.dispatcher }),
      }),
      createPostgresqlStack({ createServer: server.clientsFor().createServer }),
      createGcpStack({
        createClient: (given) => googleCloudClient({ ...given, dispatcher: google.dispatcher }),
      }),
    ];
    const process = new FakeProcess(cluster, (env) => stackControllers(env, stacks));
    running.push(process);
    return process;
  }
}

const running: FakeProcess[] = [];
afterEach(() => {
  for (const process of running.splice(0)) process.stop();
});

function put(cluster: FakeCluster, kind: Kind, name: string, rest: object, namespace?: string): void {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  const apiVersion = `${kind.group}/${kind.version}`;
  cluster.put(kind, { apiVersion, kind: kind.kind, metadata, ...rest } as KubernetesObject);
}

const putSecret = (cluster: FakeCluster, name: string, details: Readonly<Record<string, string>>): void =>
  void cluster.put<Secret>(
    SecretKind,
    secretOf({ namespace: 'infra', name }, { data: encodeDetails(details) }),
  );

/** A cluster with a claim of each type of credential, all Bound; one password was rotated. */
async function original() {
  const cluster = new FakeCluster();
  const outside = new Outside(cluster);
  const { cloud, google, server } = outside;
  putSecret(cluster, 'cloud', { credentials: JSON.stringify({ url: cloud.url, token: cloud.token }) });
  putSecret(cluster, 'google', { credentials: google.credentials });
  putSecret(cluster, 'server', { ...server.credentials, port: String(server.port) });
  const from = (name: string, key = 'credentials') => ({
    credentials: { source: 'Secret', secretRef: { namespace: 'infra', name, key } },
  });
  put(cluster, fcp.ProviderConfigKind, 'default', { spec: from('cloud') });
  put(cluster, postgresql.ProviderConfigKind, 'default', { spec: from('server', 'endpoint') });
  put(cluster, gcp.ProviderConfigKind, 'default', { spec: { ...google.parameters, ...from('google') } });
  const templates = [
    { fancinessLevel: 3, version: '5.7' },
    {},
    { region: 'us-central1', tier: 'STANDARD_HA', memorySizeGb: 1, authEnabled: true },
  ];
  for (const [index, kind] of classKinds.entries()) {
    const specTemplate = { writeConnectionSecretsToNamespace: 'infra', forProvider: templates[index] };
    put(cluster, kind, 'small', { specTemplate });
    const { group, version, kind: named } = kind;
    const classRef = { apiVersion: `${group}/${version}`, kind: named, name: 'small' };
    const spec = { classRef, writeConnectionSecretToRef: { name: `conn-${index}` } };
    put(cluster, claimKinds[index] ?? assert.fail(), `claim-${index}`, { spec }, 'team');
  }
  put(cluster, TopicKind, 'orders', { spec: { forProvider: {} } });
  const process = await outside.start(cluster).settle(settledMs);
  const [database = assert.fail()] = cluster.all(PostgreSQLDatabaseKind);
  const forProvider = { ...database.spec.forProvider, passwordRotation: '2026-11' };
  cluster.put(PostgreSQLDatabaseKind, { ...database, spec: { ...database.spec, forProvider } });
  await process.settle(settledMs);
  process.stop();
  assert.deepEqual(claimsOf(cluster), ready);
  const backup = kinds.flatMap((kind) => cluster.all(kind).map((object) => ({ kind, object })));
  const before = { outside: outside.state(), passwords: passwordsIn(cluster) };
  return { outside, backup, before, copy: new FakeCluster(cluster.clock) };
}

type Backup = Awaited<ReturnType<typeof original>>['backup'];

const claimsOf = (cluster: FakeCluster): readonly string[] =>
  claimKinds
    .flatMap((kind): readonly Claim[] => cluster.all<Claim>(kind))
    .map(({ kind, status }) => {
      const { status: ready, reason } = getCondition(status?.conditions, 'Ready');
      return `${kind} ${status?.bindingPhase} ${ready}/${reason}`;
    });

/** The reasons of Ready of all claims, each once. */
const reasonsOf = (cluster: FakeCluster): readonly string[] => [
  ...new Set(claimsOf(cluster).map((claim) => claim.split('/')[1] ?? '')),
];

const passwordsIn = (cluster: FakeCluster) =>
  Object.fromEntries(
    cluster
      .all(SecretKind)
      .map((secret) => [secret.metadata.name, decodeDetails(secret).password])
      .toSorted(),
  );

/** Restores the objects of these kinds: all UIDs are new, and Secrets have no owners. */
function restore(cluster: FakeCluster, backup: Backup, of: readonly Kind[], hasStatus: boolean): void {
  for (const { kind, object } of backup.filter((each) => of.includes(each.kind))) {
    const { metadata, status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
    const { uid, resourceVersion: _v, generation: _g, ownerReferences: _o, ...restoredMetadata } = metadata;
    const restored = { ...rest, metadata: { ...restoredMetadata, uid: `restored-${uid}` } };
    cluster.put(kind, (hasStatus ? { ...restored, status } : restored) as KubernetesObject);
  }
}

const ready = ['FancySQLInstance', 'PostgreSQLInstance', 'RedisCluster'].map(
  (kind) => `${kind} Bound True/Available`,
);

/** The parts of a backup that come last, and the reason of all claims until then. */
const parts: Readonly<Record<string, { readonly last: readonly Kind[]; readonly reason?: string }>> = {
  nothing: { last: [] },
  claims: { last: claimKinds },
  'managed resources': { last: managedKinds, reason: 'ResourceNotFound' },
  providers: { last: providerKinds, reason: 'DependencyNotFound' },
  Secrets: { last: [SecretKind], reason: 'CannotReadCredentials' },
};

describe('a restored backup changes nothing in external systems, and each claim has its password again', () => {
  for (const [what, { last, reason }] of Object.entries(parts)) {
    for (const hasStatus of [false, true]) {
      test(`${hasStatus ? 'with' : 'without'} statuses; late: ${what}`, async () => {
        const { copy, outside, backup, before } = await original();
        const first = kinds.filter((kind) => !last.includes(kind));
        restore(copy, backup, first, hasStatus);
        const process = await outside.start(copy).settle(300_000);
        assert.deepEqual(reasonsOf(copy), last.includes(FancySQLInstanceKind) ? [] : [reason ?? 'Available']);
        assert.deepEqual(outside.state(), before.outside);
        restore(copy, backup, last, hasStatus);
        await process.settle(180_000);
        assert.deepEqual(claimsOf(copy), ready);
        assert.deepEqual(passwordsIn(copy), before.passwords);
        assert.deepEqual(outside.state(), before.outside);
      });
    }
  }
});
