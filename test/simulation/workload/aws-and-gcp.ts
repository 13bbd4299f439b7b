import omit from 'lodash/omit.js';
import { RedisClusterKind } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { MySQLInstanceKind } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  RDSInstanceClassKind,
  RDSInstanceKind,
} from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { InstanceKind as MachineKind } from '../../../stacks/aws/kinds/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../../stacks/aws/kinds/ec2/v1beta1/subnet.ts';
import { VPCKind } from '../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from '../../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { InstanceKind as DBInstanceKind } from '../../../stacks/aws/kinds/rds/v1beta1/instance.ts';
import { QueueKind } from '../../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import * as awsLegacy from '../../../stacks/aws/kinds/v1alpha3/provider.ts';
import * as aws from '../../../stacks/aws/kinds/v1beta1/provider-config.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import * as gcpLegacy from '../../../stacks/gcp/kinds/v1alpha3/provider.ts';
import * as gcp from '../../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { cloudKinds } from '../../fakes/defined-kinds.ts';
import { awsUrl } from '../../fakes/in-process-aws.ts';
import { googleUrl } from '../../fakes/in-process-google-cloud.ts';
import { objectOf } from '../../fakes/object-of.ts';
import type { Act, ObjectName } from '../scenario.ts';
import { force, restores, rivals } from './disasters.ts';
import type { Draft } from './draft.ts';
import { claimOf, exemplar, mayGo, nameOf, secretOf } from './exemplars.ts';
import { walkAmong } from './field-walks.ts';
import { cloudFields } from './fields.ts';
import {
  adminNamespace,
  byDefault,
  classOf,
  credentials,
  credentialsSecret,
  provider,
  providerConfig,
  secretFor,
  storeConfig,
  teams,
} from './inventory.ts';
import { machines } from './machines.ts';

/*
 * The workload for processes that run the stacks of AWS and Google Cloud. It is smaller than that of the
 * other stacks, because they share the core, and only the adapters can have faults of their own.
 */

const clouds = ['aws', 'gcp'] as const;
type Cloud = (typeof clouds)[number];

const region = 'us-west-1';
const endpoints = {
  aws: { endpoint: { url: { type: 'Static', static: awsUrl } } },
  gcp: { projectID: 'example-project', endpoint: googleUrl },
} as const;

const rds = {
  region,
  engineVersion: '16.6',
  dbInstanceClass: 'db.t3.micro',
  allocatedStorage: 20,
  masterUsername: 'app',
  skipFinalSnapshotBeforeDeletion: true,
} as const;

const memorystore = { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1, authEnabled: true } as const;

const providers: readonly KubernetesObject[] = [
  provider(awsLegacy.ProviderKind, 'aws', 'aws', endpoints.aws),
  providerConfig(aws.ProviderConfigKind, 'aws', endpoints.aws),
  provider(gcpLegacy.ProviderKind, 'gcp', 'gcp', endpoints.gcp),
  providerConfig(gcp.ProviderConfigKind, 'gcp', endpoints.gcp),
];

/** The objects that an administrator creates in the beginning. */
const inventory: readonly KubernetesObject[] = [
  objectOf(NamespaceKind, { name: adminNamespace }),
  ...teams.map((name) => objectOf(NamespaceKind, { name })),
  ...clouds.map(secretFor),
  ...providers,
  storeConfig,
  classOf(
    RDSInstanceClassKind,
    { name: 'postgres', labels: { engine: 'postgres' } },
    { reclaimPolicy: 'Delete', forProvider: { ...rds, engine: 'postgres' } },
  ),
  classOf(
    RDSInstanceClassKind,
    { name: 'any', labels: { engine: 'any' }, annotations: byDefault },
    { providerRef: { name: 'aws' }, reclaimPolicy: 'Retain', forProvider: omit(rds, 'engineVersion') },
  ),
  classOf(
    CloudMemorystoreInstanceClassKind,
    { name: 'small', labels: { size: 'small' }, annotations: byDefault },
    { reclaimPolicy: 'Delete', forProvider: memorystore },
  ),
];

/**
 * The fields of a kind for resources that a user creates, in addition to the common ones; and the later
 * edits.
 */
interface Made {
  readonly kind: Kind;
  readonly name: string;
  readonly forProvider: object;
  readonly edits: readonly object[];
}

const [test, live] = [{ stage: 'test' }, { stage: 'live', team: 'shop' }];
const tags = [{ tags: test }, { tags: live }];
const labels = [{ labels: test }, { labels: live }];
const listed = [{ tags: [{ key: 'stage', value: 'test' }] }, { tags: [{ key: 'team', value: 'shop' }] }];
const scaled = (desiredSize: number) => ({ scalingConfig: [{ desiredSize, minSize: 1, maxSize: 4 }] });

const made: readonly Made[] = [
  {
    kind: VPCKind,
    name: 'vpc',
    forProvider: { region, cidrBlock: '10.0.0.0/16' },
    edits: [
      ...tags,
      { enableDnsHostnames: true },
      { enableDnsSupport: false },
      { cidrBlock: '10.1.0.0/16' },
      { region: 'us-east-1' },
    ],
  },
  {
    kind: SubnetKind,
    name: 'subnet',
    forProvider: { region, cidrBlock: '10.0.1.0/24', vpcIdRef: { name: 'vpc' } },
    edits: [...tags, { mapPublicIpOnLaunch: true }, { mapPublicIpOnLaunch: false }],
  },
  {
    kind: MachineKind,
    name: 'machine',
    forProvider: { region, instanceType: 't2.micro', ami: 'ami-0123456789abcdef0' },
    edits: [...tags, { instanceType: 't3.small' }, { instanceType: 't2.micro' }],
  },
  {
    kind: RDSInstanceKind,
    name: 'rds',
    forProvider: { ...rds, engine: 'postgres' },
    edits: [
      ...listed,
      { allocatedStorage: 30 },
      { backupRetentionPeriod: 3 },
      { dbInstanceClass: 'db.t3.small', applyModificationsImmediately: true },
      { engine: 'mysql' },
      { passwordRotation: 'first' },
      { passwordRotation: 'second' },
    ],
  },
  {
    kind: DBInstanceKind,
    name: 'db',
    forProvider: {
      region,
      engine: 'postgres',
      instanceClass: 'db.t3.micro',
      allocatedStorage: 20,
      username: 'app',
      skipFinalSnapshot: true,
    },
    edits: [...tags, { allocatedStorage: 30, applyImmediately: true }, { backupRetentionPeriod: 3 }],
  },
  {
    kind: QueueKind,
    name: 'queue',
    forProvider: { region },
    edits: [
      ...tags,
      { delaySeconds: 5 },
      { delaySeconds: 7 },
      { visibilityTimeout: 60 },
      { fifoQueue: true },
    ],
  },
  {
    kind: NodeGroupKind,
    name: 'nodes',
    forProvider: {
      region,
      clusterName: 'guide',
      nodeRoleArn: 'arn:aws:iam::123456789012:role/nodes',
      subnetIdRefs: [{ name: 'subnet' }],
      ...scaled(1),
    },
    edits: [...tags, scaled(2), { labels: { pool: 'blue' } }, { labels: { pool: 'green' } }],
  },
  {
    kind: CloudMemorystoreInstanceKind,
    name: 'redis',
    forProvider: memorystore,
    edits: [
      ...labels,
      { memorySizeGb: 2 },
      { memorySizeGb: 3 },
      { redisConfigs: { 'maxmemory-policy': 'allkeys-lru' } },
      { authEnabled: false },
      { redisVersion: 'REDIS_7_2' },
      { region: 'europe-west1' },
    ],
  },
  {
    kind: TopicKind,
    name: 'topic',
    forProvider: {},
    edits: [...labels, { messageRetentionDuration: '86400s' }, { messageRetentionDuration: '172800s' }],
  },
];

const policies: readonly object[] = [
  {},
  {},
  {},
  { deletionPolicy: 'Orphan' },
  { reclaimPolicy: 'Retain' },
  { managementPolicies: ['Observe'] },
  { managementPolicies: ['Observe', 'Create', 'Delete'] },
  { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
];

/** Objects that refer to a resource are created with it. */
const needs = new Map<Kind, readonly Kind[]>([
  [SubnetKind, [VPCKind]],
  [NodeGroupKind, [VPCKind, SubnetKind]],
]);

const objectBy = ({ kind, name, forProvider }: Made, policy: object = {}): KubernetesObject => {
  const to = { namespace: adminNamespace, name: `${name}-connection` };
  return objectOf(kind, { name }, { spec: { forProvider, ...policy, writeConnectionSecretToRef: to } });
};

const unfinalized = { metadata: { finalizers: null } };

/** A user creates managed resources, edits them, and deletes some of them. */
function byHand(draft: Draft): void {
  const chosen = made.filter(({ kind }) => draft.has(0.25, 'made', kind.group, kind.kind));
  const wanted = new Set(chosen.flatMap(({ kind }) => [...(needs.get(kind) ?? []), kind]));
  for (const each of made.filter(({ kind }) => wanted.has(kind))) life(draft.by(each.name), each);
}

function life(draft: Draft, what: Made): void {
  const object = objectBy(what, draft.pick(policies, 'policy'));
  const of = nameOf(object);
  const born = draft.between(0, 0.3, 'born');
  draft.at(born, { type: 'create', object });
  const edits = Math.floor(draft.chance('edits') * 3);
  for (let index = 0; index < edits; index += 1) {
    const forProvider = draft.pick(what.edits, 'edit', index);
    draft.edit(draft.between(born, 0.95, 'edited', index), of, { spec: { forProvider } });
  }
  if (draft.has(0.15, 'paused')) {
    const paused = draft.between(born, 0.7, 'paused at');
    const note = (value: string | null): object => ({
      metadata: { annotations: { [annotationKeys.paused]: value } },
    });
    draft.edit(paused, of, note('true'));
    draft.edit(draft.between(paused, 0.95, 'resumed at'), of, note(null));
  }
  mayGo(draft, object, { born, share: 0.45 });
  if (draft.has(0.1, 'forced')) draft.edit(draft.between(born, 1, 'forced at'), of, unfinalized);
}

const labelled = (matchLabels: object) => ({ classSelector: { matchLabels } });
const wishes = new Map<Kind, readonly object[]>([
  [PostgreSQLInstanceKind, [{}, { engineVersion: '16' }, labelled({ engine: 'postgres' })]],
  [MySQLInstanceKind, [{}, { engineVersion: '8.0' }, labelled({ engine: 'any' })]],
  [RedisClusterKind, [{}, labelled({ size: 'small' })]],
]);

/** Teams claim databases and caches, think better of it, and claim them again. */
function claims(draft: Draft): void {
  const count = 1 + Math.floor(draft.chance('count') ** 2 * 3);
  for (let index = 0; index < count; index += 1) {
    const kind = draft.pick([...wishes.keys()], 'kind', index);
    const wish = draft.pick(wishes.get(kind) ?? [{}], 'wish', index);
    const object = claimOf(kind, draft.pick(teams, 'team', index), index, wish);
    const of = nameOf(object);
    const born = draft.between(0, 0.5, 'born', index);
    draft.at(born, { type: 'create', object });
    mayGo(draft.by(index), object, { born });
    if (draft.has(0.2, 'secret', index)) {
      const secrets: readonly ObjectName[] = [secretOf(object), { ...of, given: 'source secret' }];
      const patch = { data: encodeDetails({ password: `guessed-${index}` }) };
      const acts: readonly Act[] = [
        ...secrets.map((each) => ({ type: 'delete' as const, of: each })),
        ...secrets.map((each) => ({ type: 'edit' as const, of: each, patch })),
      ];
      draft.at(draft.between(born, 1, 'secret at', index), draft.pick(acts, 'secret act', index));
    }
    if (draft.has(0.1, 'forced', index)) {
      const whom: ObjectName = draft.pick([of, { ...of, given: 'resource' }], 'whom', index);
      const begin = draft.between(born, 0.9, 'forced at', index);
      draft.edit(begin, whom, unfinalized);
      draft.at(draft.between(begin, 1, 'forced end', index), { type: 'delete', of: whom });
    }
  }
}

/** An object of a kind, for who needs one. */
function fresh(kind: Kind): KubernetesObject {
  const found = made.find((each) => each.kind === kind);
  return found === undefined ? claimOf(kind, teams[0], 0) : objectBy(found);
}

const wrongKey = (id: string): string =>
  `[default]\naws_access_key_id = ${id}\naws_secret_access_key = wrong\n`;
const wrong: Readonly<Record<Cloud, readonly string[]>> = {
  aws: ['nonsense', wrongKey('AKIAIOSFODNN7EXAMPLE'), wrongKey('AKIANOBODY')],
  gcp: ['nonsense', '{}'],
};

/** Credentials are wrong for a while, or gone, and come back; a provider goes and comes back. */
function providersAndCredentials(draft: Draft): void {
  const cloud = draft.pick(clouds, 'cloud');
  const { key } = credentialsSecret[cloud];
  const object = secretFor(cloud);
  const of = nameOf(object);
  const which = draft.pick(providers, 'provider');
  const begin = draft.between(0, 0.7, 'begin');
  const end = draft.between(begin, 1, 'end');
  const edit = (data: object): Act => ({ type: 'edit', of, patch: { data } });
  const bad = encodeDetails({ [key]: draft.pick(wrong[cloud], 'wrong') });
  const isGone = (each: KubernetesObject): readonly [Act, Act] => [
    { type: 'delete', of: nameOf(each) },
    { type: 'create', object: each },
  ];
  const acts: readonly (readonly [Act, Act])[] = [
    [edit(bad), edit(encodeDetails(credentials[cloud]))],
    ...[object, which].map(isGone),
  ];
  const [goes, comes] = draft.pick(acts, 'act');
  draft.at(begin, goes);
  draft.at(end, comes);
}

const watched = ['Secret', ...[...cloudKinds.claims, ...cloudKinds.managed].map(({ kind }) => kind)];

/** Writes down what goes on in AWS and Google Cloud, and around them. */
export function awsAndGcp(draft: Draft): void {
  draft.have(...inventory);
  if (draft.has(0.7, 'claims')) {
    claims(draft.by('claims'));
    if (draft.has(0.15, 'force')) force(draft.by('force'));
    if (draft.has(0.15, 'rivals')) rivals(draft.by('rivals'));
  }
  byHand(draft.by('by hand'));
  if (draft.has(0.7, 'field walks')) {
    walkAmong(draft.by('field walks'), cloudFields, (own, kind) => exemplar(own, kind, fresh));
  }
  if (draft.has(0.15, 'restores')) restores(draft.by('restores'));
  if (draft.has(0.2, 'providers')) providersAndCredentials(draft.by('providers'));
  if (draft.has(0.9, 'machines')) {
    machines(draft.by('machines'), { watched, systems: clouds, clouds });
  }
}
