import { RDSInstanceClassKind } from '../../apis/aws/database/v1beta1/rds-instance.ts';
import { VPCKind } from '../../apis/aws/ec2/v1beta1/vpc.ts';
import { QueueKind } from '../../apis/aws/sqs/v1beta1/queue.ts';
import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { CloudMemorystoreInstanceClassKind } from '../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../apis/gcp/pubsub/v1alpha1/topic.ts';
import { AmbivalentDBInstanceClassKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseClassKind } from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { Credentials } from './clouds/cloud-process.ts';
import { project } from './clouds/google-cloud.ts';
import type { CloudName, ProviderName } from './schedule.ts';
import type { World } from './world.ts';
import { credentialsNamespace } from './world.ts';

const head = <T extends KubernetesObject>(
  kind: Pick<Kind<T>, 'group' | 'version' | 'kind' | 'objectType'>,
) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind as T['kind'],
});

const selectable = { chaos: 'small' };

/** The credential of a provider. */
export type Proof =
  | { readonly provider: 'postgresql'; readonly password: string }
  | { readonly provider: CloudName; readonly credentials: Credentials };

const urlTo = ({ links }: World, provider: ProviderName): string =>
  `http://127.0.0.1:${links[provider]!.port}`;

function detailsOf(world: World, proof: Proof): Readonly<Record<string, string>> {
  if (proof.provider !== 'postgresql') {
    return { credentials: proof.credentials.text(urlTo(world, proof.provider)) };
  }
  return {
    endpoint: '127.0.0.1',
    port: String(world.links.postgresql!.port),
    username: world.postgresql.superuser,
    password: proof.password,
    // Over plain TCP a changed byte could make one statement another.
    sslmode: 'verify-full',
    clusterCA: world.postgresql.clusterCA ?? '',
  };
}

/** The secret that a provider names. */
export const credentialsSecret = (world: World, proof: Proof) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: credentialsNamespace, name: proof.provider },
  stringData: detailsOf(world, proof),
});

/** The credential that the system accepts now. */
export const proofNow = (world: World, provider: ProviderName): Proof =>
  provider === 'postgresql'
    ? { provider, password: world.administratorPassword }
    : { provider, credentials: world.clouds[provider].credentials() };

const secretRef = (name: ProviderName) => ({
  namespace: credentialsNamespace,
  name,
  key: name === 'postgresql' ? 'endpoint' : 'credentials',
});

const configOf = (api: string, provider: ProviderName, parameters: object = {}) => ({
  apiVersion: api,
  kind: 'ProviderConfig',
  metadata: { name: 'default' },
  spec: { ...parameters, credentials: { source: 'Secret', secretRef: secretRef(provider) } },
});

/** Providers of all kinds, by the generations' own ways. */
export const providerObjects = (world: World): readonly object[] => [
  {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'Provider',
    metadata: { name: 'favourite' },
    spec: { credentialsSecretRef: secretRef('favourite') },
  },
  configOf('ocp.crossplane.io/v1alpha1', 'other'),
  configOf('postgresql.crossplane.io/v1alpha1', 'postgresql'),
  configOf('aws.crossplane.io/v1beta1', 'aws', {
    endpoint: { url: { type: 'Static', static: urlTo(world, 'aws') } },
  }),
  configOf('gcp.crossplane.io/v1beta1', 'gcp', { projectID: project, endpoint: urlTo(world, 'gcp') }),
];

interface ClassOptions {
  readonly labels?: Record<string, string>;
  /** Whether its resources outlive their claims. */
  readonly keeps?: boolean;
}

const classOf = <T extends KubernetesObject, F extends object>(
  kind: Parameters<typeof head<T>>[0],
  name: string,
  forProvider: F,
  { labels = selectable, keeps = false }: ClassOptions = {},
) => ({
  ...head(kind),
  metadata: { name, labels },
  specTemplate: {
    writeConnectionSecretsToNamespace: credentialsNamespace,
    reclaimPolicy: keeps ? ('Retain' as const) : ('Delete' as const),
    forProvider,
  },
});

/** A class of Favourite Cloud's; it leaves nothing open that the cloud would fill in. */
export function favouriteClass(name: string, options: ClassOptions = {}) {
  const forProvider = { fancinessLevel: 3, version: '5.7' };
  const made = classOf(FavouriteDBInstanceClassKind, name, forProvider, { labels: {}, ...options });
  return { ...made, specTemplate: { ...made.specTemplate, providerRef: { name: 'favourite' } } };
}

export const ambivalentClass = () =>
  classOf(AmbivalentDBInstanceClassKind, 'other-small', { ambivalence: 5, engineVersion: '5.7' });

const databaseClass = (name: string, options: ClassOptions = {}) => {
  const forProvider = { connectionLimit: 5, onDelete: 'TerminateSessions' as const };
  return classOf(PostgreSQLDatabaseClassKind, name, forProvider, options);
};

const rdsClass = () =>
  classOf(
    RDSInstanceClassKind,
    'aws-small',
    {
      ...{ region: 'us-west-1', dbInstanceClass: 'db.t3.micro', allocatedStorage: 20 },
      ...{ masterUsername: 'app', backupRetentionPeriod: 1, applyModificationsImmediately: true },
      skipFinalSnapshotBeforeDeletion: true,
    },
    { labels: {} },
  );

const redisClass = () => {
  const forProvider = { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1, authEnabled: true };
  return classOf(CloudMemorystoreInstanceClassKind, 'gcp-small', forProvider);
};

/** A class that users edit, delete and make again. */
export const changingClass = () => favouriteClass('favourite-changing', { labels: { ...selectable } });

export const classObjects = (): readonly object[] => [
  favouriteClass('favourite-small', { labels: selectable }),
  favouriteClass('favourite-kept', { keeps: true }),
  changingClass(),
  ambivalentClass(),
  databaseClass('postgresql-small'),
  databaseClass('postgresql-kept', { keeps: true }),
  rdsClass(),
  redisClass(),
];

/** A managed resource that a user creates. */
export const madeByHand = (name: string, policy: 'Retain' | 'Delete') => ({
  ...head(FavouriteDBInstanceKind),
  metadata: { name },
  spec: {
    providerRef: { name: 'favourite' },
    reclaimPolicy: policy,
    writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
    forProvider: { fancinessLevel: 42, version: '5.7' },
  },
});

/**
 * The resources that users create for no claim, by turns. Names of networks and queues are assigned by AWS.
 */
const alone: readonly ((name: string) => KubernetesObject)[] = [
  (name) => madeByHand(name, 'Delete'),
  (name) => cloudThing(VPCKind, name, { region: 'us-west-1', cidrBlock: '10.0.0.0/16' }),
  (name) => cloudThing(QueueKind, name, { region: 'us-west-1' }),
  (name) => cloudThing(TopicKind, name, { messageRetentionDuration: '86400s' }),
];
const aloneFor = 'alone-';

const cloudThing = (
  kind: Parameters<typeof head>[0],
  name: string,
  forProvider: object,
): KubernetesObject => ({ ...head(kind), metadata: { name }, ...{ spec: { forProvider } } });

/** The number-th managed resource that is made for no claim. */
export const aloneNumber = (number: number): KubernetesObject =>
  alone[number % alone.length]!(`${aloneFor}${number}`);
export const isAlone = (name: string): boolean => name.startsWith(aloneFor);

/** The ways in which a claim asks for something, by turns. */
const asks: readonly ((name: string) => { readonly kind: Kind<KubernetesObject>; readonly spec: object })[] =
  [
    () => ({ kind: FancySQLInstanceKind, spec: { classSelector: { matchLabels: selectable } } }),
    () => ({ kind: PostgreSQLInstanceKind, spec: classRef(PostgreSQLDatabaseClassKind, 'postgresql-small') }),
    () => ({ kind: FancySQLInstanceKind, spec: classRef(FavouriteDBInstanceClassKind, 'favourite-kept') }),
    () => ({ kind: FancySQLInstanceKind, spec: classRef(AmbivalentDBInstanceClassKind, 'other-small') }),
    () => ({ kind: PostgreSQLInstanceKind, spec: classRef(PostgreSQLDatabaseClassKind, 'postgresql-kept') }),
    () => ({ kind: RedisClusterKind, spec: { classSelector: { matchLabels: selectable } } }),
    () => ({ kind: MySQLInstanceKind, spec: classRef(RDSInstanceClassKind, 'aws-small') }),
    (name) => ({
      kind: FancySQLInstanceKind,
      spec: { resourceRef: { ...head(FavouriteDBInstanceKind), name: staticFor(name) } },
    }),
  ];
const staticTurn = 7;

export const classRef = (kind: Kind<KubernetesObject>, name: string) => ({
  classRef: { ...head(kind), name },
});
const staticFor = (claim: string): string => `by-hand-${claim}`;

/** The number-th claim, and what has to be made by hand for it. */
export function claimNumber(
  number: number,
  namespace: string,
): { readonly kind: Kind<Claim>; readonly claim: Claim; readonly byHand?: ReturnType<typeof madeByHand> } {
  const name = `claim-${number}`;
  const turn = number % asks.length;
  const { kind, spec } = asks[turn]!(name);
  return {
    kind: kind as Kind<Claim>,
    claim: claimNamed(kind, namespace, name, spec),
    ...(turn === staticTurn && { byHand: madeByHand(staticFor(name), 'Retain') }),
  };
}

export const claimNamed = (
  kind: Pick<Kind, 'group' | 'version' | 'kind'>,
  namespace: string,
  name: string,
  spec: object,
): Claim => ({
  ...head(kind),
  metadata: { namespace, name },
  spec: { ...spec, writeConnectionSecretToRef: { name: `${name}-connection` } },
});
