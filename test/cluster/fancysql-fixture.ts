import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { FancySQLInstance } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderKind as fcp } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind as ocp } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import type { FavouriteCloud, FavouriteCloudOptions } from '../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
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
  bound(namespace: string, name: string): Promise<FancySQLInstance>;
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
  const secret = ({ url, token }: FavouriteCloud, name: string) =>
    cluster.create(
      SecretKind,
      { namespace: credentialsNamespace, name },
      { stringData: { credentials: JSON.stringify({ url, token }) } },
    );
  const reference = (name: string) => ({ namespace: credentialsNamespace, name, key: 'credentials' });
  const credentialsOfOther = { source: 'Secret', secretRef: reference('other') };
  await Promise.all(
    [credentialsNamespace, ...namespaces].map((name) => cluster.create(NamespaceKind, { name })),
  );
  await Promise.all([
    secret(favourite, 'favourite'),
    secret(other, 'other'),
    cluster.create(fcp, { name: 'favourite' }, { spec: { credentialsSecretRef: reference('favourite') } }),
    cluster.create(ocp, { name: 'default' }, { spec: { credentials: credentialsOfOther } }),
  ]);

  const fixture: FancySQLFixture = {
    cluster,
    favourite,
    other,
    claim: (namespace, name, spec) => cluster.create(FancySQLInstanceKind, { namespace, name }, { spec }),
    favouriteClass(name, { labels = {}, isDefault = false, template = {} } = {}) {
      const specTemplate = {
        writeConnectionSecretsToNamespace: credentialsNamespace,
        providerRef: { name: 'favourite' },
        forProvider: { fancinessLevel: 3 },
        ...template,
      };
      const annotations = isDefault ? { [annotationKeys.defaultClass]: 'true' } : {};
      return cluster.create(FavouriteDBInstanceClassKind, { name, labels, annotations }, { specTemplate });
    },
    async ambivalentClass(name, labels = {}) {
      const namespace = { writeConnectionSecretsToNamespace: credentialsNamespace };
      const specTemplate = { ...namespace, forProvider: { ambivalence: 5 } };
      await cluster.create(AmbivalentDBInstanceClassKind, { name, labels }, { specTemplate });
    },
    managed(name, given = {}) {
      const spec = {
        providerRef: { name: 'favourite' },
        writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
        forProvider: { fancinessLevel: 42 },
        ...given,
      };
      return cluster.create(FavouriteDBInstanceKind, { name }, { spec });
    },
    getClaim: (namespace, name) => cluster.find(FancySQLInstanceKind, { namespace, name }),
    bound: (namespace, name) =>
      eventually(`claim ${namespace}/${name} is Bound and Ready`, async () => {
        const claim = await fixture.getClaim(namespace, name);
        const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
        if (claim?.status?.bindingPhase === 'Bound' && ready?.status === 'True') return claim;
        throw new Error(JSON.stringify(claim?.status ?? 'no status'));
      }),
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
