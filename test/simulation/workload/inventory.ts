import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FavouriteDBInstanceClassKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../../apis/ocp/v1alpha1/provider.ts';
import { PostgreSQLDatabaseClassKind } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import * as postgresql from '../../../apis/postgresql/v1alpha1/provider.ts';
import { credentialsFile, exampleAccount } from '../../../emulators/aws/account.ts';
import { googleCredentials } from '../../fakes/in-process-google-cloud.ts';
import { cloudUrls } from '../world.ts';

/** Where administrators keep what teams must not read. */
export const adminNamespace = 'cloud-credentials';
export const teams = ['team-a', 'team-b'] as const;

/** An object of a kind; what it holds beside metadata is its own. */
export const objectOf = (
  kind: Kind,
  metadata: KubernetesObject['metadata'],
  rest: object = {},
): KubernetesObject => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest });

export const secret = (
  namespace: string,
  name: string,
  details: Readonly<Record<string, string>>,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  ...{ data: encodeDetails(details) },
});

/** The secrets that lead to external systems, by system. */
export const credentialsSecret = {
  favourite: { namespace: adminNamespace, name: 'favourite', key: 'credentials' },
  other: { namespace: adminNamespace, name: 'other', key: 'credentials' },
  postgresql: { namespace: adminNamespace, name: 'postgresql', key: 'endpoint' },
  aws: { namespace: adminNamespace, name: 'aws', key: 'credentials' },
  gcp: { namespace: adminNamespace, name: 'gcp', key: 'key.json' },
} as const;

/** The content of those Secrets while they are correct. */
export const credentials = {
  favourite: { credentials: JSON.stringify({ url: cloudUrls.favourite, token: 'favourite-token' }) },
  other: { credentials: JSON.stringify({ url: cloudUrls.other, token: 'other-token' }) },
  postgresql: {
    endpoint: 'postgresql.test',
    port: '5432',
    username: 'postgres',
    password: 'postgres-password',
  },
  aws: {
    credentials: credentialsFile(exampleAccount),
  },
  gcp: { 'key.json': googleCredentials },
} as const;

export type System = keyof typeof credentials;
/** The systems that stand in every simulated world. */
export const usualSystems = ['favourite', 'other', 'postgresql'] as const satisfies readonly System[];

const provider = (kind: Kind, name: string, system: System): KubernetesObject =>
  objectOf(kind, { name }, { spec: { credentialsSecretRef: credentialsSecret[system] } });

const providerConfig = (kind: Kind, name: string, system: System): KubernetesObject =>
  objectOf(
    kind,
    { name },
    { spec: { credentials: { source: 'Secret', secretRef: credentialsSecret[system] } } },
  );

const byDefault = { [annotationKeys.defaultClass]: 'true' };

/** A class; `specTemplate` beside where its secrets go. */
export const classOf = (
  kind: Kind,
  metadata: KubernetesObject['metadata'],
  specTemplate: object,
): KubernetesObject =>
  objectOf(kind, metadata, {
    specTemplate: { writeConnectionSecretsToNamespace: adminNamespace, ...specTemplate },
  });

const classes: readonly KubernetesObject[] = [
  classOf(
    FavouriteDBInstanceClassKind,
    { name: 'small', labels: { size: 'small' }, annotations: byDefault },
    { providerRef: { name: 'favourite' }, reclaimPolicy: 'Delete', forProvider: { fancinessLevel: 3 } },
  ),
  classOf(
    FavouriteDBInstanceClassKind,
    { name: 'large', labels: { size: 'large' } },
    { providerRef: { name: 'favourite' }, reclaimPolicy: 'Retain', forProvider: { fancinessLevel: 100 } },
  ),
  classOf(
    AmbivalentDBInstanceClassKind,
    { name: 'other-small', labels: { size: 'small' } },
    { reclaimPolicy: 'Delete', forProvider: { ambivalence: 5 } },
  ),
  classOf(
    PostgreSQLDatabaseClassKind,
    { name: 'small', labels: { size: 'small' }, annotations: byDefault },
    { forProvider: {} },
  ),
  classOf(
    PostgreSQLDatabaseClassKind,
    { name: 'large', labels: { size: 'large' } },
    { reclaimPolicy: 'Retain', forProvider: { onDelete: 'TerminateSessions', connectionLimit: 10 } },
  ),
];

/** The system that a kind's objects stand for. */
export function systemOf({ group }: Kind): System {
  if (group.includes('aws.')) return 'aws';
  if (group.includes('gcp.')) return 'gcp';
  if (group.includes('ocp')) return 'other';
  return group.startsWith('postgresql') ? 'postgresql' : 'favourite';
}

/** The objects that an administrator creates in the beginning. */
export const inventory: readonly KubernetesObject[] = [
  objectOf(NamespaceKind, { name: adminNamespace }),
  objectOf(NamespaceKind, { name: teams[0], labels: { stage: 'live' } }),
  objectOf(NamespaceKind, { name: teams[1], labels: { stage: 'test' } }),
  ...usualSystems.map((system) => {
    const { namespace, name } = credentialsSecret[system];
    return secret(namespace, name, credentials[system]);
  }),
  provider(fcp.ProviderKind, 'favourite', 'favourite'),
  providerConfig(fcp.ProviderConfigKind, 'default', 'favourite'),
  provider(ocp.ProviderKind, 'other', 'other'),
  providerConfig(ocp.ProviderConfigKind, 'default', 'other'),
  provider(postgresql.ProviderKind, 'server', 'postgresql'),
  providerConfig(postgresql.ProviderConfigKind, 'default', 'postgresql'),
  objectOf(StoreConfigKind, { name: 'default' }, { spec: { type: 'Kubernetes', defaultScope: 'stores' } }),
  ...classes,
];
