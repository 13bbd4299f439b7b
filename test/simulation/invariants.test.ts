import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { markOf } from '../../clients/postgresql/mark.ts';
import type { StoredInstance } from '../../local/gcp/memorystore.ts';
import { EventKind } from '../../runtime/events/event-recorder.ts';
import type { Lease } from '../../runtime/process/leader-election.ts';
import { LeaseKind } from '../../runtime/process/leader-election.ts';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import type { InvariantOf } from './invariant.ts';
import { answeredFor } from './invariants/answered-for.ts';
import { boundedWork } from './invariants/bounded-work.ts';
import { claimsSettled } from './invariants/claims-settled.ts';
import { cloudsSettled } from './invariants/clouds-settled.ts';
import { deletionEnds } from './invariants/deletion-ends.ts';
import { externalKept } from './invariants/external-kept.ts';
import { noEmptyWrites } from './invariants/no-empty-writes.ts';
import { noSecretsTold } from './invariants/no-secrets-told.ts';
import { nothingLeft } from './invariants/nothing-left.ts';
import { oneToOne } from './invariants/one-to-one.ts';
import { onlyTheLeaderWrites } from './invariants/only-the-leader-writes.ts';
import { onlyWhomItIsFor } from './invariants/only-whom-it-is-for.ts';
import { othersStay } from './invariants/others-stay.ts';
import { postgresqlSettled } from './invariants/postgresql-settled.ts';
import { preconditions } from './invariants/preconditions.ts';
import { providersTold } from './invariants/providers-told.ts';
import { provisionedOnce } from './invariants/provisioned-once.ts';
import { reclaimed } from './invariants/reclaimed.ts';
import { recordedFirst } from './invariants/recorded-first.ts';
import { resourcesSettled } from './invariants/resources-settled.ts';
import { secretsInStep } from './invariants/secrets-in-step.ts';
import { secretsOfTheirOwn } from './invariants/secrets-of-their-own.ts';
import { soundProcess } from './invariants/sound-process.ts';
import { statementsTrue } from './invariants/statements-true.ts';
import { usersCounted } from './invariants/users-counted.ts';
import { wellFormedStatuses } from './invariants/well-formed-statuses.ts';
import { wishesSurvive } from './invariants/wishes-survive.ts';
import { allInvariants } from './invariants.ts';
import { kindOf } from './kinds.ts';
import type { MadeUpHistory } from './made-up-history.ts';
import { madeUpHistory } from './made-up-history.ts';
import type { Scenario } from './scenario.ts';
import { credentialsSecret, credentials as estateCredentials } from './workload/estate.ts';

type Fields = Readonly<Record<string, unknown>>;

function object(apiVersion: string, kind: string, metadata: Fields, rest: Fields = {}): KubernetesObject {
  return { apiVersion, kind, metadata, ...rest } as unknown as KubernetesObject;
}

const claim = (
  name: string,
  { spec = {}, ...rest }: Fields & { spec?: Fields } = {},
  metadata: Fields = {},
) =>
  object(
    'database.crossplane.io/v1alpha1',
    'FancySQLInstance',
    { namespace: 'team', name, uid: `uid-of-${name}`, ...metadata },
    { spec, ...rest },
  );

const namespaceOf = (stage: string) => object('v1', 'Namespace', { name: 'team', labels: { stage } });
const forLive = { matchLabels: { stage: 'live' } };
const classFor = (specTemplate: Fields) =>
  object(
    'database.fcp.crossplane.io/v1alpha3',
    'FavouriteDBInstanceClass',
    { name: 'small' },
    {
      specTemplate: {
        writeConnectionSecretsToNamespace: 'system',
        forProvider: { fancinessLevel: 3 },
        ...specTemplate,
      },
    },
  );

const claimRef = (name: string, uid = `uid-of-${name}`) => ({
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
  namespace: 'team',
  name,
  uid,
});
const reserving = { claimRef: claimRef('orders') };

const managed = (
  name: string,
  { spec = {}, ...rest }: Fields & { spec?: Fields } = {},
  metadata: Fields = {},
) =>
  object(
    'database.fcp.crossplane.io/v1alpha3',
    'FavouriteDBInstance',
    {
      name,
      uid: `uid-of-${name}`,
      ...metadata,
      annotations: { [annotationKeys.externalName]: name, ...(metadata.annotations as Fields) },
    },
    { spec: { forProvider: { fancinessLevel: 1 }, ...spec }, ...rest },
  );

/** One whose network another resource gives. */
const referring = (resolve: string) =>
  managed('a', {
    spec: { forProvider: { networkId: 'net-1', networkIdRef: { name: 'n', policy: { resolve } } } },
  });

const selecting = (resolve: string) =>
  managed('a', { spec: { forProvider: { networkIdSelector: { policy: { resolve } } } } });

const secret = (
  namespace: string,
  name: string,
  owner: KubernetesObject | undefined,
  details: Readonly<Record<string, string>>,
) =>
  object(
    'v1',
    'Secret',
    {
      namespace,
      name,
      ...(owner && {
        ownerReferences: [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name,
            uid: owner.metadata.uid,
            controller: true,
          },
        ],
      }),
    },
    { type: connectionSecretType, data: encodeDetails(details) },
  );

const put =
  (...objects: readonly KubernetesObject[]) =>
  (cluster: MemoryCluster): void => {
    for (const each of objects) cluster.put(each.kind === 'Event' ? EventKind : kindOf(each), each);
  };

const leave =
  (each: KubernetesObject) =>
  (cluster: MemoryCluster): unknown =>
    cluster.leave(kindOf(each), objectKey(each.metadata));

const patch =
  (each: KubernetesObject, fields: object, subresource?: 'status') =>
  (cluster: MemoryCluster): unknown =>
    cluster.patch(kindOf(each) as Kind, objectKey(each.metadata), fields, subresource);

const event = (reason: string, message: string, uid = 'uid-of-orders') =>
  object(
    'v1',
    'Event',
    { namespace: 'default', name: reason },
    { involvedObject: { kind: 'Thing', name: 'x', uid }, reason, message },
  );
/** It waited so long until it was sent. */
const waitedFor = (waitedMs: number, told: ReturnType<typeof event>) => ({
  ...told,
  metadata: { ...told.metadata, creationTimestamp: new Date(waitedMs).toISOString() },
  lastTimestamp: new Date(0).toISOString(),
});

interface Case {
  readonly invariant: InvariantOf;
  readonly name: string;
  readonly history: (of: MadeUpHistory) => void | Promise<void>;
  /** What the invariant says; none: nothing is wrong. */
  readonly says?: readonly RegExp[];
  readonly scenario?: Partial<Scenario>;
}

const leaseOf = (holderIdentity: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'services-stack', name: 'services-stack' },
  spec: { holderIdentity },
});

/** A process stands still for so long. */
const still = (forMs: number): Scenario['steps'][number] => ({
  atMs: 1,
  act: { type: 'freeze', nth: 0, forMs },
});

const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const held = { finalizers: [finalizerNames.managed] };
const tagsOf = (owner: string) => ({
  'crossplane-kind': 'favouritedbinstance.database.fcp.crossplane.io',
  'crossplane-name': owner,
});
const post = (
  clouds: MadeUpHistory['clouds'],
  name: string,
  owner = name,
  password = 'a-password',
): Promise<void> => postTo(clouds, 'instances', { name, fanciness_level: 1, password, tags: tagsOf(owner) });
const postTo = async (clouds: MadeUpHistory['clouds'], what: string, item: object): Promise<void> => {
  const { dispatcher, url, token } = clouds.favourite;
  const { statusCode } = await dispatcher.request({
    origin: url,
    path: `/v1/${what}`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(item),
    signal: new AbortController().signal,
  } as Parameters<typeof dispatcher.request>[0]);
  assert.equal(statusCode, 201);
};

/** A queue in AWS, as its cloud has it. */
const putQueue = (
  { aws }: Pick<MadeUpHistory, 'aws'>,
  name: string,
  owner: string,
  item: Fields = {},
): void => {
  const tags = { 'crossplane-kind': 'queue.sqs.aws.crossplane.io', 'crossplane-name': owner };
  const [[, queues] = assert.fail('there is no place for queues')] = aws.things<object>('sqs/queue');
  queues.add(name, { name, attributes: { DelaySeconds: '0', VisibilityTimeout: '30' }, tags, ...item });
};

/** A resource that stands for one: its external name is where SQS says that it is. */
const queue = (
  name: string,
  { spec = {}, ...rest }: Fields & { spec?: Fields } = {},
  metadata: Fields = {},
) =>
  object(
    'sqs.aws.crossplane.io/v1beta1',
    'Queue',
    {
      name,
      uid: `uid-of-${name}`,
      ...metadata,
      annotations: {
        [annotationKeys.externalName]: `https://sqs.us-west-1.amazonaws.com/1/${name}`,
        ...(metadata.annotations as Fields),
      },
    },
    { spec: { forProvider: { region: 'us-west-1' }, ...spec }, ...rest },
  );

const cache = (password: string | undefined): StoredInstance => ({
  ...{
    name: 'projects/p/locations/l/instances/redis',
    project: 'p',
    region: 'l',
    createdAtMs: 0,
    ipRange: '',
  },
  fields: { memorySizeGb: 1, authEnabled: true },
  ...(password !== undefined && { authString: password }),
});
const redis = object(
  'cache.gcp.crossplane.io/v1beta1',
  'CloudMemorystoreInstance',
  { name: 'redis', uid: 'uid-of-redis' },
  {
    spec: {
      forProvider: { region: 'l', tier: 'BASIC', memorySizeGb: 1 },
      writeConnectionSecretToRef: { namespace: 'system', name: 'redis' },
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Synced', status: 'True' },
      ],
    },
  },
);

type Told = readonly [status: 'True' | 'False', reason: string, message?: string];

/** A status that says so of generation 1. */
const status = (ready: Told, synced: Told['0'] = 'True', more: Fields = {}): Fields => ({
  observedGeneration: 1,
  conditions: [
    {
      ...{ type: 'Ready', status: ready[0], reason: ready[1] },
      ...(ready[2] !== undefined && { message: ready[2] }),
    },
    { type: 'Synced', status: synced, reason: synced === 'True' ? 'ReconcileSuccess' : 'ReconcileError' },
  ],
  ...more,
});

const smallClass = (labels: Fields, annotations: Fields = {}, forProvider: Fields = {}) =>
  object(
    'database.fcp.crossplane.io/v1alpha3',
    'FavouriteDBInstanceClass',
    { name: 'small', labels, annotations },
    { specTemplate: { forProvider: { fancinessLevel: 1, ...forProvider } } },
  );
const isDefault = { [annotationKeys.defaultClass]: 'true' };
const small = { classSelector: { matchLabels: { size: 'small' } } };
const classRef = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name: 'small',
};
const resourceRef = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'a',
};
const [available, binding] = [
  ['True', 'Available'],
  ['False', 'Binding'],
] as const;
const [bound, unbound] = [{ bindingPhase: 'Bound' }, { bindingPhase: 'Unbound' }];
const boundTo = (name: string, told: Fields, spec: Fields = {}) =>
  managed('a', { spec: { claimRef: claimRef(name), ...spec }, status: told });
const ours = { finalizers: [finalizerNames.claim] };

const composed = secret('ops', 'a', object('example.org/v1', 'Composite', { name: 'a', uid: '1' }), {});

const withOwn = { spec: { resourceRef }, status: status(available, 'True', bound) };
const waits = { spec: { resourceRef }, status: status(binding, 'True', unbound) };
const claims: readonly (readonly [
  name: string,
  claimed: KubernetesObject,
  beside: readonly KubernetesObject[],
  says: readonly RegExp[],
])[] = [
  [
    'that is bound, as its resource is',
    claim('orders', withOwn, ours),
    [boundTo('orders', status(available, 'True', bound))],
    [],
  ],
  [
    'that is bound, and its resource is not',
    claim('orders', withOwn, ours),
    [managed('a', { status: status(available, 'True', unbound) })],
    [
      /is Bound, and no resource is bound to it$/,
      /does not have Ready False/,
      /has to bind FavouriteDBInstance a$/,
    ],
  ],
  [
    'without a finalizer, whose resource is bound',
    claim('orders', withOwn),
    [boundTo('orders', status(available, 'True', bound))],
    [/has no finalizer, and owns a$/],
  ],
  [
    'that does not say Ready False, and its resource does',
    claim('orders', withOwn, ours),
    [boundTo('orders', status(['False', 'Creating'], 'True', bound))],
    [/has Ready True, and should have False$/],
  ],
  [
    'that does not say that it is bound',
    claim('orders', waits, ours),
    [boundTo('orders', status(available, 'True', bound))],
    [/is Unbound, and a is bound to it$/, /has Ready False, and should have True$/],
  ],
  [
    'whose resource is not Ready',
    claim('orders', waits, ours),
    [boundTo('orders', status(['False', 'Creating'], 'True', unbound))],
    [],
  ],
  [
    'that waits for a resource that it could have',
    claim('orders', waits, ours),
    [managed('a', { status: status(available, 'True', unbound) })],
    [/waits, and has to bind FavouriteDBInstance a$/],
  ],
  [
    'that waits for a resource of another claim',
    claim('orders', waits, ours),
    [boundTo('other', status(available, 'True', unbound))],
    [],
  ],
  [
    'that waits for a Released resource',
    claim('orders', waits, ours),
    [managed('a', { status: status(available, 'True', { bindingPhase: 'Released' }) })],
    [],
  ],
  [
    'that nothing serves',
    claim('orders', { spec: small, status: status(binding, 'True', unbound) }),
    [smallClass({})],
    [],
  ],
  [
    'that a class serves',
    claim('orders', { spec: small, status: status(binding, 'True', unbound) }),
    [smallClass({ size: 'small' })],
    [/waits, and has to get the class small, which matches$/],
  ],
  [
    'that the default class serves',
    claim('orders', { status: status(binding, 'True', unbound) }),
    [smallClass({}, isDefault)],
    [/waits, and has to get the class small, the default$/],
  ],
  [
    'in a status of long ago',
    claim('orders', { status: { ...status(binding, 'True', unbound), observedGeneration: 0 } }),
    [],
    [/has observed generation 0 of 1$/],
  ],
];

const credentials = [
  object(
    'v1',
    'Secret',
    { namespace: 'ops', name: 'cloud' },
    { data: encodeDetails({ key: JSON.stringify({ url: 'http://cloud.test', token: 'favourite-token' }) }) },
  ),
  object(
    'fcp.crossplane.io/v1alpha3',
    'ProviderConfig',
    { name: 'default' },
    {
      spec: { credentials: { source: 'Secret', secretRef: { namespace: 'ops', name: 'cloud', key: 'key' } } },
    },
  ),
];

/** The secret of a provider in the simulated world, with what its cloud takes or not. */
const cloudSecret = (held: 'right' | 'wrong') => {
  const { namespace, name, key } = credentialsSecret.favourite;
  const details = held === 'right' ? estateCredentials.favourite : { [key]: 'nonsense' };
  return object('v1', 'Secret', { namespace, name }, { data: encodeDetails(details) });
};
const cloudConfig = object(
  'fcp.crossplane.io/v1alpha3',
  'ProviderConfig',
  { name: 'default' },
  { spec: { credentials: { source: 'Secret', secretRef: credentialsSecret.favourite } } },
);
const readyAs = (status: string, reason: string) => ({
  status: { conditions: [{ type: 'Ready', status, reason, lastTransitionTime: '2026-01-02T03:04:05Z' }] },
});
const usable = {
  conditions: ['Ready', 'Synced'].map((type) => ({ type, status: 'True', reason: 'Well' })),
};

/** What a managed resource says of a database of level 1 and version 5.7, and what is wrong with that. */
const resources: readonly (readonly [
  name: string,
  spec: Fields,
  told: Fields,
  password: string | undefined,
  says: readonly RegExp[],
])[] = [
  ['as it is outside', {}, status(available), 'a-password', []],
  [
    'with another level',
    { forProvider: { fancinessLevel: 2 } },
    status(available),
    'a-password',
    [/level 1, and not 2$/],
  ],
  [
    'with another level, and without leave to update',
    { forProvider: { fancinessLevel: 2 }, managementPolicies: ['Observe'] },
    status(available),
    undefined,
    [],
  ],
  [
    'with a password that is not that',
    {},
    status(available),
    'another',
    [/the password in its Secret does not work$/],
  ],
  ['Ready without a password', {}, status(available), undefined, [/its Secret has no password$/]],
  [
    'not Ready, and it is there',
    {},
    status(['False', 'Creating']),
    'a-password',
    [/Ready is False \(Creating\), and it is there/],
  ],
  [
    'whose password may not be set again',
    { managementPolicies: ['Observe', 'Create', 'Delete'] },
    status(available),
    'another',
    [],
  ],
  [
    'in a status of long ago',
    {},
    { ...status(available), observedGeneration: 0 },
    'a-password',
    [/generation 0 of 1$/],
  ],
  [
    'of a version that it cannot have',
    { forProvider: { fancinessLevel: 1, version: '9' } },
    status(available),
    'a-password',
    [/Synced is True .*its version cannot be changed/],
  ],
  [
    'that is paused and does not say so',
    { managementPolicies: [] },
    status(available),
    'a-password',
    [/paused/],
  ],
  [
    'with policies that are no set',
    { managementPolicies: ['Create'] },
    status(available),
    'a-password',
    [/no supported set/],
  ],
  [
    'whose provider leads nowhere',
    { providerRef: { name: 'x' } },
    status(available),
    'a-password',
    [/leads nowhere/],
  ],
];

const refusedBy = (place: string): Fields => ({
  observedGeneration: 1,
  conditions: [
    { type: 'Ready', status: 'False', reason: 'Unavailable' },
    { type: 'Synced', status: 'False', reason: 'ReconcileError', message: `${place} belongs to another` },
  ],
});
const store = object(
  'secrets.crossplane.io/v1alpha1',
  'StoreConfig',
  { name: 'default' },
  { spec: { type: 'Kubernetes', defaultScope: 'stores' } },
);
const toSecret = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
const toStore = { publishConnectionDetailsTo: { name: 'a' } };

const [orders, other] = [claim('orders'), claim('other')];
const [a, b] = [
  managed('a', { spec: { claimRef: claimRef('orders') } }),
  managed('b', { spec: { claimRef: claimRef('orders') } }),
];
const isBound = boundTo('orders', status(available, 'True', bound));
const claimBound = claim('orders', {
  spec: { resourceRef },
  status: status(['False', 'Creating'], 'True', bound),
});
const claimReleased = claim('orders', { status: { bindingPhase: 'Released' } });
const claimReady = claim('orders', { spec: { resourceRef }, status: status(available, 'True', bound) });

/** What there is, for how long it has been gone, what a process writes then, and what is wrong with that. */
const statements: readonly (readonly [
  name: string,
  before: readonly KubernetesObject[],
  lateMs: number | undefined,
  after: KubernetesObject,
  says: readonly RegExp[],
])[] = [
  ['that a claim is Bound, and it is', [isBound], undefined, claimBound, []],
  ['that a claim is Bound, and it was a moment ago', [isBound], 500, claimBound, []],
  [
    'that a claim is Bound, and it was long ago',
    [isBound],
    60_000,
    claimBound,
    [/no managed resource is to it$/],
  ],
  [
    'that a claim is Bound, and it never was',
    [boundTo('other', bound)],
    undefined,
    claimBound,
    [/says that it is Bound/],
  ],
  ['that a claim is Released, and it was Bound long ago', [isBound], 600_000, claimReleased, []],
  [
    'that a claim is Released, and it never was Bound',
    [boundTo('other', bound)],
    undefined,
    claimReleased,
    [/says that it is Released, and was bound to nothing$/],
  ],
  ['that a claim is Ready, and it is', [isBound], undefined, claimReady, []],
  [
    'that a claim is Ready, and what it has is not',
    [boundTo('orders', status(['False', 'Creating'], 'True', bound))],
    undefined,
    claimReady,
    [/its managed resource is not$/],
  ],
  [
    'that a database is Ready, and it is online',
    [],
    undefined,
    managed('a', { status: status(available) }),
    [],
  ],
  [
    'that a database is Ready, and there is none',
    [],
    undefined,
    managed('b', { status: status(available) }),
    [/^FavouriteDBInstance b says that it is Ready, and favourite b is not online$/],
  ],
  [
    'that it bound a claim, and it did',
    [isBound],
    60_000,
    event('BoundManagedResource', 'bound to FavouriteDBInstance a'),
    [],
  ],
  [
    'that it bound a claim to another',
    [isBound],
    undefined,
    event('BoundManagedResource', 'bound to FavouriteDBInstance b'),
    [/never uid-of-orders named by FavouriteDBInstance b$/],
  ],
  [
    'that it made what it made',
    [a],
    undefined,
    event('CreatedManagedResource', 'created FavouriteDBInstance a from X y'),
    [],
  ],
  [
    'that it made what it did not',
    [],
    undefined,
    event('CreatedManagedResource', 'created FavouriteDBInstance a from X y'),
    [/never/],
  ],
  [
    'that it deleted what is deleted',
    [isBound],
    0,
    event('UnboundManagedResource', 'unbound from FavouriteDBInstance a, which is deleted'),
    [],
  ],
  [
    'that it deleted what stays',
    [isBound],
    undefined,
    event('UnboundManagedResource', 'unbound from FavouriteDBInstance a, which is deleted'),
    [/never FavouriteDBInstance a deleted$/],
  ],
  [
    'that it released what stays',
    [isBound],
    undefined,
    event('UnboundManagedResource', 'unbound from FavouriteDBInstance a, which is Released'),
    [/never FavouriteDBInstance a Released$/],
  ],
  [
    'that a claim is gone, and it is',
    [orders],
    0,
    event('ClaimNotFound', 'FancySQLInstance team/orders (UID uid-of-orders) no longer exists'),
    [],
  ],
  [
    'that a claim is gone, and it is there',
    [orders],
    undefined,
    event('ClaimNotFound', 'FancySQLInstance team/orders (UID uid-of-orders) no longer exists'),
    [/it is there$/],
  ],
  [
    'that it deleted outside what it did not',
    [managed('a')],
    undefined,
    event('DeletedExternalResource', 'x', 'uid-of-a'),
    [/never uid-of-a unmade$/],
  ],
  [
    'that it made outside what it did not',
    [managed('b')],
    undefined,
    event('CreatedExternalResource', 'x', 'uid-of-b'),
    [/never uid-of-b made$/],
  ],
  [
    'how many classes there are',
    [smallClass({})],
    undefined,
    event('NoMatchingClass', 'FavouriteDBInstanceClass 0 of 1'),
    [],
  ],
  [
    'how many classes there were long ago',
    [smallClass({})],
    60_000,
    event('NoMatchingClass', 'FavouriteDBInstanceClass 0 of 1'),
    [/says "FavouriteDBInstanceClass 0 of 1", and there are 0$/],
  ],
  [
    'how many classes there were when it began to tell it',
    [smallClass({})],
    60_000,
    waitedFor(60_000, event('NoMatchingClass', 'FavouriteDBInstanceClass 0 of 1')),
    [],
  ],
  [
    'how many classes there were long before it began to tell it',
    [smallClass({})],
    60_000,
    waitedFor(30_000, event('NoMatchingClass', 'FavouriteDBInstanceClass 0 of 1')),
    [/says "FavouriteDBInstanceClass 0 of 1", and there are 0$/],
  ],
];
const inPostgresql = (kind: string, name: string, forProvider: Fields, told = status(available)) =>
  object(
    'postgresql.crossplane.io/v1alpha1',
    kind,
    { name, uid: `uid-of-${name}`, annotations: { [annotationKeys.externalName]: name } },
    { spec: { forProvider, writeConnectionSecretToRef: { namespace: 'ops', name } }, status: told },
  );
const [shop, clerk] = [
  inPostgresql('PostgreSQLDatabase', 'shop', { connectionLimit: 5 }),
  inPostgresql('PostgreSQLRole', 'clerk', { login: true }),
];
const grant = (privilege: string) =>
  inPostgresql('PostgreSQLGrant', 'g', { role: 'clerk', database: 'shop', privileges: [privilege] });
const login = (password: string) => secret('ops', 'clerk', clerk, { username: 'clerk', password });

/** Who says what of a server with a database of five connections and a role that may create in it, and what is wrong. */
const servers: readonly (readonly [
  name: string,
  there: readonly KubernetesObject[],
  says: readonly RegExp[],
])[] = [
  ['a database as it is', [shop], []],
  [
    'a database that is not there',
    [inPostgresql('PostgreSQLDatabase', 'x', {})],
    [/^PostgreSQLDatabase x is Ready, and there is no database x$/],
  ],
  [
    'one that is not there, which says so',
    [inPostgresql('PostgreSQLDatabase', 'x', {}, status(['False', 'Creating']))],
    [],
  ],
  [
    'a database with another limit',
    [inPostgresql('PostgreSQLDatabase', 'shop', { connectionLimit: 7 })],
    [/the limit of connections is 5 and not 7$/],
  ],
  ['a role whose login works', [clerk, login('a-password')], []],
  [
    'a role whose login does not',
    [clerk, login('another')],
    [/the login in its secret is refused with 28P01$/],
  ],
  [
    'a role that may not log in',
    [inPostgresql('PostgreSQLRole', 'clerk', {})],
    [/login is true and not false$/],
  ],
  ['a grant that is given', [grant('CREATE')], []],
  ['a grant that is not', [grant('TEMPORARY')], [/clerk has no TEMPORARY on database "shop"$/]],
  ...(
    [
      ['clerk', 'staff', []],
      ['staff', 'clerk', [/Ready, and staff is no member of clerk$/]],
    ] as const
  ).map(([role, memberOf, says]) => {
    const one = inPostgresql('PostgreSQLGrant', 'g', { roleRef: { name: role }, memberOf });
    return [`a membership of ${role} in ${memberOf}`, [one], says] as const;
  }),
  ...(
    [
      ['CREATE', []],
      ['TEMPORARY', [/clerk has no TEMPORARY on database "shop"$/]],
    ] as const
  ).map(([privilege, says]) => {
    const references = { roleRef: { name: 'clerk' }, databaseRef: { name: 'shop' }, privileges: [privilege] };
    const one = inPostgresql('PostgreSQLGrant', 'g', references);
    return [`a grant of ${privilege} by references that are not resolved`, [one], says] as const;
  }),
];

const says = (condition: Fields, more: Fields = {}) =>
  claim('orders', {
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Binding',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          ...condition,
        },
      ],
      ...more,
    },
  });

const cases: readonly Case[] = [
  ...servers.map(
    ([name, there, says]): Case => ({
      invariant: postgresqlSettled,
      name,
      async history({ cluster, postgresql, rest }) {
        await postgresql.sql('CREATE ROLE "clerk" LOGIN PASSWORD \'a-password\'');
        await postgresql.sql('CREATE DATABASE "shop"');
        await postgresql.sql('ALTER DATABASE "shop" CONNECTION LIMIT 5');
        await postgresql.sql('CREATE ROLE "staff"');
        await postgresql.sql('GRANT "staff" TO "clerk"');
        await postgresql.sql('GRANT CREATE ON DATABASE "shop" TO "clerk"');
        put(...there)(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['as it should', says({}), []],
      ['a reason in words', says({ reason: 'It is so.' }), [/with reason "It is so\."$/]],
      ['no time', says({ lastTransitionTime: 'now' }), [/since "now"$/, /since another time/]],
      ['what cannot be printed', says({ message: 'a\u001b[31m' }), [/cannot be printed$/]],
      [
        'another time for the same',
        says({ lastTransitionTime: '2026-01-01T00:00:01Z' }),
        [/since another time/],
      ],
      ['a generation that is to come', says({}, { observedGeneration: 3 }), [/generation 3, and is of 1$/]],
      [
        'a condition twice',
        claim('orders', {
          status: {
            conditions: [1, 2].map(
              () => (says({}) as unknown as { status: { conditions: Fields[] } }).status.conditions[0],
            ),
          },
        }),
        [/has a condition twice: Ready,Ready$/],
      ],
    ] as const
  ).map(
    ([name, after, its]): Case => ({
      invariant: wellFormedStatuses,
      name: `a status has ${name}`,
      history({ as, cluster }) {
        put(says({}))(cluster);
        as('p1', put(after));
      },
      says: its,
    }),
  ),
  {
    invariant: provisionedOnce,
    name: 'a second one is made when the first is gone',
    history({ as, cluster }) {
      as('p1', put(a));
      leave(a)(cluster);
      as('p2', put(b));
    },
    says: [
      /^p2 creates FavouriteDBInstance b for claim uid-of-orders, which was given FavouriteDBInstance a$/,
    ],
  },
  {
    invariant: provisionedOnce,
    name: 'the same is made again before it is bound',
    history({ as, cluster }) {
      as('p1', put(a));
      leave(a)(cluster);
      as('p2', put(a));
    },
  },
  ...claims.map(
    ([name, claimed, beside, says]): Case => ({
      invariant: claimsSettled,
      name: `a claim ${name}`,
      history({ cluster, rest }) {
        put(...beside, claimed)(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'two claims are bound to one',
        ['orders', 'other'],
        ['orders'],
        [/^team\/orders and team\/other are bound to one resource$/],
      ],
      [
        'two resources are bound to one claim',
        ['orders'],
        ['orders', 'orders'],
        [/^r0 and r1 are bound to one claim$/],
      ],
      ['each claim has one', ['orders'], ['orders', 'other'], []],
    ] as const
  ).map(
    ([name, named, owners, says]): Case => ({
      invariant: oneToOne,
      name,
      history({ cluster, rest }) {
        for (const each of named) put(claim(each, { spec: { resourceRef }, status: bound }))(cluster);
        for (const [index, owner] of owners.entries()) {
          put(managed(`r${index}`, { spec: { claimRef: claimRef(owner) }, status: bound }))(cluster);
        }
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['equal', { password: 'x' }, { password: 'x' }, 'True', []],
      ['with a key less', { password: 'x', port: '1' }, { password: 'x' }, 'True', [/has keys password/]],
      ['with a key more', { password: 'x' }, { password: 'x', own: '1' }, 'True', [/has keys password,own/]],
      ['without a source', undefined, { password: 'x' }, 'True', [/the Secret of its resource is not there/]],
      ['missing', { password: 'x' }, undefined, 'True', [/its Secret is not there/]],
      ['missing, and the claim says so', { password: 'x' }, undefined, 'False', []],
    ] as const
  ).map(
    ([name, source, target, synced, says]): Case => ({
      invariant: secretsInStep,
      name: `the Secret of a claim is ${name}`,
      history({ cluster, rest }) {
        const spec = { resourceRef, writeConnectionSecretToRef: { name: 'conn' } };
        const ready = claim('orders', { spec, status: status(available, synced, bound) });
        const from = boundTo('orders', status(available, 'True', bound), toSecret);
        put(ready, from)(cluster);
        if (source !== undefined) put(secret('ops', 'a', from, source))(cluster);
        if (target !== undefined) put(secret('team', 'conn', ready, target))(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'that another claim had',
        other,
        {},
        [/^secret team\/later of FancySQLInstance team\/other holds a password that/],
      ],
      [
        'that an earlier claim of its name had',
        claim('orders', {}, { uid: 'uid-again' }),
        {},
        [/holds a password that/],
      ],
      [
        'that it had itself before a restore',
        claim('orders', {}, { uid: 'uid-again' }),
        { isRestored: true },
        [],
      ],
      ['that it had itself', orders, {}, []],
      ['that a user chose', other, { isChosen: true }, []],
    ] as const
  ).map(
    ([name, later, { isRestored, isChosen }, says]: readonly [
      string,
      KubernetesObject,
      { readonly isRestored?: boolean; readonly isChosen?: boolean },
      readonly RegExp[],
    ]): Case => ({
      invariant: secretsOfTheirOwn,
      name: `a claim is given a password ${name}`,
      history({ as, cluster, restore, wish }) {
        as('p1', put(secret('team', 'conn', orders, { password: 'x' })));
        const source = secret('ops', 'a', a, {});
        put(source)(cluster);
        if (isRestored) restore('uid-again');
        if (isChosen) wish(source, { data: encodeDetails({ password: 'x' }) });
        as('p1', put(secret('team', 'later', later, { password: 'x' })));
      },
      says,
    }),
  ),
  {
    invariant: nothingLeft,
    name: 'a claim is gone, and a late request creates its Secret',
    history({ as, cluster, rest }) {
      put(orders)(cluster);
      as('p1', leave(orders));
      as('p1', put(secret('team', 'conn', orders, {})));
      rest();
    },
  },
  ...(
    [
      ['has another major version', '14', '99', []],
      ['says none', '14', undefined, [/waits, and has to create a resource from small$/]],
      ['has its major version', '14', '14.2', [/waits, and has to create a resource from small$/]],
      ['has one, and it asks for none', undefined, '14', [/has to create a resource from small$/]],
    ] as const
  ).map(
    ([name, asked, given, says]): Case => ({
      invariant: claimsSettled,
      name: `a claim of PostgreSQL whose class ${name}`,
      history({ cluster, rest }) {
        const [apiVersion, kind] = ['postgresql.crossplane.io/v1alpha1', 'PostgreSQLDatabaseClass'];
        const forProvider = given === undefined ? {} : { engineVersion: given };
        const version = asked === undefined ? {} : { engineVersion: asked };
        put(
          object(apiVersion, kind, { name: 'small' }, { specTemplate: { forProvider } }),
          object(
            'database.crossplane.io/v1alpha1',
            'PostgreSQLInstance',
            { namespace: 'team', name: 'orders', uid: 'uid-of-orders' },
            {
              spec: { classRef: { apiVersion, kind, name: 'small' }, ...version },
              status: status(['False', 'Creating'], 'True', unbound),
            },
          ),
        )(cluster);
        rest();
      },
      says,
    }),
  ),
  ...resources.map(
    ([name, spec, told, password, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database ${name}`,
      async history({ cluster, clouds, rest }) {
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const one = managed('a', { spec: { ...to, ...spec }, status: told });
        put(...credentials, one)(cluster);
        if (password !== undefined) put(secret('ops', 'a', one, { password }))(cluster);
        await post(clouds, 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['and nobody can look, for it refers to nothing', 'cannot resolve references: no Network', []],
      ['and it does not say so', '', [/nothing outside, which it may not create/]],
    ] as const
  ).map(
    ([name, message, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database that may not be made and is not there, ${name}`,
      history({ cluster, rest }) {
        const told = {
          observedGeneration: 1,
          conditions: [
            { type: 'Ready', status: 'Unknown', reason: 'Pending' },
            { type: 'Synced', status: 'False', reason: 'ReconcileError', message },
          ],
        };
        put(
          ...credentials,
          managed('a', { spec: { managementPolicies: ['Observe', 'Delete'] }, status: told }),
        )(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['that is there', [other], toSecret, refusedBy('ops/a'), []],
      [
        'that is not there',
        [],
        toSecret,
        refusedBy('ops/a'),
        [/no password$/, /Ready is False/, /Synced is False/],
      ],
      ['of a kind that nobody here knows', [composed], toSecret, refusedBy('ops/a'), []],
      [
        'of a kind that nobody here knows, and it does not say so',
        [composed],
        toSecret,
        status(available),
        [/Ready is True/, /not say that ops\/a/],
      ],
      [
        'and it is Ready all the same',
        [other],
        toSecret,
        status(available, 'False'),
        [/Ready is True/, /not say that ops\/a/],
      ],
      [
        'and it does not say so',
        [other],
        toSecret,
        refusedBy('ops/b'),
        [/^\S+ a: Synced does not say that ops\/a/],
      ],
      ['of a secret store', [other, store], toStore, refusedBy('stores/a'), []],
      [
        'of a secret store, whose type is its own, and that is not there any more',
        [store],
        toStore,
        refusedBy('stores/a'),
        [],
        'one',
      ],
      [
        'of a secret store that is not there',
        [store],
        toStore,
        refusedBy('stores/a'),
        [/^\S+ a: Ready/, /^\S+ a: Synced/],
      ],
    ] as const
  ).map(
    ([name, beside, spec, told, says, type]): Case => ({
      invariant: resourcesSettled,
      name: `a database whose secret is another’s ${name}`,
      async history({ cluster, clouds, rest }) {
        const labels = { 'secret.crossplane.io/owner-uid': other.metadata.uid };
        const kept = secret('stores', 'a', undefined, { password: 'x' });
        put(
          ...credentials,
          ...beside,
          managed('a', { spec, status: told }),
          ...(beside.some((each) => each === composed) ? [] : [secret('ops', 'a', other, { password: 'x' })]),
          { ...kept, ...(type && { type }), metadata: { ...kept.metadata, labels } } as KubernetesObject,
        )(cluster);
        await post(clouds, 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['and says that this has no effect', 'False', 'a', []],
      ['and does not say that this has no effect', 'True', 'a', [/an edit of its name has no effect/]],
      ['and is gone', 'True', 'b', [/there is nothing outside$/]],
    ] as const
  ).map(
    ([name, synced, there, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database that somebody has renamed, ${name}`,
      async history({ cluster, clouds, rest }) {
        const annotations = { [annotationKeys.externalName]: 'renamed' };
        const told = { ...status(available, synced), externalIdentity: '{"name":"a"}' };
        put(...credentials, managed('a', { status: told }, { annotations }))(cluster);
        await post(clouds, there, 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['foreign', {}, 'b', [/somebody else/]],
      ['not there', {}, undefined, [/there is nothing outside$/]],
      [
        'not there, and only observed',
        { managementPolicies: ['Observe'] },
        undefined,
        [/^\S+ a: Ready is True .*does not exist/, /^\S+ a: Synced is True .*does not exist/],
      ],
      [
        'only observed, under a name that its spec has, and there under its own',
        { managementPolicies: ['Observe'], forProvider: { fancinessLevel: 1, name: 'other' } },
        'a',
        [/^\S+ a: Ready is True .*does not exist/, /^\S+ a: Synced is True .*does not exist/],
      ],
    ] as const
  ).map(
    ([name, spec, owner, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database that is ${name}`,
      async history({ cluster, clouds, rest }) {
        const unnamed = { annotations: { [annotationKeys.externalName]: '' } };
        put(...credentials, managed('a', { spec, status: status(available) }, unnamed))(cluster);
        if (owner !== undefined) await post(clouds, 'a', owner);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['on record', { metadata: { ...held, annotations: { [annotationKeys.externalIdentity]: '{}' } } }, []],
      [
        'without a finalizer',
        { metadata: { annotations: { [annotationKeys.externalIdentity]: '{}' } } },
        [/not recorded$/],
      ],
      ['without a record', { metadata: held }, [/not recorded$/]],
      ['for nobody', undefined, [/created favourite a for a, which is not there$/]],
    ] as const
  ).map(
    ([name, its, says]): Case => ({
      invariant: recordedFirst,
      name: `a process makes something ${name}`,
      async history({ cluster, clouds, call }) {
        if (its !== undefined) put(managed('a', {}, its.metadata))(cluster);
        await post(clouds, 'a');
        call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, 'p1', []],
      ['long ago', 10_000, 'p1', [/created favourite a, which is not recorded$/]],
    ] as const
  ).map(
    ([name, laterMs, who, says]): Case => ({
      invariant: recordedFirst,
      name: `a process makes something whose record somebody took away ${name}`,
      async history({ ask, cluster, clouds, call, later }) {
        const annotations = { [annotationKeys.externalIdentity]: '{}' };
        const made = managed('a', {}, { finalizers: [finalizerNames.managed], annotations });
        ask('get X');
        later(1);
        put(made)(cluster);
        patch(made, { metadata: { annotations: null } })(cluster);
        later(laterMs);
        ask('get X', who);
        await post(clouds, 'a');
        call({ by: who, system: 'favourite', verb: 'POST', target: '/v1/instances' });
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, 0, 'p1', []],
      ['long ago', 10_000, 0, 'p1', [/created favourite a for a, which is not there$/]],
      ['while it stood still', 10_000, 10_000, 'p1', []],
      [
        'before it went on, long ago',
        30_000,
        10_000,
        'p1',
        [/created favourite a for a, which is not there$/],
      ],
    ] as const
  ).map(
    ([name, laterMs, forMs, who, says]): Case => ({
      invariant: recordedFirst,
      scenario: { steps: forMs === 0 ? [] : [{ atMs: 0, act: { type: 'freeze', nth: 0, forMs } }] },
      name: `a process makes something for what somebody took the finalizer of and deleted ${name}`,
      async history({ ask, cluster, clouds, call, later }) {
        const annotations = { [annotationKeys.externalIdentity]: '{}' };
        const made = managed('a', {}, { finalizers: [finalizerNames.managed], annotations });
        ask('get X');
        later(1);
        put(made)(cluster);
        patch(made, { metadata: { finalizers: null } })(cluster);
        cluster.delete(kindOf(made), { name: 'a' });
        later(laterMs);
        ask('get X', who);
        await post(clouds, 'a');
        call({ by: who, system: 'favourite', verb: 'POST', target: '/v1/instances' });
      },
      says,
    }),
  ),
  ...(
    [
      [
        'its secret stays',
        'p1',
        true,
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      ['its secret goes', 'p1', false, []],
      ['a person took its finalizer away', 'somebody', true, []],
    ] as const
  ).map(
    ([name, who, stays, says]): Case => ({
      invariant: nothingLeft,
      name: `a claim goes, and ${name}`,
      history({ as, cluster, rest }) {
        put(orders, ...(stays ? [secret('team', 'conn', orders, {})] : []))(cluster);
        as(who, leave(orders));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [connectionSecretType, [/^secret stores\/a is still there, and FavouriteDBInstance a is gone$/]],
      ['example.com/database', []], // no process watches those of other types
    ] as const
  ).map(
    ([type, says]): Case => ({
      invariant: nothingLeft,
      name: `a managed resource goes, and leaves a secret of type ${type} in a secret store`,
      history({ as, cluster, rest }) {
        const kept = secret('stores', 'a', undefined, { password: 'x' });
        const labels = { 'secret.crossplane.io/owner-uid': a.metadata.uid };
        put(a, { ...kept, type, metadata: { ...kept.metadata, labels } } as unknown as KubernetesObject)(
          cluster,
        );
        as('p1', leave(a));
        rest();
      },
      says,
    }),
  ),
  {
    invariant: nothingLeft,
    name: 'a managed resource goes, and leaves a secret in a namespace that no StoreConfig names any more',
    history({ as, cluster, rest }) {
      const kept = secret('stores', 'a', undefined, { password: 'x' });
      const labels = { 'secret.crossplane.io/owner-uid': a.metadata.uid };
      const config = {
        apiVersion: 'secrets.crossplane.io/v1alpha1',
        kind: 'StoreConfig',
        metadata: { name: 'default' },
      };
      const spec = { type: 'Kubernetes', defaultScope: 'stores' };
      put(a, { ...config, spec } as unknown as KubernetesObject)(cluster);
      put({
        ...kept,
        type: connectionSecretType,
        metadata: { ...kept.metadata, labels },
      } as unknown as KubernetesObject)(cluster);
      as('somebody', patch(config as unknown as KubernetesObject, { spec: { defaultScope: 'elsewhere' } }));
      as('p1', leave(a));
      rest();
    },
    says: [],
  },
  ...(
    [
      ['as many as do', 2, [finalizerNames.providerConfig], []],
      ['fewer than do', 1, [finalizerNames.providerConfig], [/says that 1 use it, and 2 do$/]],
      ['and does not stay', 2, [], [/has no finalizer$/]],
    ] as const
  ).map(
    ([name, users, finalizers, says]): Case => ({
      invariant: usersCounted,
      name: `a ProviderConfig says that it is used by ${name}`,
      history({ cluster, rest }) {
        const config = credentials[1]!;
        put(
          { ...config, metadata: { ...config.metadata, finalizers }, status: { users } } as KubernetesObject,
          managed('a'),
          managed('b', { spec: { providerConfigRef: { name: 'default' } } }),
          managed('c', { spec: { providerRef: { name: 'legacy' } } }),
          managed('d', { spec: { providerConfigRef: { name: 'other' } } }),
          shop,
        )(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'works, which it was asked',
        'right',
        'GET favourite /v1/instances/a',
        'True',
        'CredentialsAccepted',
        [],
      ],
      ['works, which nobody asked', 'right', undefined, 'True', 'CredentialsAccepted', [/nobody has asked$/]],
      [
        'works, with credentials that are wrong',
        'wrong',
        'GET favourite /v1/instances/a',
        'True',
        'CredentialsAccepted',
        [/its credentials are wrong$/],
      ],
      ['is refused, and is', 'wrong', undefined, 'False', 'CredentialsRefused', []],
      [
        'is refused, with credentials that are right',
        'right',
        undefined,
        'False',
        'CredentialsRefused',
        [/its credentials are right/],
      ],
      [
        'does not answer, which nothing keeps it from',
        'right',
        undefined,
        'False',
        'NoAnswer',
        [/everything has answered/],
      ],
      [
        'does not answer, of which a process that stood still heard too late',
        'right',
        undefined,
        'False',
        'NoAnswer',
        [],
        { type: 'freeze', nth: 1, forMs: 20_000 },
      ],
    ] as const
  ).map(
    ([name, held, asked, status, reason, says, act]): Case => ({
      invariant: providersTold,
      scenario: { steps: act === undefined ? [] : [{ atMs: 30_000, act }] },
      name: `a provider says that it ${name}`,
      history({ as, ask, cluster }) {
        put(cloudSecret(held), cloudConfig)(cluster);
        if (asked !== undefined) ask(asked);
        as('p1', patch(cloudConfig, readyAs(status, reason), 'status'));
      },
      says,
    }),
  ),
  ...(
    [
      ['long after it was asked', [], [/nobody has asked$/]],
      ['by a process that stood still since it asked', [still(20_000)], []],
      ['long after by a process that stood still for a moment', [still(1_000)], [/nobody has asked$/]],
    ] as const
  ).map(
    ([name, steps, says]): Case => ({
      invariant: providersTold,
      scenario: { steps },
      name: `a provider is said to work ${name}`,
      history({ as, ask, cluster, later }) {
        put(cloudSecret('right'), cloudConfig)(cluster);
        ask('GET favourite /v1/instances/a');
        later(25_000);
        as('p1', patch(cloudConfig, readyAs('True', 'CredentialsAccepted'), 'status'));
      },
      says,
    }),
  ),
  ...(
    [
      ['one thing', 1, []],
      ['another thing with each call', 24, Array.from({ length: 4 }, () => /has said 2\d times$/)],
    ] as const
  ).map(
    ([name, times, says]): Case => ({
      invariant: providersTold,
      name: `a provider says ${name}`,
      history({ as, ask, cluster }) {
        put(cloudSecret('wrong'), cloudConfig)(cluster);
        ask('GET favourite /v1/instances/a');
        for (let time = 0; time < times; time += 1) {
          const status = time % 2 === 0 ? 'False' : 'Unknown';
          as('p1', patch(cloudConfig, readyAs(status, 'CredentialsRefused'), 'status'));
        }
      },
      says,
    }),
  ),
  ...(
    [
      ['works, and it does', 'True', 'CredentialsAccepted', []],
      ['nothing', undefined, undefined, [/does not say whether it works$/]],
      ['is refused, and is not', 'False', 'CredentialsRefused', [/says CredentialsRefused, and works/]],
      ['is unused, and is not', 'Unknown', 'Unused', [/says that nobody uses it, and a does$/]],
    ] as const
  ).map(
    ([name, status, reason, says]): Case => ({
      invariant: providersTold,
      name: `at rest a provider says: it ${name}`,
      history({ cluster, rest }) {
        put(cloudSecret('right'), cloudConfig, managed('a', { status: usable }))(cluster);
        if (status !== undefined) patch(cloudConfig, readyAs(status, reason), 'status')(cluster);
        rest();
      },
      says,
    }),
  ),
  {
    invariant: deletionEnds,
    name: 'something waits for ever',
    history({ as, rest }) {
      as('p1', put(managed('a', {}, { ...gone, ...held })));
      rest();
    },
    says: [/^FavouriteDBInstance a is still being deleted$/],
  },
  ...(
    [
      [
        'and says that nobody lets go of it',
        'which no controller here handles, so that nobody lets go of it',
        [],
      ],
      [
        'and says only that nobody handles it',
        'which no controller here handles',
        [/is still being deleted$/],
      ],
    ] as const
  ).map(
    ([name, message, says]): Case => ({
      invariant: deletionEnds,
      name: `a claim waits for ever ${name}`,
      history({ as, rest }) {
        const conditions = [{ type: 'Ready', status: 'False', reason: 'UnknownKind', message }];
        as('p1', put(claim('orders', { status: { conditions } }, { ...gone, ...ours })));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['what it published to', 'cannot get connection details: StoreConfig late does not exist', []],
      ['nothing that it names', 'cannot get connection details: boom', [/is still being deleted$/]],
    ] as const
  ).map(
    ([name, message, says]): Case => ({
      invariant: deletionEnds,
      name: `a resource waits for ${name}`,
      history({ as, rest }) {
        const conditions = [{ type: 'Synced', status: 'False', reason: 'ReconcileError', message }];
        as('p1', put(managed('a', { status: { conditions } }, { ...gone, ...held })));
        rest();
      },
      says,
    }),
  ),
  {
    invariant: deletionEnds,
    name: 'nothing waits',
    history({ as, rest }) {
      as('p1', put(a));
      rest();
    },
  },
  ...(
    [
      ['a write that changes nothing', { isChange: false }, [/^p1 update FancySQLInstance team\/orders$/]],
      ['a write that changes something', {}, []],
      ['one that is refused', { isChange: false, isRefused: true }, []],
      ['a read', { isChange: false, isWrite: false }, []],
      ['what something on the way repeats', { isChange: false, isRepeated: true }, []],
      ['a deletion that is too late', { isChange: false, verb: 'delete' }, []],
    ] as const
  ).map(
    ([name, call, says]): Case => ({
      invariant: noEmptyWrites,
      name,
      history: (of) => of.call({ target: 'FancySQLInstance team/orders', ...call }),
      says,
    }),
  ),
  ...(
    [
      ['an update without a version', 'update', {}, [/^p1 update X$/]],
      ['with one', 'update', { resourceVersion: '7' }, []],
      ['a status without a version', 'update-status', { uid: 'u' }, [/^p1 update-status X$/]],
      ['a deletion of whatever has the name', 'delete', {}, [/^p1 delete X$/]],
      ['a deletion of one object', 'delete', { uid: 'u' }, []],
      ['a creation', 'create', {}, []],
    ] as const
  ).map(
    ([name, verb, given, says]): Case => ({
      invariant: preconditions,
      name,
      history: (of) =>
        of.call({
          verb,
          target: 'X',
          about: { kind: kindOf(orders), key: objectKey(orders.metadata), preconditions: given },
        }),
      says,
    }),
  ),
  {
    invariant: othersStay,
    name: 'our finalizer goes, and that of others stays',
    history({ as, cluster }) {
      const mine = managed('a', {}, { finalizers: [finalizerNames.managed, 'backup.example.org/hold'] });
      put(mine)(cluster);
      as('p1', patch(mine, { metadata: { finalizers: ['backup.example.org/hold'] } }));
    },
  },
  {
    invariant: othersStay,
    name: 'the finalizer of others is removed, and with it the object',
    history({ as, cluster }) {
      const mine = managed('a', {}, { ...gone, finalizers: ['backup.example.org/hold'] });
      put(mine)(cluster);
      as('p1', patch(mine, { metadata: { finalizers: [] } }));
    },
    says: [/^p1 removes backup.example.org\/hold from FavouriteDBInstance a$/],
  },
  {
    invariant: othersStay,
    name: 'a claim is deleted by a process',
    history({ as, cluster }) {
      put(orders)(cluster);
      as('p1', leave(orders));
    },
    says: [/^p1 deletes FancySQLInstance team\/orders$/],
  },
  {
    invariant: othersStay,
    name: "a person's secret is written, and deleted",
    history({ as, cluster }) {
      const own = object('v1', 'Secret', { namespace: 'team', name: 'own' }, { type: 'Opaque' });
      put(own)(cluster);
      as('p1', patch(own, { data: { password: 'eA==' } }));
      as('p1', leave(own));
    },
    says: [/^p1 writes Secret team\/own, which nothing of ours controls$/, /^p1 deletes Secret team\/own$/],
  },
  {
    invariant: othersStay,
    name: 'a connection secret that nobody controls is taken over',
    history({ as, cluster }) {
      put(secret('team', 'conn', undefined, {}))(cluster);
      as('p1', put(secret('team', 'conn', orders, { password: 'x' })));
    },
  },
  {
    invariant: othersStay,
    name: 'a claim takes over what nobody controls, and what it held is lost',
    history({ as, cluster }) {
      put(secret('team', 'conn', undefined, { mine: 'not yours' }))(cluster);
      as('p1', put(secret('team', 'conn', orders, { password: 'x' })));
    },
    says: [/^p1 writes Secret team\/conn, which nothing of ours controls$/],
  },
  ...(
    [
      ['bound to a claim that is gone', { reclaimPolicy: 'Delete' }, 'Bound', undefined, []],
      ['bound to a claim that goes', { reclaimPolicy: 'Delete' }, 'Bound', gone, []],
      ['whose claim stays', { reclaimPolicy: 'Delete' }, 'Bound', {}, [/whose claim team\/orders stays$/]],
      ['whose policy is Retain', { reclaimPolicy: 'Retain' }, 'Bound', gone, [/whose policy is Retain$/]],
      ['without a policy', {}, 'Bound', gone, [/whose policy is not set$/]],
      ['never bound', { reclaimPolicy: 'Delete' }, 'Unbound', gone, [/was never bound$/]],
      [
        'that no claim has',
        { reclaimPolicy: 'Delete', claimRef: undefined },
        'Bound',
        gone,
        [/that no claim has$/],
      ],
    ] as const
  ).map(
    ([name, spec, bindingPhase, its, says]): Case => ({
      invariant: reclaimed,
      name: `a process deletes a resource ${name}`,
      history({ as, cluster }) {
        const one = managed('a', {
          spec: { claimRef: claimRef('orders'), ...spec },
          status: { bindingPhase },
        });
        put(one)(cluster);
        if (its !== undefined) put(claim('orders', {}, { ...its, finalizers: ['x'] }))(cluster);
        as('p1', leave(one));
      },
      says,
    }),
  ),
  {
    invariant: reclaimed,
    name: 'a process deletes what it made, never bound',
    history({ as }) {
      const spec = { claimRef: claimRef('orders'), classRef, reclaimPolicy: 'Delete' };
      as('p1', put(managed('a', { spec })));
      as('p2', leave(managed('a', { spec })));
    },
  },
  {
    invariant: reclaimed,
    name: 'a person may delete what he likes',
    history({ cluster }) {
      put(a)(cluster);
      leave(a)(cluster);
    },
  },
  ...(
    [
      ['Delete', { reclaimPolicy: 'Delete' }, gone, []],
      [
        'Delete, and not being deleted',
        { reclaimPolicy: 'Delete' },
        {},
        [/^p1 deletes \/v1\/instances\/a in favourite$/],
      ],
      ['Retain', { reclaimPolicy: 'Retain' }, gone, [/^p1 deletes/]],
      ['Orphan over Delete', { reclaimPolicy: 'Delete', deletionPolicy: 'Orphan' }, gone, [/^p1 deletes/]],
      ['no action Delete', { managementPolicies: ['Observe', 'Create', 'Update'] }, gone, [/^p1 deletes/]],
      [
        'an action Delete over Retain',
        { reclaimPolicy: 'Retain', managementPolicies: ['Observe', 'Delete'] },
        gone,
        [],
      ],
    ] as const
  ).map(
    ([name, spec, its, says]): Case => ({
      invariant: externalKept,
      name: `a process deletes outside, policy ${name}`,
      history({ cluster, call }) {
        put(managed('a', { spec }, { ...its, ...held }))(cluster);
        call({ system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' });
      },
      says,
    }),
  ),
  {
    invariant: externalKept,
    name: 'a process deletes outside what is another’s',
    async history({ cluster, clouds, call }) {
      put(managed('a', { spec: { reclaimPolicy: 'Delete' } }, { ...gone, ...held }))(cluster);
      await post(clouds, 'a', 'b');
      call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
      call({ system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' });
    },
    says: [/^p1 deletes \/v1\/instances\/a in favourite, which is b’s$/],
  },
  {
    invariant: externalKept,
    name: 'a process deletes outside what has the name of a network, which is another’s',
    async history({ cluster, clouds, call }) {
      await postTo(clouds, 'networks', { display_name: 'b', tags: tagsOf('b') });
      call({ system: 'favourite', verb: 'POST', target: '/v1/networks' });
      const [{ item } = assert.fail()] = clouds.favourite.networks();
      const annotations = { 'crossplane.io/external-name': item.id };
      put(managed('a', { spec: { reclaimPolicy: 'Delete' } }, { ...gone, ...held, annotations }))(cluster);
      call({ system: 'favourite', verb: 'DELETE', target: `/v1/instances/${item.id}` });
    },
  },
  ...(
    [
      [
        'drops a database that is kept',
        { ...gone, ...held },
        { reclaimPolicy: 'Retain' },
        [/^p1 deletes shop in postgresql$/],
      ],
      ['drops a database that goes', { ...gone, ...held }, { reclaimPolicy: 'Delete' }, []],
    ] as const
  ).map(
    ([name, its, spec, says]): Case => ({
      invariant: externalKept,
      name: `a process ${name}`,
      history({ cluster, call }) {
        const { metadata, ...rest } = shop as KubernetesObject & { readonly spec: Fields };
        put({
          ...rest,
          metadata: { ...metadata, ...its },
          spec: { ...rest.spec, ...spec },
        } as KubernetesObject)(cluster);
        call({ system: 'postgresql', verb: 'DROP DATABASE', target: 'shop' });
      },
      says,
    }),
  ),
  {
    invariant: answeredFor,
    name: 'what is in PostgreSQL has nobody',
    async history({ cluster, postgresql, rest }) {
      put(shop)(cluster);
      await postgresql.sql('CREATE DATABASE "shop"');
      const mark = markOf('postgresqldatabase.postgresql.crossplane.io/shop');
      await postgresql.sql(`COMMENT ON DATABASE "shop" IS '${mark}'`);
      rest();
      cluster.remove(kindOf(shop), 'shop');
      rest();
    },
    says: [/^no managed resource answers for shop in postgresql, made for shop$/],
  },
  ...(
    [
      ['is there for a managed resource that is there', { owner: 'a' }, []],
      ['has nobody', { owner: 'b' }, [/^no managed resource answers for a in favourite, made for b$/]],
    ] as const
  ).map(
    ([name, { owner }, says]): Case => ({
      invariant: answeredFor,
      name: `what is outside ${name}`,
      async history({ cluster, clouds, rest }) {
        put(managed('a'))(cluster);
        await post(clouds, 'a', owner);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['of which a backup did not know', true, []],
      ['of which it has no record', false, [/^a in favourite was made for a, which has other$/]],
    ] as const
  ).map(
    ([name, isRestored, says]): Case => ({
      invariant: answeredFor,
      name: `somebody gives a resource another name than what was made for it, ${name}`,
      async history({ cluster, clouds, rest, restore }) {
        const unnamed = managed('a', {}, { annotations: { [annotationKeys.externalName]: '' } });
        put(unnamed)(cluster);
        if (isRestored) restore('uid-of-a');
        await post(clouds, 'a');
        patch(unnamed, { spec: { forProvider: { name: 'other' } } })(cluster);
        rest();
      },
      says,
    }),
  ),
  {
    invariant: answeredFor,
    name: 'a second one was made for a managed resource',
    async history({ cluster, clouds, rest }) {
      put(managed('a'))(cluster);
      await post(clouds, 'a');
      await post(clouds, 'a2', 'a');
      rest();
    },
    says: [/^a2 in favourite was made for a, which has a$/],
  },
  ...(
    [
      [
        'is paused, and a person will have to look',
        { pending: '2026-01-02T03:04:05Z', paused: 'true' },
        {},
        [],
      ],
      [
        'has no management policies, and a person will have to look',
        { pending: '2026-01-02T03:04:05Z' },
        { managementPolicies: [] },
        [],
      ],
      [
        'is paused, and knows what came of its creation',
        { pending: '2026-01-02T03:04:05Z', succeeded: '2026-01-02T03:04:06Z', paused: 'true' },
        {},
        [/^a2 in favourite was made for a, which has a$/],
      ],
      [
        'is not held, and says nothing of it',
        { pending: '2026-01-02T03:04:05Z' },
        {},
        [/^a2 in favourite was made for a, which has a$/],
      ],
    ] as const
  ).map(
    ([name, { pending, succeeded, paused }, spec, says]: readonly [
      string,
      Readonly<Record<string, string>>,
      Fields,
      readonly RegExp[],
    ]): Case => ({
      invariant: answeredFor,
      name: `a creation was cut off; its managed resource ${name}`,
      async history({ cluster, clouds, rest }) {
        const annotations = {
          [annotationKeys.externalCreatePending]: pending,
          ...(succeeded && { [annotationKeys.externalCreateSucceeded]: succeeded }),
          ...(paused && { [annotationKeys.paused]: paused }),
        };
        put(managed('a', { spec }, { annotations }))(cluster);
        await post(clouds, 'a2', 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['and nobody knows what came of that', {}, []],
      [
        'and that is on record',
        { [annotationKeys.externalCreateSucceeded]: '2026-01-02T03:04:06Z' },
        [/^no managed resource answers for a2 in favourite, made for a$/],
      ],
    ] as const
  ).map(
    ([name, recorded, says]): Case => ({
      invariant: answeredFor,
      name: `somebody takes away what has been created under a name of the cloud's, ${name}`,
      async history({ cluster, clouds, rest }) {
        const annotations = {
          [annotationKeys.externalCreatePending]: '2026-01-02T03:04:05Z',
          ...recorded,
        };
        const one = managed('a', {}, { ...held, annotations });
        put(one)(cluster);
        await post(clouds, 'a2', 'a');
        cluster.remove(kindOf(one), 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'Delete',
        [
          /^p1 removed FavouriteDBInstance a, and a in favourite is still there$/,
          /^no managed resource answers for a/,
        ],
      ],
      ['Retain', []],
    ] as const
  ).map(
    ([reclaimPolicy, says]): Case => ({
      invariant: answeredFor,
      name: `a managed resource goes before what it made, policy ${reclaimPolicy}`,
      async history({ as, cluster, clouds, rest }) {
        const one = managed('a', { spec: { reclaimPolicy } }, { ...gone, ...held });
        put(one)(cluster);
        await post(clouds, 'a');
        as('p1', patch(one, { metadata: { finalizers: [] } }));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'a label',
        claim('orders'),
        { metadata: { labels: { team: 'x' } } },
        [/takes metadata.labels.team="x" from/],
      ],
      [
        'a field',
        managed('a'),
        { spec: { forProvider: { fancinessLevel: 7 } } },
        [/takes spec.forProvider.fancinessLevel=7/],
      ],
      [
        'a key of a secret',
        secret('ops', 'a', a, {}),
        { data: { own: 'eA==' } },
        [/takes data.own="eA==" from Secret/],
      ],
      [
        "a key of a claim's secret, which is a copy",
        secret('team', 'conn', orders, {}),
        { data: { own: 'eA==' } },
        [],
      ],
      [
        'a value beside a reference that was followed once',
        referring('IfNotPresent'),
        { spec: { forProvider: { networkId: 'net-2' } } },
        [/takes spec.forProvider.networkId="net-2"/],
      ],
      [
        'a value that its reference gives anew each time',
        referring('Always'),
        { spec: { forProvider: { networkId: 'net-2' } } },
        [],
      ],
      [
        'a reference that its selector gives anew each time',
        selecting('Always'),
        { spec: { forProvider: { networkIdRef: { name: 'n' } } } },
        [],
      ],
      [
        'a reference that its selector gave once',
        selecting('IfNotPresent'),
        { spec: { forProvider: { networkIdRef: { name: 'n' } } } },
        [/takes spec.forProvider.networkIdRef.name="n"/],
      ],
      ['a connection detail, which heals', secret('ops', 'a', a, {}), { data: { password: 'eA==' } }, []],
      [
        'an offer, which is used up',
        managed('a'),
        { metadata: { annotations: { [annotationKeys.reoffer]: 'true' } } },
        [],
      ],
    ] as const
  ).map(
    ([name, before, wish, says]): Case => ({
      invariant: wishesSurvive,
      name: `a process takes ${name} back`,
      history(of) {
        put(before)(of.cluster);
        of.wish(before, wish);
        of.as('p1', put(before));
      },
      says,
    }),
  ),
  {
    invariant: wishesSurvive,
    name: 'a process chooses another class for one that was taken away',
    history(of) {
      put(orders)(of.cluster);
      of.wish(orders, { spec: { classRef: null } });
      of.as('p1', patch(orders, { spec: { classRef } }));
    },
  },
  {
    invariant: wishesSurvive,
    name: 'a process leaves a label where it is',
    history(of) {
      put(orders)(of.cluster);
      of.wish(orders, { metadata: { labels: { team: 'x' } } });
      of.as('p1', patch(orders, { metadata: { annotations: { more: 'y' } } }));
    },
  },
  {
    invariant: boundedWork,
    name: 'sixty times a minute, minute after minute',
    history({ ask, later }) {
      for (let minute = 0; minute < 3; minute += 1) {
        for (let count = 0; count < 60; count += 1) ask('update X');
        later(60_000);
      }
    },
  },
  {
    invariant: boundedWork,
    name: 'once more, told once',
    history({ ask }) {
      for (let count = 0; count < 200; count += 1) ask('update X');
    },
    says: [/^p1 update X: more than 60 times in a minute$/],
  },
  ...(
    [
      ['edited by people meanwhile', 'somebody', 86, []],
      ['once more than their edits take', 'somebody', 87, [/: more than 86 times in a minute$/]],
      ['edited by another process', 'p2', 61, [/: more than 60 times in a minute$/]],
    ] as const
  ).map(
    ([name, who, times, says]): Case => ({
      invariant: boundedWork,
      name: `what is ${name}`,
      history({ as, ask, cluster }) {
        put(orders, claim('other'))(cluster);
        for (const note of ['1', '2']) as(who, patch(orders, { metadata: { annotations: { note } } }));
        as(who, patch(claim('other'), { metadata: { annotations: { note: '1' } } }));
        for (let count = 0; count < times; count += 1) ask('update-status FancySQLInstance team/orders');
      },
      says,
    }),
  ),
  ...(
    [
      ['comes to say five things', 'p1', ['a', 'b', 'c', 'd', 'e'], 73, []],
      [
        'comes to say five things, and once more',
        'p1',
        ['a', 'b', 'c', 'd', 'e'],
        74,
        [/: more than 73 times in a minute$/],
      ],
      [
        'says two things in turn',
        'p1',
        ['a', 'b', 'a', 'b', 'a', 'b'],
        61,
        [/: more than 60 times in a minute$/],
      ],
      ['says something else without end', 'p1', [...'abcdefghijkl'], 113, [/: more than 112 times/]],
      ['another process writes', 'p2', ['a', 'b', 'c', 'd', 'e'], 74, [/: more than 73 times in a minute$/]],
    ] as const
  ).map(
    ([name, who, messages, times, says]): Case => ({
      invariant: boundedWork,
      name: `a status that ${name}`,
      history({ as, ask, cluster }) {
        put(orders)(cluster);
        for (const [index, message] of messages.entries()) {
          const lastTransitionTime = `2026-01-02T03:04:${10 + index}Z`;
          const conditions = [
            { type: 'Ready', status: 'False', reason: 'Binding', message, lastTransitionTime },
          ];
          as(who, patch(orders, { status: { conditions } }, 'status'));
        }
        for (let count = 0; count < times; count += 1) ask('update-status FancySQLInstance team/orders');
      },
      says,
    }),
  ),
  ...(
    [
      ['edited by people', 'somebody', 'GET favourite /v1/instances/a', 86, []],
      [
        'edited once less',
        'somebody',
        'GET favourite /v1/instances/a',
        87,
        [/: more than 86 times in a minute$/],
      ],
      ['edited, in PostgreSQL', 'somebody', 'ALTER ROLE postgresql a', 86, []],
      ['another one', 'somebody', 'GET favourite /v1/instances/b', 61, [/: more than 60 times in a minute$/]],
      [
        'edited by a process',
        'p2',
        'GET favourite /v1/instances/a',
        61,
        [/: more than 60 times in a minute$/],
      ],
      ['of another sort', 'somebody', 'update-status FancySQLInstance a', 61, [/: more than 60 times/]],
    ] as const
  ).map(
    ([name, who, call, times, says]): Case => ({
      invariant: boundedWork,
      name: `what stands for a resource that is ${name}`,
      history({ as, ask, cluster }) {
        put(a)(cluster);
        for (const note of ['1', '2']) as(who, patch(a, { metadata: { annotations: { note } } }));
        for (let count = 0; count < times; count += 1) ask(call);
      },
      says,
    }),
  ),
  {
    invariant: boundedWork,
    name: 'what will stand for a resource of that name, which is edited by people before the name is on record',
    history({ as, ask, cluster }) {
      const unnamed = managed('a', {}, { annotations: { [annotationKeys.externalName]: '' } });
      put(unnamed)(cluster);
      for (const note of ['1', '2']) as('somebody', patch(unnamed, { metadata: { annotations: { note } } }));
      for (let count = 0; count < 86; count += 1) ask('GET favourite /v1/instances/a');
    },
  },
  {
    invariant: boundedWork,
    name: 'what stands for a resource whose name is edited by people, under the one on record',
    history({ as, ask, cluster }) {
      const renamed = managed('a', { status: { externalIdentity: '{"name":"a"}' } });
      put(renamed)(cluster);
      for (const name of ['b', 'c']) {
        as(
          'somebody',
          patch(renamed, { metadata: { annotations: { [annotationKeys.externalName]: name } } }),
        );
      }
      for (let count = 0; count < 86; count += 1) ask('GET favourite /v1/instances/a');
    },
  },
  ...(
    [
      ['three create', 'somebody', 'shared', 140, []],
      ['three create, and once more', 'somebody', 'shared', 141, [/: more than 140 times in a minute$/]],
      ['one creates', 'somebody', 'a', 61, [/: more than 60 times in a minute$/]],
      ['nobody creates', 'somebody', 'b', 61, [/: more than 60 times in a minute$/]],
      ['processes create', 'p2', 'shared', 61, [/: more than 60 times in a minute$/]],
    ] as const
  ).map(
    ([name, who, entry, times, says]): Case => ({
      invariant: boundedWork,
      name: `an entry of a secret store for which ${name} resources`,
      history({ as, ask, cluster }) {
        const publishing = (its: string, to: string) =>
          managed(its, { spec: { publishConnectionDetailsTo: { name: to } } });
        as(who, put(publishing('a', 'a'), publishing('b', 'shared'), publishing('c', 'shared')));
        cluster.remove(kindOf(publishing('c', 'shared')), 'c');
        as(who, put(publishing('c', 'shared')));
        for (let count = 0; count < times; count += 1) ask(`GET vault /v1/secret/data/simulated/${entry}`);
      },
      says,
    }),
  ),
  {
    invariant: boundedWork,
    name: 'statements that are about nothing in particular',
    history({ ask }) {
      for (let count = 0; count < 200; count += 1) ask('SELECT postgresql ');
    },
  },
  ...(
    [
      ['as it is', 'pw-p1-1-secret'],
      ['encoded', Buffer.from('pw-p1-1-secret').toString('base64')],
      ['encoded within something', Buffer.from('x:favourite-token').toString('base64')],
      ['in a URL', 'mysql://admin:pw-p1-1-secret@host'],
    ] as const
  ).flatMap(([name, text]): readonly Case[] => [
    {
      invariant: noSecretsTold,
      name: `the log has a secret ${name}`,
      history: ({ log }) => log(JSON.stringify({ msg: text })),
      says: [/ in \{"msg"/],
    },
    {
      invariant: noSecretsTold,
      name: `a condition has a secret ${name}`,
      history: ({ as }) => as('p1', put(claim('orders', { status: { conditions: [{ message: text }] } }))),
      says: [/^FancySQLInstance team\/orders has /],
    },
  ]),
  {
    invariant: noSecretsTold,
    name: 'a Secret has it, as is right',
    history: ({ as }) => as('p1', put(secret('team', 'conn', orders, { password: 'pw-p1-1-secret' }))),
  },
  ...[
    { name: 'two replicas, and one writes', says: 0, by: 'p1', laterMs: 0 },
    { name: 'what it sent while it led arrives later', says: 0, by: 'p1', laterMs: 5_000, sentAtMs: 0 },
    { name: 'the former leader writes', says: 1, by: 'p1', laterMs: 20_000 },
    { name: 'one that never led writes', says: 1, by: 'p2', laterMs: 0 },
    { name: 'there is one process, which needs no lease', says: 0, by: 'p2', laterMs: 0, isAlone: true },
  ].map(
    ({ name, says, by, laterMs, sentAtMs = laterMs, isAlone = false }): Case => ({
      invariant: onlyTheLeaderWrites,
      name,
      ...(!isAlone && { scenario: { replicas: 2 } }),
      history({ as, later, call }) {
        as('p1', (cluster) => cluster.put(LeaseKind, leaseOf('p1')));
        later(laterMs);
        if (laterMs > 0) as('p2', (cluster) => cluster.put(LeaseKind, leaseOf('p2')));
        call({ by, target: 'FancySQLInstance team/orders', sentAtMs });
      },
      says: Array.from(
        { length: says },
        () => /sent update api FancySQLInstance team\/orders while p[12] led/,
      ),
    }),
  ),
  ...(
    [
      ['what its namespace may have', namespaceOf('live'), {}, reserving, []],
      [
        'what it may not',
        namespaceOf('test'),
        {},
        reserving,
        [/^p1 gives .* a to a claim of team, which may not/],
      ],
      ['what it may not, of a namespace that is not there', undefined, {}, reserving, [/which may not/]],
      ['what it may not, which it has', namespaceOf('test'), reserving, { ...reserving, note: 'x' }, []],
    ] as const
  ).map(
    ([name, namespace, before, after, says]): Case => ({
      invariant: onlyWhomItIsFor,
      name: `a claim is given ${name}`,
      history({ as, cluster }) {
        if (namespace !== undefined) put(namespace)(cluster);
        put(managed('a', { spec: { ...before, namespaceSelector: forLive } }))(cluster);
        as('p1', put(managed('a', { spec: { ...after, namespaceSelector: forLive } })));
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, 0, []],
      ['long ago', 10_000, 0, [/which may not have it$/]],
      ['before the process stood still', 10_000, 9_500, []],
      ['before the process stood still, long ago', 10_000, 5_000, [/which may not have it$/]],
    ] as const
  ).map(
    ([name, laterMs, forMs, says]): Case => ({
      invariant: onlyWhomItIsFor,
      scenario: { steps: forMs === 0 ? [] : [{ atMs: 0, act: { type: 'freeze', nth: 0, forMs } }] },
      name: `a claim is bound to what its namespace might have ${name}`,
      history({ as, cluster, later }) {
        put(
          namespaceOf('live'),
          managed('a', { spec: { ...reserving, namespaceSelector: forLive } }),
        )(cluster);
        put(namespaceOf('test'))(cluster);
        later(laterMs);
        const status = { bindingPhase: 'Bound' };
        as('p1', put(managed('a', { spec: { ...reserving, namespaceSelector: forLive }, status })));
      },
      says,
    }),
  ),
  ...(
    [
      ['and nobody offered it', {}, [/and nobody offered it$/]],
      ['from all namespaces', { namespaceSelector: {} }, []],
      ['and reserved for it', { claimRef: { ...claimRef('orders'), uid: undefined } }, []],
    ] as const
  ).map(
    ([name, offer, says]): Case => ({
      invariant: onlyWhomItIsFor,
      name: `a claim is given what is only observed, ${name}`,
      history({ as, cluster }) {
        const spec = { managementPolicies: ['Observe'], ...offer };
        put(namespaceOf('test'), managed('a', { spec }))(cluster);
        as('p1', put(managed('a', { spec: { ...spec, ...reserving } })));
      },
      says,
    }),
  ),
  ...(
    [
      ['it may have', namespaceOf('live'), []],
      ['it may not have', namespaceOf('test'), [/the class small, which it may not have$/]],
    ] as const
  ).map(
    ([name, namespace, says]): Case => ({
      invariant: onlyWhomItIsFor,
      name: `a claim is given a class that ${name}`,
      history({ as, cluster }) {
        put(namespace, classFor({ namespaceSelector: forLive }), claim('orders'))(cluster);
        const { apiVersion, kind } = classFor({});
        as('p1', put(claim('orders', { spec: { classRef: { apiVersion, kind, name: 'small' } } })));
      },
      says,
    }),
  ),
  ...statements.map(
    ([name, before, lateMs, after, says]): Case => ({
      invariant: statementsTrue,
      name: `a process says ${name}`,
      async history({ as, cluster, clouds, call, later }) {
        await post(clouds, 'a');
        call({ system: 'favourite', verb: 'GET', isWrite: false });
        put(...before)(cluster);
        for (const each of lateMs === undefined ? [] : before) leave(each)(cluster);
        later(lateMs ?? 0);
        as('p1', put(after));
      },
      says,
    }),
  ),
  ...(
    [
      ['was shown', true, []],
      [
        'was never shown',
        false,
        [/^FavouriteDBInstance a says that it is Ready, and favourite a is not online$/],
      ],
    ] as const
  ).map(
    ([name, isShown, says]): Case => ({
      invariant: statementsTrue,
      name: `a process says that what is lost since is Ready, which it ${name}`,
      async history({ as, cluster, clouds, look }) {
        await post(clouds, 'a');
        put(managed('a'))(cluster);
        if (isShown) look();
        clouds.favourite.lose('a');
        as('p1', put(managed('a', { status: status(available) })));
      },
      says,
    }),
  ),
  ...(
    [
      ['had gone meanwhile', true, []],
      ['is still there', false, [/never uid-of-a unmade$/]],
    ] as const
  ).map(
    ([name, isGone, says]): Case => ({
      invariant: statementsTrue,
      name: `a process says that it deleted outside what ${name}`,
      async history({ as, cluster, clouds, call }) {
        await post(clouds, 'a');
        put(managed('a'))(cluster);
        call({ system: 'favourite', verb: 'POST' });
        if (isGone) clouds.favourite.lose('a');
        as('p1', put(event('DeletedExternalResource', 'x', 'uid-of-a')));
      },
      says,
    }),
  ),
  ...(
    [
      ['for as long', 20_000, []],
      ['not for so long', 30_000, [/says "FavouriteDBInstanceClass 0 of 1", and there are 0$/]],
    ] as const
  ).map(
    ([name, lateMs, says]): Case => ({
      invariant: statementsTrue,
      scenario: { steps: [{ atMs: 0, act: { type: 'freeze', nth: 1, forMs: 20_000 } }] },
      name: `a process says how many classes there were, which stood still ${name}`,
      history({ as, cluster, later }) {
        put(smallClass({}))(cluster);
        leave(smallClass({}))(cluster);
        later(lateMs);
        as('p1', put(event('NoMatchingClass', 'FavouriteDBInstanceClass 0 of 1')));
      },
      says,
    }),
  ),
  ...(
    [
      ['that is there', { status: status(['True', 'Available']) }, {}, []],
      ['that is not there', { status: status(['True', 'Available']) }, undefined, [/is not there$/]],
      ['that is not Ready, and not there', { status: status(['False', 'Creating']) }, undefined, []],
      [
        'that was refused for good',
        {
          status: {
            conditions: [{ type: 'Synced', status: 'False', message: 'create failed: no such role' }],
          },
        },
        undefined,
        [],
      ],
      [
        'that says what has passed',
        { status: { conditions: [{ type: 'Synced', status: 'False', message: 'observe failed: 503' }] } },
        {},
        [/Synced is False for what has passed: observe failed: 503$/],
      ],
      [
        'that has another delay',
        {
          spec: { forProvider: { region: 'us-west-1', delaySeconds: 5 } },
          status: status(['True', 'Available']),
        },
        {},
        [/delaySeconds is 0, and not 5$/],
      ],
      [
        'that may not be given another delay',
        {
          spec: {
            forProvider: { region: 'us-west-1', delaySeconds: 5 },
            managementPolicies: ['Observe', 'Create', 'Delete'],
          },
          status: status(['True', 'Available']),
        },
        {},
        [],
      ],
      [
        'that lacks a tag',
        {
          spec: { forProvider: { region: 'us-west-1', tags: { stage: 'live' } } },
          status: status(['True', 'Available']),
        },
        {},
        [/it has the tags .*, and not \{"stage":"live"\}$/],
      ],
    ] as const
  ).map(
    ([name, fields, item, says]): Case => ({
      invariant: cloudsSettled,
      name: `a queue in AWS ${name}`,
      history(made) {
        put(queue('a', fields))(made.cluster);
        if (item !== undefined) putQueue(made, 'a', 'a', item);
        made.rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['the password', 'right', []],
      [
        'another password',
        'wrong',
        [/CloudMemorystoreInstance redis: the password that is published opens nothing$/],
      ],
    ] as const
  ).map(
    ([name, password, says]): Case => ({
      invariant: cloudsSettled,
      name: `a cache in Google Cloud whose secret has ${name}`,
      history({ cluster, gcp, rest }) {
        put(redis, secret('system', 'redis', redis, { password }))(cluster);
        gcp.instances.drift(cache('right').name, cache('right'));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['that was given up', true, []],
      ['that stays', false, [/^p1 deletes sqs\/a in aws$/]],
    ] as const
  ).map(
    ([name, isDeleted, says]): Case => ({
      invariant: externalKept,
      name: `a process deletes a queue in AWS ${name}`,
      history(made) {
        const { cluster, call } = made;
        put(queue('a', {}, held))(cluster);
        putQueue(made, 'a', 'a');
        call({ system: 'aws', verb: 'CreateQueue', target: 'sqs/a' });
        if (isDeleted) put(queue('a', {}, { ...held, ...gone }))(cluster);
        call({ system: 'aws', verb: 'DeleteQueue', target: 'sqs/a' });
      },
      says,
    }),
  ),
  ...(
    [
      ['that is on record', {}, []],
      ['that is not', undefined, [/^p1 created aws a for nobody, which is not there$/]],
    ] as const
  ).map(
    ([name, fields, says]): Case => ({
      invariant: recordedFirst,
      name: `a process makes a queue in AWS for a resource ${name}`,
      history(made) {
        const { cluster, call } = made;
        const pending = { [annotationKeys.externalCreatePending]: '2026-01-01T00:00:00Z' };
        if (fields !== undefined) put(queue('a', fields, { ...held, annotations: pending }))(cluster);
        putQueue(made, 'a', fields === undefined ? 'nobody' : 'a');
        call({ system: 'aws', verb: 'CreateQueue', target: 'sqs/a' });
      },
      says,
    }),
  ),
  {
    invariant: soundProcess,
    name: 'a mistake in the program is logged',
    history: ({ log }) => log('{"level":"warn","error":{"message":"Cannot read properties of undefined"}}'),
    says: [/Cannot read properties/],
  },
  {
    invariant: soundProcess,
    name: 'a fault of the world is logged',
    history: ({ log }) => log('{"level":"warn","error":{"message":"connect ECONNREFUSED"}}'),
  },
];

for (const invariant of allInvariants) {
  const its = cases.filter((each) => each.invariant === invariant);
  const [first] = its;
  describe(first === undefined ? 'an invariant without a case' : invariant.name, () => {
    test('is seen to fail, and to hold', () => {
      assert.ok(its.some(({ says = [] }) => says.length > 0));
      assert.ok(its.some(({ says = [] }) => says.length === 0));
    });
    for (const { name, history, scenario, says = [] } of its) {
      test(name, async () => {
        const made = madeUpHistory(invariant, scenario);
        await history(made);
        assert.equal(made.said.length, says.length, made.said.join('\n'));
        for (const [index, text] of says.entries()) assert.match(made.said[index] ?? '', text);
      });
    }
  });
}
