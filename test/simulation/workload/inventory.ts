import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { credentialsFile, exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import { FavouriteDBInstanceClassKind as Favourite } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind as Ambivalent } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { PostgreSQLDatabaseClassKind as Database } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import * as postgresql from '../../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { googleCredentials } from '../../fakes/in-process-google-cloud.ts';
import { objectOf } from '../../fakes/object-of.ts';
import { cloudUrls } from '../world.ts';

/** Where administrators keep what teams must not read. */
export const adminNamespace = 'cloud-credentials';
export const teams = ['team-a', 'team-b'] as const;

export const secret = (namespace: string, name: string, details: ConnectionDetails): KubernetesObject =>
  objectOf(SecretKind, { namespace, name }, { data: encodeDetails(details) });

const secretOf = (name: string, key: string) => ({ namespace: adminNamespace, name, key });

/** The secrets that lead to external systems, by system. */
export const credentialsSecret = {
  favourite: secretOf('favourite', 'credentials'),
  other: secretOf('other', 'credentials'),
  postgresql: secretOf('postgresql', 'endpoint'),
  aws: secretOf('aws', 'credentials'),
  gcp: secretOf('gcp', 'key.json'),
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
  aws: { credentials: credentialsFile(exampleAccount) },
  gcp: { 'key.json': googleCredentials },
} as const;

export type System = keyof typeof credentials;
/** The systems that stand in every simulated world. */
export const usualSystems = ['favourite', 'other', 'postgresql'] as const satisfies readonly System[];

/** A Provider, which has the older form; `spec` begins with where the system is. */
export const provider = (kind: Kind, name: string, system: System, spec: object = {}): KubernetesObject =>
  objectOf(kind, { name }, { spec: { ...spec, credentialsSecretRef: credentialsSecret[system] } });

/** The ProviderConfig for who names none. */
export const providerConfig = (kind: Kind, system: System, spec: object = {}): KubernetesObject => {
  const credentials = { source: 'Secret', secretRef: credentialsSecret[system] };
  return objectOf(kind, { name: 'default' }, { spec: { ...spec, credentials } });
};

/** The Secret of a system while its content is correct. */
export const secretFor = (system: System): KubernetesObject =>
  secret(credentialsSecret[system].namespace, credentialsSecret[system].name, credentials[system]);

export const storeConfig = objectOf(
  StoreConfigKind,
  { name: 'default' },
  { spec: { type: 'Kubernetes', defaultScope: 'stores' } },
);

export const byDefault = { [annotationKeys.defaultClass]: 'true' };

/** A class; `specTemplate` beside where its secrets go. */
export const classOf = (
  kind: Kind,
  metadata: KubernetesObject['metadata'],
  specTemplate: object,
): KubernetesObject =>
  objectOf(kind, metadata, {
    specTemplate: { writeConnectionSecretsToNamespace: adminNamespace, ...specTemplate },
  });

const small = { name: 'small', labels: { size: 'small' }, annotations: byDefault };
const otherSmall = { name: 'other-small', labels: { size: 'small' } };
const large = { name: 'large', labels: { size: 'large' } };
const [favouriteProvider, deleted, retained] = [
  { providerRef: { name: 'favourite' } },
  { reclaimPolicy: 'Delete' },
  { reclaimPolicy: 'Retain' },
];

const classes: readonly KubernetesObject[] = [
  classOf(Favourite, small, { ...favouriteProvider, ...deleted, forProvider: { fancinessLevel: 3 } }),
  classOf(Favourite, large, { ...favouriteProvider, ...retained, forProvider: { fancinessLevel: 100 } }),
  classOf(Ambivalent, otherSmall, { ...deleted, forProvider: { ambivalence: 5 } }),
  classOf(Database, small, { forProvider: {} }),
  classOf(Database, large, {
    ...retained,
    forProvider: { onDelete: 'TerminateSessions', connectionLimit: 10 },
  }),
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
  ...usualSystems.map(secretFor),
  provider(fcp.ProviderKind, 'favourite', 'favourite'),
  providerConfig(fcp.ProviderConfigKind, 'favourite'),
  provider(ocp.ProviderKind, 'other', 'other'),
  providerConfig(ocp.ProviderConfigKind, 'other'),
  provider(postgresql.ProviderKind, 'server', 'postgresql'),
  providerConfig(postgresql.ProviderConfigKind, 'postgresql'),
  storeConfig,
  ...classes,
];
