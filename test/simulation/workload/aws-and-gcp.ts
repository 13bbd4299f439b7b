import omit from 'lodash/omit.js';
import { RDSInstanceClassKind, RDSInstanceKind } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { InstanceKind as MachineKind } from '../../../apis/aws/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../../apis/aws/ec2/v1beta1/subnet.ts';
import { VPCKind } from '../../../apis/aws/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from '../../../apis/aws/eks/v1beta1/node-group.ts';
import { InstanceKind as DBInstanceKind } from '../../../apis/aws/rds/v1beta1/instance.ts';
import { QueueKind } from '../../../apis/aws/sqs/v1beta1/queue.ts';
import * as awsLegacy from '../../../apis/aws/v1alpha3/provider.ts';
import * as aws from '../../../apis/aws/v1beta1/provider-config.ts';
import { RedisClusterKind } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { MySQLInstanceKind } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../apis/gcp/pubsub/v1alpha1/topic.ts';
import * as gcpLegacy from '../../../apis/gcp/v1alpha3/provider.ts';
import * as gcp from '../../../apis/gcp/v1beta1/provider-config.ts';
import { cloudKinds } from '../../fakes/defined-kinds.ts';
import { awsUrl } from '../../fakes/in-process-aws.ts';
import { googleUrl } from '../../fakes/in-process-google-cloud.ts';
import type { Act, ObjectName } from '../scenario.ts';
import { force, restores, rivals } from './disasters.ts';
import type { Draft } from './draft.ts';
import { claimOf, exemplar, mayGo, nameOf, secretOf } from './exemplars.ts';
import { walkAmong } from './field-walks.ts';
import { cloudFields } from './fields.ts';
import {
  adminNamespace,
  classOf,
  credentials,
  credentialsSecret,
  objectOf,
  secret,
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

const provider = (kind: Kind, cloud: Cloud): KubernetesObject =>
  objectOf(
    kind,
    { name: cloud },
    { spec: { ...endpoints[cloud], credentialsSecretRef: credentialsSecret[cloud] } },
  );
const providerConfig = (kind: Kind, cloud: Cloud): KubernetesObject =>
  objectOf(
    kind,
    { name: 'default' },
    {
      spec: {
        ...endpoints[cloud],
        credentials: { source: 'Secret', secretRef: credentialsSecret[cloud] },
      },
    },
  );

const rds = {
  ...{ region, engineVersion: '16.6', dbInstanceClass: 'db.t3.micro', allocatedStorage: 20 },
  ...{ masterUsername: 'app', skipFinalSnapshotBeforeDeletion: true },
} as const;

const providers: readonly KubernetesObject[] = [
  provider(awsLegacy.ProviderKind, 'aws'),
  providerConfig(aws.ProviderConfigKind, 'aws'),
  provider(gcpLegacy.ProviderKind, 'gcp'),
  providerConfig(gcp.ProviderConfigKind, 'gcp'),
];

/** The objects that an administrator creates in the beginning. */
const inventory: readonly KubernetesObject[] = [
  objectOf(NamespaceKind, { name: adminNamespace }),
  ...teams.map((name) => objectOf(NamespaceKind, { name })),
  ...clouds.map((cloud) =>
    secret(credentialsSecret[cloud].namespace, credentialsSecret[cloud].name, credentials[cloud]),
  ),
  ...providers,
  objectOf(StoreConfigKind, { name: 'default' }, { spec: { type: 'Kubernetes', defaultScope: 'stores' } }),
  classOf(
    RDSInstanceClassKind,
    { name: 'postgres', labels: { engine: 'postgres' } },
    { reclaimPolicy: 'Delete', forProvider: { ...rds, engine: 'postgres' } },
  ),
  classOf(
    RDSInstanceClassKind,
    { name: 'any', labels: { engine: 'any' }, annotations: { [annotationKeys.defaultClass]: 'true' } },
    {
      providerRef: { name: 'aws' },
      reclaimPolicy: 'Retain',
      forProvider: omit(rds, 'engineVersion'),
    },
  ),
  classOf(
    CloudMemorystoreInstanceClassKind,
    { name: 'small', labels: { size: 'small' }, annotations: { [annotationKeys.defaultClass]: 'true' } },
    {
      reclaimPolicy: 'Delete',
      forProvider: { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1, authEnabled: true },
    },
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

const tags = [{ tags: { stage: 'test' } }, { tags: { stage: 'live', team: 'shop' } }] as const;
const listed = [
  { tags: [{ key: 'stage', value: 'test' }] },
  { tags: [{ key: 'team', value: 'shop' }] },
] as const;
const labels = [{ labels: { stage: 'test' } }, { labels: { stage: 'live', team: 'shop' } }] as const;

const made: readonly Made[] = [
  {
    ...{ kind: VPCKind, name: 'vpc', forProvider: { region, cidrBlock: '10.0.0.0/16' } },
    edits: [
      ...tags,
      { enableDnsHostnames: true },
      { enableDnsSupport: false },
      { cidrBlock: '10.1.0.0/16' },
      { region: 'us-east-1' },
    ],
  },
  {
    ...{ kind: SubnetKind, name: 'subnet' },
    forProvider: { region, cidrBlock: '10.0.1.0/24', vpcIdRef: { name: 'vpc' } },
    edits: [...tags, { mapPublicIpOnLaunch: true }, { mapPublicIpOnLaunch: false }],
  },
  {
    ...{ kind: MachineKind, name: 'machine' },
    forProvider: { region, instanceType: 't2.micro', ami: 'ami-0123456789abcdef0' },
    edits: [...tags, { instanceType: 't3.small' }, { instanceType: 't2.micro' }],
  },
  {
    ...{
      kind: RDSInstanceKind,
      name: 'rds',
      forProvider: { ...rds, engine: 'postgres' },
    },
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
    ...{ kind: DBInstanceKind, name: 'db' },
    forProvider: {
      ...{ region, engine: 'postgres', instanceClass: 'db.t3.micro', allocatedStorage: 20 },
      ...{ username: 'app', skipFinalSnapshot: true },
    },
    edits: [...tags, { allocatedStorage: 30, applyImmediately: true }, { backupRetentionPeriod: 3 }],
  },
  {
    ...{ kind: QueueKind, name: 'queue', forProvider: { region } },
    edits: [
      ...tags,
      { delaySeconds: 5 },
      { delaySeconds: 7 },
      { visibilityTimeout: 60 },
      { fifoQueue: true },
    ],
  },
  {
    ...{ kind: NodeGroupKind, name: 'nodes' },
    forProvider: {
      ...{ region, clusterName: 'guide', nodeRoleArn: 'arn:aws:iam::123456789012:role/nodes' },
      ...{ subnetIdRefs: [{ name: 'subnet' }], scalingConfig: [{ desiredSize: 1, minSize: 1, maxSize: 4 }] },
    },
    edits: [
      ...tags,
      { scalingConfig: [{ desiredSize: 2, minSize: 1, maxSize: 4 }] },
      { labels: { pool: 'blue' } },
      { labels: { pool: 'green' } },
    ],
  },
  {
    ...{ kind: CloudMemorystoreInstanceKind, name: 'redis' },
    forProvider: { region: 'us-central1', tier: 'BASIC', memorySizeGb: 1, authEnabled: true },
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
    ...{ kind: TopicKind, name: 'topic', forProvider: {} },
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
    draft.at(draft.between(born, 0.95, 'edited', index), {
      type: 'edit',
      of,
      patch: { spec: { forProvider } },
    });
  }
  if (draft.has(0.15, 'paused')) {
    const paused = draft.between(born, 0.7, 'paused at');
    const note = (value: string | null): object => ({
      metadata: { annotations: { [annotationKeys.paused]: value } },
    });
    draft.at(paused, { type: 'edit', of, patch: note('true') });
    draft.at(draft.between(paused, 0.95, 'resumed at'), { type: 'edit', of, patch: note(null) });
  }
  mayGo(draft, object, { born, share: 0.45 });
  if (draft.has(0.1, 'forced')) {
    draft.at(draft.between(born, 1, 'forced at'), {
      type: 'edit',
      of,
      patch: { metadata: { finalizers: null } },
    });
  }
}

const wishes = new Map<Kind, readonly object[]>([
  [
    PostgreSQLInstanceKind,
    [{}, { engineVersion: '16' }, { classSelector: { matchLabels: { engine: 'postgres' } } }],
  ],
  [MySQLInstanceKind, [{}, { engineVersion: '8.0' }, { classSelector: { matchLabels: { engine: 'any' } } }]],
  [RedisClusterKind, [{}, { classSelector: { matchLabels: { size: 'small' } } }]],
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
      const acts: readonly Act[] = [
        { type: 'delete', of: secretOf(object) },
        { type: 'delete', of: { ...of, given: 'source secret' } },
        {
          type: 'edit',
          of: secretOf(object),
          patch: { data: encodeDetails({ password: `guessed-${index}` }) },
        },
        {
          type: 'edit',
          of: { ...of, given: 'source secret' },
          patch: { data: encodeDetails({ password: `guessed-${index}` }) },
        },
      ];
      draft.at(draft.between(born, 1, 'secret at', index), draft.pick(acts, 'secret act', index));
    }
    if (draft.has(0.1, 'forced', index)) {
      const whom: ObjectName = draft.pick([of, { ...of, given: 'resource' }], 'whom', index);
      const begin = draft.between(born, 0.9, 'forced at', index);
      draft.at(begin, { type: 'edit', of: whom, patch: { metadata: { finalizers: null } } });
      draft.at(draft.between(begin, 1, 'forced end', index), { type: 'delete', of: whom });
    }
  }
}

/** An object of a kind, for who needs one. */
function fresh(kind: Kind): KubernetesObject {
  const found = made.find((each) => each.kind === kind);
  return found === undefined ? claimOf(kind, teams[0], 0) : objectBy(found);
}

const wrong: Readonly<Record<Cloud, readonly string[]>> = {
  aws: [
    'nonsense',
    '[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wrong\n',
    '[default]\naws_access_key_id = AKIANOBODY\naws_secret_access_key = wrong\n',
  ],
  gcp: ['nonsense', '{}'],
};

/** Credentials are wrong for a while, or gone, and come back; a provider goes and comes back. */
function providersAndCredentials(draft: Draft): void {
  const cloud = draft.pick(clouds, 'cloud');
  const { namespace, name, key } = credentialsSecret[cloud];
  const object = secret(namespace, name, credentials[cloud]);
  const of = nameOf(object);
  const which = draft.pick(providers, 'provider');
  const begin = draft.between(0, 0.7, 'begin');
  const end = draft.between(begin, 1, 'end');
  const acts: readonly (readonly [Act, Act])[] = [
    [
      { type: 'edit', of, patch: { data: encodeDetails({ [key]: draft.pick(wrong[cloud], 'wrong') }) } },
      { type: 'edit', of, patch: { data: encodeDetails(credentials[cloud]) } },
    ],
    [
      { type: 'delete', of },
      { type: 'create', object },
    ],
    [
      { type: 'delete', of: nameOf(which) },
      { type: 'create', object: which },
    ],
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
