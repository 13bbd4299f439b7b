import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { RDSInstanceClassKind } from '../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { VPCKind } from '../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { QueueKind } from '../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import { ProviderConfigKind as aws } from '../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { FavouriteDBInstance } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderKind as fcp } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind as ocp } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { CloudMemorystoreInstanceClassKind } from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { ProviderConfigKind as gcp } from '../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { PostgreSQLDatabaseClassKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind as postgresql } from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { Credentials } from './clouds/cloud-process.ts';
import { project } from './clouds/google-cloud.ts';
import type { CloudName, ProviderName } from './schedule.ts';
import type { World } from './world.ts';
import { credentialsNamespace } from './world.ts';

const head = (kind: Kind) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind });

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
export const credentialsSecret = (world: World, proof: Proof): Secret =>
  objectOf(
    SecretKind,
    { namespace: credentialsNamespace, name: proof.provider },
    { stringData: detailsOf(world, proof) },
  );

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

function configOf(kind: Kind, provider: ProviderName, parameters: object = {}): KubernetesObject {
  const credentials = { source: 'Secret', secretRef: secretRef(provider) };
  return objectOf(kind, { name: 'default' }, { spec: { ...parameters, credentials } });
}

/** Providers of all kinds, by the generations' own ways. */
export const providerObjects = (world: World): readonly object[] => [
  objectOf(fcp, { name: 'favourite' }, { spec: { credentialsSecretRef: secretRef('favourite') } }),
  configOf(ocp, 'other'),
  configOf(postgresql, 'postgresql'),
  configOf(aws, 'aws', { endpoint: { url: { type: 'Static', static: urlTo(world, 'aws') } } }),
  configOf(gcp, 'gcp', { projectID: project, endpoint: urlTo(world, 'gcp') }),
];

interface ClassOptions {
  readonly labels?: Record<string, string>;
  /** Whether its resources outlive their claims. */
  readonly keeps?: boolean;
}

function classOf<T extends KubernetesObject>(
  kind: Kind<T>,
  name: string,
  template: object,
  { labels = selectable, keeps = false }: ClassOptions = {},
): T {
  const reclaimPolicy = keeps ? 'Retain' : 'Delete';
  const common = { writeConnectionSecretsToNamespace: credentialsNamespace, reclaimPolicy };
  return objectOf(kind, { name, labels }, { specTemplate: { ...common, ...template } });
}

/** A class of Favourite Cloud's; it leaves nothing open that the cloud would fill in. */
export function favouriteClass(name: string, options: ClassOptions = {}) {
  const forProvider = { fancinessLevel: 3, version: '5.7' };
  const template = { forProvider, providerRef: { name: 'favourite' } };
  return classOf(FavouriteDBInstanceClassKind, name, template, { labels: {}, ...options });
}

export function ambivalentClass() {
  const forProvider = { ambivalence: 5, engineVersion: '5.7' };
  return classOf(AmbivalentDBInstanceClassKind, 'other-small', { forProvider });
}

function databaseClass(name: string, options: ClassOptions = {}) {
  const forProvider = { connectionLimit: 5, onDelete: 'TerminateSessions' };
  return classOf(PostgreSQLDatabaseClassKind, name, { forProvider }, options);
}

function rdsClass() {
  const forProvider = {
    region: 'us-west-1',
    dbInstanceClass: 'db.t3.micro',
    allocatedStorage: 20,
    masterUsername: 'app',
    backupRetentionPeriod: 1,
    applyModificationsImmediately: true,
    skipFinalSnapshotBeforeDeletion: true,
  };
  return classOf(RDSInstanceClassKind, 'aws-small', { forProvider }, { labels: {} });
}

function redisClass() {
  const forProvider = { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1, authEnabled: true };
  return classOf(CloudMemorystoreInstanceClassKind, 'gcp-small', { forProvider });
}

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
export function madeByHand(name: string, reclaimPolicy: 'Retain' | 'Delete'): FavouriteDBInstance {
  const spec = {
    providerRef: { name: 'favourite' },
    reclaimPolicy,
    writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
    forProvider: { fancinessLevel: 42, version: '5.7' },
  };
  return objectOf(FavouriteDBInstanceKind, { name }, { spec });
}

/** The resources that users create for no claim, by turns. Names of networks and queues are assigned by AWS. */
const alone: readonly ((name: string) => KubernetesObject)[] = [
  (name) => madeByHand(name, 'Delete'),
  (name) => cloudResource(VPCKind, name, { region: 'us-west-1', cidrBlock: '10.0.0.0/16' }),
  (name) => cloudResource(QueueKind, name, { region: 'us-west-1' }),
  (name) => cloudResource(TopicKind, name, { messageRetentionDuration: '86400s' }),
];
const aloneFor = 'alone-';

const cloudResource = (kind: Kind, name: string, forProvider: object): KubernetesObject =>
  objectOf(kind, { name }, { spec: { forProvider } });

/** The number-th managed resource that is made for no claim. */
export const aloneNumber = (number: number): KubernetesObject =>
  alone[number % alone.length]!(`${aloneFor}${number}`);
export const isAlone = (name: string): boolean => name.startsWith(aloneFor);

/** The ways in which a claim asks for something, by turns. */
const asks: readonly ((name: string) => { readonly kind: Kind; readonly spec: object })[] = [
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

const classRef = (kind: Kind, name: string) => ({ classRef: { ...head(kind), name } });
const staticFor = (claim: string): string => `by-hand-${claim}`;

/** The number-th claim, and what has to be made by hand for it. */
export function claimNumber(number: number, namespace: string) {
  const name = `claim-${number}`;
  const turn = number % asks.length;
  const { kind, spec } = asks[turn]!(name);
  return {
    kind: kind as Kind<Claim>,
    claim: claimNamed(kind, namespace, name, spec),
    ...(turn === staticTurn && { byHand: madeByHand(staticFor(name), 'Retain') }),
  };
}

export function claimNamed(kind: Kind, namespace: string, name: string, requested: object): Claim {
  const spec = { ...requested, writeConnectionSecretToRef: { name: `${name}-connection` } };
  return objectOf(kind as Kind<Claim>, { namespace, name }, { spec });
}
