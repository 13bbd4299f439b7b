import type { FancySQLInstance } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceClassKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import type { FavouriteCloud, FavouriteCloudOptions } from '../../emulators/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import type { Cluster, ClusterOptions } from './stack-harness.ts';
import { eventually, startCluster } from './stack-harness.ts';

/** A cluster with both clouds, their credentials, a default class of one and a class of the other. */
export interface FancySQLFixture {
  readonly cluster: Cluster;
  readonly favourite: FavouriteCloud;
  readonly other: FavouriteCloud;
  claim(namespace: string, name: string, spec: FancySQLInstance['spec']): Promise<FancySQLInstance>;
  favouriteClass(
    name: string,
    given?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly isDefault?: boolean;
      readonly template?: Partial<FavouriteDBInstanceClass['specTemplate']>;
    },
  ): Promise<FavouriteDBInstanceClass>;
  ambivalentClass(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  managed(name: string, spec?: Partial<FavouriteDBInstance['spec']>): Promise<FavouriteDBInstance>;
  getClaim(namespace: string, name: string): Promise<FancySQLInstance | undefined>;
  /** Waits until a claim is Bound and Ready, and answers with it. */
  bound(namespace: string, name: string, timeoutMs?: number): Promise<FancySQLInstance>;
  /** Waits until the Ready condition of a claim has this reason, and answers with its message. */
  readyReason(namespace: string, name: string, reason: string): Promise<string>;
  stop(): Promise<void>;
}

export const credentialsNamespace = 'cloud-credentials';
export const namespaces = ['team-a', 'team-b'] as const;

/** A class reference as a claim holds it. */
export const favouriteClassRef = (name: string) => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name,
});

/** A managed resource reference as a claim holds it. */
export const favouriteRef = (name: string) => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name,
});

export async function startFancySQL(
  clouds: Pick<FavouriteCloudOptions, 'provisioningMs' | 'failRate' | 'deletionMs' | 'readDelayMs'> = {},
  options: Omit<ClusterOptions, 'withDefinitions'> = {},
): Promise<FancySQLFixture> {
  const favourite = await startFavouriteCloud({ ...clouds, flavour: 'favourite' });
  const other = await startFavouriteCloud({ ...clouds, flavour: 'other' });
  const cluster = await startCluster(options);
  const { client } = cluster;
  const secret = ({ url, token }: FavouriteCloud, name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: credentialsNamespace, name },
    stringData: { credentials: JSON.stringify({ url, token }) },
  });
  const reference = (name: string) => ({ namespace: credentialsNamespace, name, key: 'credentials' });
  const objects = [
    ...[credentialsNamespace, ...namespaces].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
    secret(favourite, 'favourite'),
    secret(other, 'other'),
    {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'Provider',
      metadata: { name: 'favourite' },
      spec: { credentialsSecretRef: reference('favourite') },
    },
    {
      apiVersion: 'ocp.crossplane.io/v1alpha1',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef: reference('other') } },
    },
  ];
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(list));

  const fixture: FancySQLFixture = {
    cluster,
    favourite,
    other,
    claim: (namespace, name, spec) =>
      client.create(FancySQLInstanceKind, {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'FancySQLInstance',
        metadata: { namespace, name },
        spec,
      }),
    favouriteClass: (name, { labels = {}, isDefault = false, template = {} } = {}) =>
      client.create(FavouriteDBInstanceClassKind, {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstanceClass',
        metadata: {
          name,
          labels,
          annotations: isDefault ? { 'resourceclass.crossplane.io/is-default-class': 'true' } : {},
        },
        specTemplate: {
          writeConnectionSecretsToNamespace: credentialsNamespace,
          providerRef: { name: 'favourite' },
          forProvider: { fancinessLevel: 3 },
          ...template,
        },
      }),
    async ambivalentClass(name, labels = {}) {
      await client.create(AmbivalentDBInstanceClassKind, {
        apiVersion: 'database.ocp.crossplane.io/v1alpha1',
        kind: 'AmbivalentDBInstanceClass',
        metadata: { name, labels },
        specTemplate: {
          writeConnectionSecretsToNamespace: credentialsNamespace,
          forProvider: { ambivalence: 5 },
        },
      });
    },
    managed: (name, spec = {}) =>
      client.create(FavouriteDBInstanceKind, {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        metadata: { name },
        spec: {
          providerRef: { name: 'favourite' },
          writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
          forProvider: { fancinessLevel: 42 },
          ...spec,
        },
      }),
    getClaim: (namespace, name) => cluster.find(FancySQLInstanceKind, { namespace, name }),
    bound: (namespace, name, timeoutMs) =>
      eventually(
        `claim ${namespace}/${name} is Bound and Ready`,
        async () => {
          const claim = await fixture.getClaim(namespace, name);
          const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
          if (claim?.status?.bindingPhase === 'Bound' && ready?.status === 'True') return claim;
          throw new Error(JSON.stringify(claim?.status ?? 'no status'));
        },
        timeoutMs,
      ),
    readyReason: (namespace, name, reason) =>
      eventually(`claim ${namespace}/${name} is ${reason}`, async () => {
        const claim = await fixture.getClaim(namespace, name);
        const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready?.reason === reason) return ready.message ?? '';
        throw new Error(JSON.stringify(claim?.status ?? 'no status'));
      }),
    async stop() {
      await cluster.stop();
      await Promise.all([favourite.stop(), other.stop()]);
    },
  };
  return fixture;
}
