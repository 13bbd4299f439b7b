import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { markOf } from '../../clients/postgresql/mark.ts';
import { provisionedNames } from '../../controllers/core/claim/provisioned-name.ts';
import type { StoredInstance } from '../../local/gcp/memorystore.ts';
import { EventKind } from '../../runtime/events/event-recorder.ts';
import type { Lease } from '../../runtime/process/leader-election.ts';
import { LeaseKind } from '../../runtime/process/leader-election.ts';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import type { InvariantOf } from './invariant.ts';
import { overtaking } from './invariant.ts';
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
import { releasedStays } from './invariants/released-stays.ts';
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

/** It is deleted by a deletion that began before it had the finalizer that it has. */
const overtake =
  (as: MadeUpHistory['as'], one: KubernetesObject) =>
  (cluster: MemoryCluster): void => {
    put(one)(cluster);
    const end = cluster.beginLeaving(kindOf(one), one.metadata);
    patch(one, { metadata: { finalizers: [finalizerNames.managed] } })(cluster);
    as(overtaking, end);
  };

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
const boundTo = (name: string, told: Fields) =>
  managed('a', { spec: { claimRef: claimRef(name) }, status: told });
const former = (told: Fields) =>
  managed('a', { spec: { claimRef: claimRef('orders', 'uid-of-a-former') }, status: told });
const ours = { finalizers: [finalizerNames.claim] };
const [recordedName] = provisionedNames(claim('orders') as Claim);

/** What a claim says, with what there is beside it, and what is wrong with that. */
const composed = secret('ops', 'a', object('example.org/v1', 'Composite', { name: 'a', uid: '1' }), {});

const claims: readonly (readonly [
  name: string,
  spec: Fields,
  told: Fields,
  beside: readonly KubernetesObject[],
  says: readonly RegExp[],
  metadata?: Fields,
])[] = [
  [
    'Bound, and its resource is Ready',
    { resourceRef },
    status(available, 'True', bound),
    [boundTo('orders', status(available, 'True', bound))],
    [],
    ours,
  ],
  [
    'Bound, and without its finalizer',
    { resourceRef },
    status(available, 'True', bound),
    [boundTo('orders', status(available, 'True', bound))],
    [/has to get its finalizer back, as it has FavouriteDBInstance a$/],
  ],
  [
    'Ready, and its resource is not',
    { resourceRef },
    status(available, 'True', bound),
    [boundTo('orders', status(['False', 'Unavailable'], 'True', bound))],
    [/has Ready True, and should have False$/, /has reason Available, and should have Unavailable$/],
    ours,
  ],
  ...(
    [
      ['a controller of its own', 'example.org/v1', 'Composite', 'Binding', 'False', []],
      [
        'a controller of its own, and it says nothing',
        ...(['example.org/v1', 'Composite', 'Unavailable', 'True'] as const),
        [/reason Unavailable, and should have Binding$/, /Synced True, and should have False$/],
      ],
      [
        'one that is gone',
        ...(['database.fcp.crossplane.io/v1alpha3', 'FavouriteDBInstance', 'Binding', 'False'] as const),
        [/reason Binding, and should have Unavailable$/, /Synced False, and should have True$/],
      ],
    ] as const
  ).map(([name, apiVersion, kind, reason, synced, says]): (typeof claims)[number] => [
    `Bound, and the secret of its resource has ${name}`,
    { resourceRef, writeConnectionSecretToRef: { name: 'conn' } },
    status(['False', reason], synced, bound),
    [
      managed('a', {
        spec: { claimRef: claimRef('orders'), writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } },
        status: status(['False', 'Unavailable'], 'False', bound),
      }),
      secret('ops', 'a', object(apiVersion, kind, { name: 'x', uid: 'uid-of-x' }), {}),
    ],
    says,
    ours,
  ]),
  ...(
    [
      ['Unbound, though its resource is Bound', unbound, []],
      ['Released, though its resource is Bound', { bindingPhase: 'Released' }, []],
    ] as const
  ).map(([name, phase, says]): (typeof claims)[number] => [
    `${name}, and the secret of that was another’s before it was handed over`,
    { resourceRef, writeConnectionSecretToRef: { name: 'conn' } },
    status(binding, 'False', phase),
    [
      managed('a', {
        spec: { claimRef: claimRef('orders'), writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } },
        status: status(['False', 'Unavailable'], 'False', bound),
      }),
      secret('ops', 'a', object('example.org/v1', 'Composite', { name: 'x', uid: 'uid-of-x' }), {}),
    ],
    says,
    ours,
  ]),
  ...(
    [
      ['not ready', {}, 'True', []],
      ['ready', unbound, 'False', []],
      ['ready, without a word', unbound, 'True', [/has Synced True, and should have False$/]],
    ] as const
  ).map(([name, phase, synced, says]): (typeof claims)[number] => [
    `Binding to a resource whose secret is another’s and that is ${name}`,
    { resourceRef, writeConnectionSecretToRef: { name: 'conn' } },
    status(binding, synced, unbound),
    [
      managed('a', {
        spec: { claimRef: claimRef('orders'), writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } },
        status: status(['False', 'Unavailable'], 'False', phase),
      }),
      composed,
    ],
    says,
    ours,
  ]),
  ...(
    [
      ['fails', 'False', 'False', []],
      ['fails, without a word', 'False', 'True', [/has Synced True, and should have False$/]],
      ['works', 'True', 'False', [/has to bind FavouriteDBInstance a$/]],
    ] as const
  ).map(([name, works, synced, says]): (typeof claims)[number] => [
    `Binding to a resource whose secret is gone and that ${name}`,
    { resourceRef, writeConnectionSecretToRef: { name: 'conn' } },
    status(binding, synced, unbound),
    [
      managed('a', {
        spec: { claimRef: claimRef('orders'), writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } },
        status: status(available, works, unbound),
      }),
    ],
    says,
    ours,
  ]),
  [
    'Unbound, though its resource is Bound and its secret in order',
    { resourceRef },
    status(binding, 'False', unbound),
    [boundTo('orders', status(available, 'True', bound))],
    [/phase Unbound, and should have Bound$/, /Ready False/, /reason Binding/, /Synced False/],
    ours,
  ],
  [
    'Binding, and its resource is a former one’s of its name',
    { resourceRef },
    status(binding, 'False', unbound),
    [former(status(available, 'True', bound))],
    [],
  ],
  [
    'Binding to a former one’s, and all is well',
    { resourceRef },
    status(binding, 'True', unbound),
    [former(status(available, 'True', bound))],
    [/has Synced True, and should have False$/],
  ],
  [
    'Binding, and its resource, never bound here, names it out of a backup',
    { resourceRef },
    status(binding, 'True', unbound),
    [former(status(['False', 'Creating'], 'False'))],
    [],
  ],
  ...(
    [
      ['as this very object', 'uid-of-a', [/has to see FavouriteDBInstance a let go of, which is reserved/]],
      ['before a backup', 'uid-of-before', []],
    ] as const
  ).map(([name, uid, says]): (typeof claims)[number] => [
    `Binding, and its resource was reserved ${name} for a former claim of its name`,
    { resourceRef },
    status(binding, says.length === 0 ? 'True' : 'False', unbound),
    [
      managed(
        'a',
        {
          spec: { claimRef: claimRef('orders', 'uid-of-a-former') },
          status: status(['False', 'Creating'], 'False'),
        },
        { annotations: { 'crossplane.io/reserved-for': `uid-of-a-former/${uid}` } },
      ),
    ],
    says,
  ]),
  ...(
    [
      ['without a word', 'True', [/has Synced True, and should have False$/]],
      ['and says so', 'False', []],
    ] as const
  ).map(([name, synced, says]): (typeof claims)[number] => [
    `Binding to what it recorded, from which somebody took its name, ${name}`,
    { classRef, resourceRef: { ...resourceRef, name: recordedName } },
    status(binding, synced, unbound),
    [managed(recordedName ?? '', { status: status(['False', 'Creating']) })],
    says,
  ]),
  [
    'Binding to what another UID had recorded, which is gone',
    { classRef, resourceRef: { ...resourceRef, name: 'team-orders-bbbbb' } },
    status(binding, 'True', unbound),
    [smallClass({})],
    [],
    ours,
  ],
  [
    'Binding to what it has recorded itself, which was never made',
    { classRef, resourceRef: { ...resourceRef, name: recordedName } },
    status(binding, 'True', unbound),
    [smallClass({})],
    [/has to provision team-orders-[a-z0-9]{5}, which is recorded$/],
    ours,
  ],
  [
    'Unbound, and its resource could be bound',
    { resourceRef },
    status(binding, 'True', unbound),
    [managed('a', { status: status(available, 'True', unbound) })],
    [/has to bind FavouriteDBInstance a$/],
  ],
  ...(
    [
      ['another claim', 'uid-of-other/uid-of-a', []],
      ['a former self', 'uid-of-orders/uid-of-before', []],
      ['it', 'uid-of-orders/uid-of-a', [/has to bind FavouriteDBInstance a$/]],
    ] as const
  ).map(([whom, uids, says]): (typeof claims)[number] => [
    `Binding, and its resource was taken away from ${whom}`,
    { resourceRef },
    status(binding, 'True', unbound),
    [
      managed(
        'a',
        { status: status(available, 'True', unbound) },
        { annotations: { 'crossplane.io/reserved-for': uids, 'crossplane.io/claim-parameters': '{}' } },
      ),
    ],
    says,
  ]),
  [
    'Bound to what is another claim’s',
    { resourceRef },
    status(available, 'True', bound),
    [boundTo('other', status(available, 'True', bound))],
    [
      /has phase Bound, and should have Released$/,
      /has Ready True/,
      /has reason Available/,
      /has Synced True/,
    ],
  ],
  [
    'Released, as it was bound to what is another claim’s',
    { resourceRef },
    status(binding, 'False', { bindingPhase: 'Released' }),
    [boundTo('other', status(available, 'True', bound))],
    [],
  ],
  [
    'Binding, and its resource is Released',
    { resourceRef },
    status(binding, 'True', unbound),
    [managed('a', { status: status(available, 'True', { bindingPhase: 'Released' }) })],
    [],
  ],
  [
    'Released, as what it was bound to is gone',
    { resourceRef },
    status(binding, 'True', { bindingPhase: 'Released' }),
    [],
    [],
  ],
  [
    'still Bound to what is gone',
    { resourceRef },
    status(available, 'True', bound),
    [],
    [/has phase Bound, and should have Released$/, /has Ready/, /has reason/],
  ],
  ['Binding to what does not exist yet', { resourceRef }, status(binding, 'True', unbound), [], []],
  [
    'of no known kind',
    { resourceRef: { ...resourceRef, kind: 'Unknown' } },
    status(['False', 'UnknownKind'], 'False', unbound),
    [],
    [],
  ],
  [
    'without a class that matches',
    small,
    status(['False', 'NoMatchingClass'], 'True', unbound),
    [smallClass({})],
    [],
  ],
  [
    'without a class, and one matches',
    small,
    status(['False', 'NoMatchingClass'], 'True', unbound),
    [smallClass({ size: 'small' })],
    [/has to be given FavouriteDBInstanceClass small, which matches$/],
  ],
  [
    'with a malformed selector',
    { classSelector: { matchExpressions: [{ key: 'size', operator: 'In' }] } },
    status(['False', 'InvalidClassSelector'], 'True', unbound),
    [],
    [],
  ],
  ['without a default class', {}, status(['False', 'NoDefaultClass'], 'True', unbound), [smallClass({})], []],
  [
    'without a class, and there is a default',
    {},
    status(['False', 'NoDefaultClass'], 'True', unbound),
    [smallClass({}, isDefault)],
    [/has to be given FavouriteDBInstanceClass small, the default$/],
  ],
  ['whose class is not there', { classRef }, status(['False', 'Creating'], 'False', unbound), [], []],
  [
    'whose class is there',
    { classRef },
    status(['False', 'Creating'], 'False', unbound),
    [smallClass({})],
    [/has to provision from FavouriteDBInstanceClass small$/],
  ],
  [
    'whose class has another version',
    { classRef, version: '8.0' },
    status(['False', 'Creating'], 'False', unbound),
    [smallClass({}, {}, { version: '5.7' })],
    [],
  ],
  [
    'with a status of long ago',
    { resourceRef },
    { ...status(binding, 'True', unbound), observedGeneration: 0 },
    [],
    [/has observedGeneration 0/],
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
    [/the password in its secret does not work$/],
  ],
  [
    'Ready without a password',
    {},
    status(available),
    undefined,
    [/its secret has no password$/, /Ready is True/],
  ],
  [
    'not Ready, and it is there',
    {},
    status(['False', 'Creating']),
    'a-password',
    [/Ready is False \(Creating\), and it is there/],
  ],
  ...(
    [
      ['and may set none', ['Observe', 'Create', 'Delete'], []],
      ['and may set one', ['*'], [/Ready is False \(Unavailable\), and it is there/]],
    ] as const
  ).map(
    ([name, managementPolicies, says]) =>
      [
        `that publishes to a secret store only, lacks its password ${name}`,
        {
          writeConnectionSecretToRef: undefined,
          publishConnectionDetailsTo: { name: 'a' },
          managementPolicies,
        },
        status(['False', 'Unavailable']),
        undefined,
        says,
      ] as const,
  ),
  ...(
    [
      ['and may set none', ['Observe', 'Create', 'Delete'], []],
      ['and may set one', ['*'], [/the password in its secret does not work$/, /Ready is False/]],
    ] as const
  ).map(
    ([name, managementPolicies, says]) =>
      [
        `whose secret somebody has edited, with its record, says so ${name}`,
        { managementPolicies },
        status(['False', 'Unavailable', 'the password is not known, …']),
        'another',
        says,
      ] as const,
  ),
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
      ['another process, which runs beside it, set a moment ago', { setter: 'p2', laterMs: 60_000 }, []],
      [
        'another process, which ran beside it, set long ago',
        { setter: 'p2', laterMs: 13 * 60_000 },
        [/the login in its secret is refused with 28P01$/],
      ],
      [
        'another process had set before it began',
        { setter: 'p0', laterMs: 60_000 },
        [/the login in its secret is refused with 28P01$/],
      ],
      [
        'its own process set, beside one that looks on',
        { setter: 'p1', laterMs: 60_000 },
        [/the login in its secret is refused with 28P01$/],
      ],
    ] as const
  ).map(
    ([name, { setter, laterMs }, says]): Case => ({
      invariant: postgresqlSettled,
      name: `a role has a password that is not published, and that ${name}`,
      async history({ ask, call, cluster, later, postgresql, rest }) {
        await postgresql.sql('CREATE ROLE "clerk" LOGIN PASSWORD \'a-password\'');
        put(clerk, login('another'))(cluster);
        const set = (): void =>
          call({ by: setter, system: 'postgresql', verb: 'ALTER ROLE', target: 'clerk' });
        if (setter === 'p0') set();
        later(1);
        ask('update Lease services-stack/services-stack', 'p3');
        ask('SELECT postgresql ', 'p1');
        later(1);
        if (setter !== 'p0') set();
        later(laterMs);
        ask('update Lease services-stack/services-stack', 'p3');
        ask('SELECT postgresql ', 'p1');
        rest();
      },
      says,
    }),
  ),
  {
    invariant: postgresqlSettled,
    name: 'a role has a password that is not published, and that another process set beside, before it was altered once more',
    async history({ ask, call, cluster, later, postgresql, rest }) {
      await postgresql.sql('CREATE ROLE "clerk" LOGIN PASSWORD \'a-password\'');
      put(clerk, login('another'))(cluster);
      for (const by of ['p2', 'p1']) {
        ask('SELECT postgresql ', 'p1');
        later(1);
        call({ by, system: 'postgresql', verb: 'ALTER ROLE', target: 'clerk' });
        later(1);
        ask('SELECT postgresql ', 'p1');
      }
      later(60_000);
      rest();
    },
  },
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
    invariant: oneToOne,
    name: 'a process gives a claim a second managed resource',
    history({ as }) {
      as('p1', put(a));
      as('p1', put(b));
    },
    says: [/^FavouriteDBInstance b names a claim that FavouriteDBInstance a names$/],
  },
  {
    invariant: oneToOne,
    name: 'one for each',
    history({ as }) {
      as('p1', put(a, managed('b', { spec: { claimRef: claimRef('other') } })));
    },
  },
  {
    invariant: oneToOne,
    name: 'a managed resource passes from claim to claim',
    history({ as }) {
      as('p1', put(a));
      as('p2', put(managed('a', { spec: { claimRef: claimRef('other') } })));
    },
    says: [/passes from claim uid-of-orders to uid-of-other$/],
  },
  ...(
    [
      ['which a person let say Bound, as one that is restored says', 'somebody', []],
      ['which a process let say Bound', 'p1', [/passes from claim uid-of-former to uid-of-orders$/]],
    ] as const
  ).map(
    ([name, by, says]): Case => ({
      invariant: oneToOne,
      name: `a managed resource passes from a claim that is gone to one of its name, ${name}`,
      history({ as }) {
        as('p1', put(managed('a', { spec: { claimRef: claimRef('orders', 'uid-of-former') } })));
        as('somebody', put(orders));
        as(by, put(claim('orders', { status: { bindingPhase: 'Bound' } })));
        as('p1', put(a));
      },
      says,
    }),
  ),
  {
    invariant: oneToOne,
    name: 'what a person wrote into a claimRef is put right',
    history({ as }) {
      as('p1', put(a));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders', 'two') } })));
      as('p1', put(a));
    },
  },
  {
    invariant: oneToOne,
    name: 'what a person took out of a claimRef, and wrote into it, is put right',
    history({ as }) {
      const { uid: _uid, ...nobody } = claimRef('orders');
      as('p1', put(a));
      as('somebody', put(managed('a', { spec: { claimRef: nobody } })));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders', 'two') } })));
      as('p1', put(a));
    },
  },
  {
    invariant: oneToOne,
    name: 'a claim is given one, which a person wrote into the claimRef of another',
    history({ as }) {
      as('p1', put(managed('a', { spec: { claimRef: claimRef('other') } })));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders') } })));
      as('p1', put(b));
    },
  },
  {
    invariant: oneToOne,
    name: 'what a person wrote into a claimRef that named nobody, and never was, heals',
    history({ as }) {
      as('somebody', put(managed('a', { spec: {} })));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders', 'never') } })));
      as('p1', put(a));
    },
  },
  {
    invariant: oneToOne,
    name: 'what a person wrote into a claimRef leads to a third',
    history({ as }) {
      as('p1', put(a));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders', 'two') } })));
      as('p1', put(managed('a', { spec: { claimRef: claimRef('other') } })));
    },
    says: [/passes from claim two to uid-of-other$/],
  },
  {
    invariant: oneToOne,
    name: 'what was put right once is no leave to pass later',
    history({ as }) {
      as('p1', put(a));
      as('somebody', put(managed('a', { spec: { claimRef: claimRef('orders', 'two') } })));
      as('p1', put(a));
      as('p1', put(managed('a', { spec: { claimRef: claimRef('other') } })));
      as('p1', put(a));
    },
    says: [
      /passes from claim uid-of-orders to uid-of-other$/,
      /passes from claim uid-of-other to uid-of-orders$/,
    ],
  },
  {
    invariant: oneToOne,
    name: 'two claims are bound to one',
    history({ as, rest }) {
      const status = { bindingPhase: 'Bound' };
      const spec = { resourceRef: { kind: 'FavouriteDBInstance', name: 'a' } };
      as('p1', put(claim('orders', { spec, status }), claim('other', { spec, status })));
      rest();
    },
    says: [/^team\/orders and team\/other are bound to one resource$/],
  },

  {
    invariant: provisionedOnce,
    name: 'a second one is made when the first is gone',
    history({ as, cluster }) {
      as('p1', put(a));
      leave(a)(cluster);
      as('p2', put(b));
    },
    says: [/^p2 makes FavouriteDBInstance b for claim uid-of-orders, which was given FavouriteDBInstance a$/],
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
  ...(
    [
      ['before', []],
      ['after', [/^p1 makes FavouriteDBInstance a for claim uid-of-orders, which was Bound$/]],
    ] as const
  ).map(
    ([when, says]): Case => ({
      invariant: provisionedOnce,
      name: `the same is made again by a request that was asked ${when} it was bound, and given up`,
      history({ as, ask, cluster }) {
        if (when === 'before') ask('create FavouriteDBInstance a');
        as('p1', put(a, claim('orders', { status: bound })));
        leave(a)(cluster);
        if (when === 'after') ask('create FavouriteDBInstance a');
        as('p1', put(a));
      },
      says,
    }),
  ),
  ...(
    [
      ['just now', 'somebody', 0, []],
      [
        'long ago',
        'somebody',
        10_000,
        [/^p1 makes FavouriteDBInstance a for claim uid-of-orders, which was/],
      ],
      ['just now, by a process', 'p2', 0, [/^p1 makes FavouriteDBInstance a for claim uid-of-orders, which/]],
    ] as const
  ).map(
    ([name, who, laterMs, says]): Case => ({
      invariant: provisionedOnce,
      name: `the first one is asked for of a claim that was said to be Bound ${name}`,
      history({ as, ask, cluster, later }) {
        put(claim('orders'))(cluster);
        as(who, patch(orders, { status: bound }, 'status'));
        later(laterMs);
        ask('create FavouriteDBInstance a');
        as('p1', put(a));
      },
      says,
    }),
  ),
  {
    invariant: provisionedOnce,
    name: 'the first one was asked for long before somebody said that its claim is Bound, and comes long after',
    history({ as, ask, cluster, later }) {
      put(claim('orders'))(cluster);
      ask('create FavouriteDBInstance a');
      as('somebody', patch(orders, { status: bound }, 'status'));
      as('p1', patch(orders, { status: { conditions: [] } }, 'status'));
      later(10_000);
      as('p1', put(a));
    },
  },
  {
    invariant: provisionedOnce,
    name: 'the same is made again after it was bound',
    history({ as, cluster }) {
      as('p1', put(a, claim('orders', { status: bound })));
      leave(a)(cluster);
      as('p2', put(a));
    },
    says: [/^p2 makes FavouriteDBInstance a for claim uid-of-orders, which was Bound$/],
  },

  ...(
    [
      ['equal', { password: 'x' }, { password: 'x' }, []],
      ['one key is missing', { password: 'x', port: '1' }, { password: 'x' }, [/has keys password/]],
      ['one key more', { password: 'x' }, { password: 'x', own: '1' }, [/has keys password,own/]],
      ['no source', undefined, { password: 'x' }, [/the secret of its resource is not there/]],
      ['no secret', { password: 'x' }, undefined, [/its secret is not there/]],
    ] as const
  ).map(
    ([name, source, target, says]): Case => ({
      invariant: secretsInStep,
      name,
      history({ cluster, rest }) {
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        const bound = claim('orders', { spec, status: { bindingPhase: 'Bound' } });
        const from = managed('a', { spec: { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } } });
        put(bound, from)(cluster);
        if (source !== undefined) put(secret('ops', 'a', from, source))(cluster);
        if (target !== undefined) put(secret('team', 'conn', bound, target))(cluster);
        rest();
      },
      says,
    }),
  ),

  ...(
    [
      ['bound to the claim', 'uid-of-orders', []],
      ['bound to another', 'uid-of-other', [/has keys password/]],
    ] as const
  ).map(
    ([name, boundClaimUID, says]): Case => ({
      invariant: secretsInStep,
      name: `a copy of what the claim does not name, of one that is ${name}`,
      history({ cluster, rest }) {
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        const bound = claim('orders', { spec, status: { bindingPhase: 'Bound' } });
        const publishing = (to: string, status: Fields) =>
          managed(to, { spec: { writeConnectionSecretToRef: { namespace: 'ops', name: to } }, status });
        const [named, given] = [
          publishing('a', { bindingPhase: 'Unbound' }),
          publishing('b', { bindingPhase: 'Bound', boundUID: 'uid-of-b', boundClaimUID }),
        ];
        put(bound, named, given)(cluster);
        put(
          secret('ops', 'a', named, { password: 'x' }),
          secret('ops', 'b', given, { password: 'y' }),
        )(cluster);
        put(secret('team', 'conn', bound, { password: 'y' }))(cluster);
        rest();
      },
      says,
    }),
  ),

  ...(
    [
      ['and the backup forgot it', true, true, []],
      ['and it is still there', true, false, [/^secret team\/others holds the password that/]],
      ['and is gone', false, true, [/^secret team\/others holds the password that/]],
    ] as const
  ).map(
    ([name, isRestored, isGone, says]): Case => ({
      invariant: secretsOfTheirOwn,
      name: `what another claim had before, ${name}`,
      history({ as, restore }) {
        as(
          'p1',
          put(
            orders,
            a,
            secret('ops', 'a', a, { password: 'x' }),
            secret('team', 'conn', orders, { password: 'x' }),
          ),
        );
        if (isRestored) restore('uid-of-a');
        if (isGone) as('somebody', (cluster) => cluster.remove(kindOf(orders), 'orders', 'team'));
        as('p1', put(managed('a', { spec: { claimRef: claimRef('other') } })));
        as('p1', put(secret('team', 'others', other, { password: 'x' })));
      },
      says,
    }),
  ),
  ...(['Deleting', 'Available'] as const).map(
    (reason): Case => ({
      invariant: secretsInStep,
      name: `no source, of a resource that goes, and the claim is ${reason}`,
      history({ cluster, rest }) {
        const ready = { type: 'Ready', status: reason === 'Available' ? 'True' : 'False', reason };
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        put(
          claim('orders', { spec, status: { bindingPhase: 'Bound', conditions: [ready] } }),
          managed(
            'a',
            { spec: { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } } },
            { deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: ['x'] },
          ),
        )(cluster);
        rest();
      },
      says: reason === 'Available' ? [/the secret of its resource is not there/] : [],
    }),
  ),

  ...([undefined, { name: 'conn' }] as const).map(
    (binding): Case => ({
      invariant: secretsInStep,
      name: `no secret, of a resource that goes, and the status names ${binding?.name ?? 'none'}`,
      history({ cluster, rest }) {
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        const conditions = [{ type: 'Ready', status: 'False', reason: 'Deleting' }];
        const going = managed(
          'a',
          { spec: { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } } },
          { deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: ['x'] },
        );
        put(
          claim('orders', {
            spec,
            status: { bindingPhase: 'Bound', conditions, ...(binding && { binding }) },
          }),
          going,
          secret('ops', 'a', going, { password: 'x' }),
        )(cluster);
        rest();
      },
      says: binding === undefined ? [] : [/its secret is not there/],
    }),
  ),
  ...(['True', 'False'] as const).map(
    (isReady): Case => ({
      invariant: secretsInStep,
      name: `a source that is somebody else's by now, no secret, and Ready is ${isReady}`,
      history({ cluster, rest }) {
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        const conditions = [{ type: 'Ready', status: isReady, reason: 'Binding' }];
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        put(
          claim('orders', { spec, status: { bindingPhase: 'Bound', conditions } }),
          managed('a', { spec: to, status: status(available, 'False') }),
          secret('ops', 'a', composed, { password: 'x' }),
        )(cluster);
        rest();
      },
      says: isReady === 'True' ? [/its secret is not there/] : [],
    }),
  ),
  ...(['True', 'False'] as const).map(
    (synced): Case => ({
      invariant: secretsInStep,
      name: `no source, of a resource whose Synced is ${synced}`,
      history({ cluster, rest }) {
        const spec = {
          resourceRef: { kind: 'FavouriteDBInstance', name: 'a' },
          writeConnectionSecretToRef: { name: 'conn' },
        };
        const bound = claim('orders', { spec, status: { bindingPhase: 'Bound' } });
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        put(bound, managed('a', { spec: to, status: status(available, synced) }))(cluster);
        put(secret('team', 'conn', bound, { password: 'x' }))(cluster);
        rest();
      },
      says: synced === 'True' ? [/the secret of its resource is not there/] : [],
    }),
  ),
  {
    invariant: secretsOfTheirOwn,
    name: 'a claim is given what its managed resource published',
    history({ as }) {
      as(
        'p1',
        put(a, secret('ops', 'a', a, { password: 'x' }), secret('team', 'conn', orders, { password: 'x' })),
      );
    },
  },
  {
    invariant: secretsOfTheirOwn,
    name: 'what its managed resource published a while ago',
    history({ as }) {
      as('p1', put(a, secret('ops', 'a', a, { password: 'x' })));
      as(
        'p1',
        put(secret('ops', 'a', a, { password: 'y' }), secret('team', 'conn', orders, { password: 'x' })),
      );
    },
  },
  {
    invariant: secretsOfTheirOwn,
    name: 'what the managed resource of another claim published',
    history({ as }) {
      as(
        'p1',
        put(a, secret('ops', 'a', a, { password: 'x' }), secret('team', 'conn', other, { password: 'x' })),
      );
    },
    says: [/^secret team\/conn holds what no managed resource of its claim uid-of-other has published$/],
  },
  {
    invariant: secretsOfTheirOwn,
    name: 'what another claim had before',
    history({ as }) {
      as(
        'p1',
        put(a, secret('ops', 'a', a, { password: 'x' }), secret('team', 'conn', orders, { password: 'x' })),
      );
      as('p1', put(managed('a', { spec: { claimRef: claimRef('other') } })));
      as('p1', put(secret('team', 'others', other, { password: 'x' })));
    },
    says: [/^secret team\/others holds the password that secret team\/conn of claim uid-of-orders had$/],
  },
  ...[true, false].map(
    (isRestored): Case => ({
      invariant: secretsOfTheirOwn,
      name: `what a claim of that name had before, ${isRestored ? 'out of whose backup it came' : 'and it is a new one'}`,
      history({ as, restore }) {
        as(
          'p1',
          put(
            orders,
            a,
            secret('ops', 'a', a, { password: 'x' }),
            secret('team', 'conn', orders, { password: 'x' }),
          ),
        );
        const again = claim('orders', {}, { uid: 'uid-again' });
        if (isRestored) restore('uid-again');
        as('somebody', (cluster) => {
          cluster.remove(kindOf(orders), 'orders', 'team');
          put(again)(cluster);
        });
        as('p1', put(managed('a', { spec: { claimRef: claimRef('orders', 'uid-again') } })));
        as('p1', put(secret('team', 'former-name', again, { password: 'x' })));
      },
      says: isRestored
        ? []
        : [/^secret team\/former-name holds the password that secret team\/conn of claim uid-of-orders had$/],
    }),
  ),

  ...claims.map(
    ([name, spec, told, beside, says, metadata]): Case => ({
      invariant: claimsSettled,
      name: `a claim ${name}`,
      history({ cluster, rest }) {
        put(...beside, claim('orders', { spec, status: told }, metadata))(cluster);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['has another major version', '14', '99', []],
      ['says none', '14', undefined, [/has to provision from PostgreSQLDatabaseClass small$/]],
      ['has its major version', '14', '14.2', [/has to provision from PostgreSQLDatabaseClass small$/]],
      ['has one, and it asks for none', undefined, '14', [/has to provision from PostgreSQL/]],
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
              status: status(['False', 'Creating'], 'False', unbound),
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
      ['somebody', 'where nobody knew any', {}, []],
      [
        'somebody',
        'in place of what was published',
        { 'crossplane.io/published-details': '{"password":"aaaaaaaaaa"}' },
        [/the password in its secret does not work$/],
      ],
      ['p1', 'where nobody knew any', {}, [/the password in its secret does not work$/]],
    ] as const
  ).map(
    ([who, where, annotations, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database with a password that is not that, which ${who} wrote ${where}`,
      async history({ as, cluster, clouds, rest }) {
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const one = managed('a', { spec: to, status: status(available) });
        const empty = secret('ops', 'a', one, {});
        put(...credentials, one, { ...empty, metadata: { ...empty.metadata, annotations } })(cluster);
        as(who, patch(empty, { data: encodeDetails({ password: 'another' }) }));
        await post(clouds, 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['something else, whose process ended before it was removed', 'another', 'p2', []],
      ['the same', 'a', 'p2', [/the password in its secret does not work$/]],
      [
        'something else, and whose process runs still',
        'another',
        'p1',
        [/the password in its secret does not work$/],
      ],
    ] as const
  ).map(
    ([name, formerName, by, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database with the password of a former resource of its name, which stood for ${name}`,
      async history({ as, cluster, clouds, rest, run }) {
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const told = { spec: to, status: status(available) };
        const annotations = { [annotationKeys.externalName]: formerName };
        const former = managed('a', told, { uid: 'uid-of-a-former', annotations });
        const one = managed('a', told);
        const left = secret('ops', 'a', former, { password: 'another' });
        const { ownerReferences } = secret('ops', 'a', one, {}).metadata;
        put(...credentials, former)(cluster);
        cluster.remove(kindOf(former), 'a');
        run('p1', 'p2');
        as(by, put(left));
        run('p1');
        put(one)(cluster);
        as('p1', patch(left, { metadata: { ownerReferences } }));
        await post(clouds, 'a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['which another process had made anew', 'p2', undefined, []],
      ['which it had made anew itself', 'p1', undefined, [/the password in its secret does not work$/]],
      [
        'which another process had made anew, in place of a password',
        'p2',
        'former',
        [/the password in its secret does not work$/],
      ],
    ] as const
  ).map(
    ([name, by, former, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database with the password of the one before it, ${name}`,
      async history({ as, call, cluster, clouds, rest }) {
        const creation = { system: 'favourite', verb: 'POST', target: '/v1/instances' };
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const one = managed('a', { spec: to, status: status(available) });
        put(...credentials, one)(cluster);
        if (former !== undefined) as('p1', put(secret('ops', 'a', one, { password: former })));
        await post(clouds, 'a');
        call({ by: 'p1', ...creation });
        clouds.favourite.lose('a');
        await post(clouds, 'a');
        call({ by, ...creation });
        as('p1', put(secret('ops', 'a', one, { password: 'another' })));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['then, and was killed', ['p1', 'p2'], ['p1'], 0, []],
      ['then, and runs still', ['p1', 'p2'], ['p1', 'p2'], 0, [/the password in its secret does not work$/]],
      ['once it was alone', ['p2'], ['p1'], 0, [/the password in its secret does not work$/]],
      ['after that', ['p1', 'p2'], ['p1'], 100, [/the password in its secret does not work$/]],
    ] as const
  ).map(
    ([name, beside, left, laterMs, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database with the password of a process, and another has set one ${name}`,
      async history({ as, call, cluster, clouds, later, rest, run }) {
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const one = managed('a', { spec: to, status: status(available) });
        put(...credentials, one)(cluster);
        const setting = { system: 'favourite', verb: 'PATCH', target: '/v1/instances/a' };
        run(...(beside.length > 1 ? beside : ['p1']));
        await post(clouds, 'a', 'a', 'the-first-password');
        call({ by: 'p1', ...setting });
        as('p1', put(secret('ops', 'a', one, { password: 'the-first-password' })));
        later(laterMs);
        run(...beside);
        clouds.favourite.lose('a');
        await post(clouds, 'a', 'a', 'the-second-password');
        call({ by: 'p2', ...setting });
        run(...left);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['Optional', []],
      ['Required', [/leads nowhere/]],
    ] as const
  ).map(
    ([resolution, says]): Case => ({
      invariant: resourcesSettled,
      name: `a database whose provider does not exist and was passed over, being ${resolution}`,
      async history({ cluster, clouds, rest }) {
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const providerConfigRef = { name: 'nobody', policy: { resolution } };
        const annotations = { [annotationKeys.resolvedProvider]: 'ProviderConfig/default' };
        const spec = { ...to, providerConfigRef };
        const one = managed('a', { spec, status: status(available) }, { annotations });
        put(...credentials, one, secret('ops', 'a', one, { password: 'a-password' }))(cluster);
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
      ['that is not there', [], toSecret, refusedBy('ops/a'), [/no password$/, /Synced is False/]],
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
        [/not on record$/],
      ],
      ['without a record', { metadata: held }, [/not on record$/]],
      ['for nobody', undefined, [/made favourite a for a, which is not there$/]],
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
      ['another process let go of since', 'p2', 1, 10_000, []],
      ['another process had just let go of', 'p2', 10_099, 100, []],
      [
        'another process had let go of before',
        'p2',
        10_001,
        10_000,
        [/made favourite a for a, which is not there$/],
      ],
      ['it let go of itself since', 'p1', 1, 10_000, [/made favourite a for a, which is not there$/]],
    ] as const
  ).map(
    ([name, by, sentAtMs, laterMs, says]): Case => ({
      invariant: recordedFirst,
      name: `a process makes something for what ${name}`,
      async history({ as, ask, cluster, clouds, call, later }) {
        const made = managed('a', {}, held);
        ask('get X', 'p1');
        put(made)(cluster);
        later(10_000);
        as(by, (of) => of.remove(kindOf(made), 'a'));
        later(laterMs);
        await post(clouds, 'a');
        call({ by: 'p1', system: 'favourite', verb: 'POST', target: '/v1/instances', sentAtMs });
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, 'p1', []],
      ['long ago', 10_000, 'p1', [/made favourite a, which is not on record$/]],
      ['before it began', 100, 'p2', [/made favourite a, which is not on record$/]],
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
      ['long ago', 10_000, 0, 'p1', [/made favourite a for a, which is not there$/]],
      ['before it began', 100, 0, 'p2', [/made favourite a for a, which is not there$/]],
      ['while it stood still', 10_000, 10_000, 'p1', []],
      ['before it went on, long ago', 30_000, 10_000, 'p1', [/made favourite a for a, which is not there$/]],
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
      ['after its secret', { finalizers: [finalizerNames.claim] }, true, []],
      [
        'before its secret',
        { finalizers: [finalizerNames.claim] },
        false,
        [/Bound before its secret is handed over$/],
      ],
      ['to a claim without a finalizer', {}, true, [/which has no finalizer$/]],
    ] as const
  ).map(
    ([name, its, hasSecret, says]): Case => ({
      invariant: recordedFirst,
      name: `a process says that a resource is Bound ${name}`,
      history({ as, cluster }) {
        const to = { writeConnectionSecretToRef: { name: 'conn' } };
        const from = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        put(managed('a'), claim('orders', { spec: to }, its))(cluster);
        if (hasSecret) put(secret('team', 'conn', orders, {}))(cluster);
        as('p1', put(managed('a', { spec: { claimRef: claimRef('orders'), ...from }, status: bound })));
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, 'p1', undefined, []],
      ['long ago', 10_000, 'p1', undefined, [/gives .* to team\/orders, which has no finalizer$/]],
      ['before it began', 100, 'p2', undefined, [/gives .* to team\/orders, which has no finalizer$/]],
      ['a moment ago, and asked for another secret', 100, 'p1', 'another', []],
      ['long ago, and asked for another secret', 10_000, 'p1', 'another', [/no finalizer$/, /handed over$/]],
    ] as const
  ).map(
    ([name, laterMs, who, wanted, says]): Case => ({
      invariant: recordedFirst,
      name: `a process binds a claim whose finalizer somebody took away ${name}`,
      history({ as, ask, cluster, later }) {
        const to = { writeConnectionSecretToRef: { name: 'conn' } };
        const from = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const made = claim('orders', { spec: to }, ours);
        ask('get X');
        later(1);
        put(managed('a'), made, secret('team', 'conn', orders, {}))(cluster);
        const spec = wanted && { spec: { writeConnectionSecretToRef: { name: wanted } } };
        patch(made, { metadata: { finalizers: null }, ...spec })(cluster);
        later(laterMs);
        ask('get X', who);
        as(who, put(managed('a', { spec: { claimRef: claimRef('orders'), ...from }, status: bound })));
      },
      says,
    }),
  ),
  ...(
    [
      ['its secret a moment ago', 100, 'p1', 'orders', 'conn', []],
      ['its secret long ago', 10_000, 'p1', 'orders', 'conn', [/Bound before its secret is handed over$/]],
      ['its secret before it began', 100, 'p2', 'orders', 'conn', [/before its secret is handed over$/]],
      ['a secret of another claim', 100, 'p1', 'other', 'conn', [/before its secret is handed over$/]],
      ['another secret of its own', 100, 'p1', 'orders', 'old', [/before its secret is handed over$/]],
    ] as const
  ).map(
    ([name, laterMs, who, owner, lost, says]): Case => ({
      invariant: recordedFirst,
      name: `a process binds a claim, and somebody deleted ${name}`,
      history({ as, ask, cluster, later }) {
        const to = { writeConnectionSecretToRef: { name: 'conn' } };
        const from = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
        const left = secret('team', lost, claim(owner), {});
        ask('get X');
        later(1);
        put(managed('a'), claim('orders', { spec: to }, ours), left)(cluster);
        leave(left)(cluster);
        later(laterMs);
        ask('get X', who);
        as(who, put(managed('a', { spec: { claimRef: claimRef('orders'), ...from }, status: bound })));
      },
      says,
    }),
  ),
  {
    invariant: recordedFirst,
    name: 'a process binds a claim that asked for another secret, and was handed neither',
    history({ as, ask, cluster }) {
      const from = { writeConnectionSecretToRef: { namespace: 'ops', name: 'a' } };
      const made = claim('orders', { spec: { writeConnectionSecretToRef: { name: 'conn' } } }, ours);
      ask('get X');
      put(managed('a'), made)(cluster);
      patch(made, { spec: { writeConnectionSecretToRef: { name: 'another' } } })(cluster);
      as('p1', put(managed('a', { spec: { claimRef: claimRef('orders'), ...from }, status: bound })));
    },
    says: [/Bound before its secret is handed over$/],
  },
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
      ['a person brings its secret back', 'somebody', 'somebody', []],
      [
        'a process makes its secret anew',
        'p1',
        'somebody',
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      [
        'a process writes into its secret that a person brought back',
        'somebody',
        'p1',
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
    ] as const
  ).map(
    ([name, maker, writer, says]): Case => ({
      invariant: nothingLeft,
      name: `a claim is gone, and ${name}`,
      history({ as, cluster, rest }) {
        const left = secret('team', 'conn', orders, {});
        put(orders)(cluster);
        as('p1', leave(orders));
        as(maker, put(left));
        as(writer, patch(left, { data: { password: 'bmV3' } }));
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
      ['another process a moment before', 'p2', 100, []],
      [
        'another process long before',
        'p2',
        10_000,
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      [
        'who lets it go, a moment before',
        'p1',
        100,
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
    ] as const
  ).map(
    ([name, maker, laterMs, says]): Case => ({
      invariant: nothingLeft,
      name: `a claim goes, and its secret was made by ${name}`,
      history({ as, cluster, later, rest }) {
        put(orders)(cluster);
        as(maker, put(secret('team', 'conn', orders, {})));
        later(laterMs);
        as('p1', leave(orders));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['was given up', 20_000, []],
      ['was waited for', 59_999, [/secret team\/conn is still there, and FancySQLInstance orders is gone$/]],
    ] as const
  ).map(
    ([name, sentAtMs, says]): Case => ({
      invariant: nothingLeft,
      name: `a claim is gone, and a secret becomes its own with a request that ${name}`,
      history({ as, call, cluster, later, rest }) {
        const left = secret('team', 'conn', orders, {});
        const { ownerReferences, ...metadata } = left.metadata;
        put(orders, { ...left, metadata } as KubernetesObject)(cluster);
        later(40_000);
        as('p1', leave(orders));
        later(20_000);
        as('p1', patch(left, { metadata: { ownerReferences } }));
        call({
          ...{ by: 'p1', verb: 'update', target: 'Secret team/conn', sentAtMs },
          about: { kind: SecretKind, key: { namespace: 'team', name: 'conn' } },
        });
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['was given up, a moment before', 30_000, 100, []],
      [
        'was given up, long before',
        30_000,
        10_000,
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      [
        'was waited for, a moment before',
        29_999,
        100,
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
    ] as const
  ).map(
    ([name, tookMs, laterMs, says]): Case => ({
      invariant: nothingLeft,
      name: `a claim goes, and its secret came with a request that ${name}`,
      history({ as, call, cluster, later, rest }) {
        put(orders)(cluster);
        later(tookMs);
        as('p1', put(secret('team', 'conn', orders, {})));
        call({
          ...{ by: 'p1', verb: 'create', target: 'Secret team/conn', sentAtMs: 0 },
          about: { kind: SecretKind, key: { namespace: 'team', name: 'conn' } },
        });
        later(laterMs);
        as('p1', leave(orders));
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['was given up', { sentMs: 20_000, takesMs: 40_000, maker: 'p1' }, []],
      ['another process had sent', { sentMs: 20_000, takesMs: 20_001, maker: 'p2' }, []],
      [
        'the process still waited for',
        { sentMs: 20_000, takesMs: 20_001, maker: 'p1' },
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      [
        'was only sent then',
        { sentMs: 40_001, takesMs: 35_000, maker: 'p1' },
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      ['another process sent before it could know', { sentMs: 40_100, takesMs: 1, maker: 'p2' }, []],
      [
        'another process sent when it knew',
        { sentMs: 42_000, takesMs: 1, maker: 'p2' },
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
      [
        'another process sent that was frozen meanwhile',
        { sentMs: 50_001, takesMs: 1, maker: 'p2', frozenMs: 20_000 },
        [],
      ],
      [
        'another process sent that was frozen before',
        { sentMs: 42_000, takesMs: 1, maker: 'p2', frozenMs: 5_000 },
        [/secret team\/conn is still there, and FancySQLInstance orders is gone$/],
      ],
    ] as const
  ).map(
    ([name, { sentMs, takesMs, maker, ...more }, says]): Case => ({
      invariant: nothingLeft,
      scenario: {
        steps: [
          { atMs: 30_000, act: { type: 'freeze', nth: 1, forMs: 'frozenMs' in more ? more.frozenMs : 0 } },
        ],
      },
      name: `a claim is gone, and its secret comes with a request that ${name}`,
      history({ as, call, cluster, later, rest }) {
        const left = secret('team', 'conn', orders, {});
        put(orders)(cluster);
        later(40_000);
        as('p1', leave(orders));
        later(sentMs + takesMs - 40_000);
        as(maker, put(left));
        call({
          ...{ by: maker, verb: 'create', target: 'Secret team/conn', sentAtMs: sentMs },
          about: { kind: SecretKind, key: { namespace: 'team', name: 'conn' } },
        });
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'Released, and gives its secret to somebody',
        'Released',
        {},
        'True',
        [/is Released, and gives its secret to team\/conn$/],
      ],
      ['Released, and cannot be looked at to take the leave back', 'Released', {}, 'False', []],
      ['Bound, and gives its secret to its claim', 'Bound', { claimRef: claimRef('orders') }, 'True', []],
    ] as const
  ).map(
    ([name, bindingPhase, spec, synced, says]): Case => ({
      invariant: nothingLeft,
      name: `what is ${name}`,
      history({ cluster, rest }) {
        const given = secret('ops', 'a', a, {});
        const annotations = { 'to.propagate.crossplane.io/1': 'team/conn' };
        const conditions = [
          { type: 'Synced', status: synced, reason: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ];
        put(managed('a', { spec, status: { bindingPhase, conditions } }), {
          ...given,
          metadata: { ...given.metadata, annotations },
        } as KubernetesObject)(cluster);
        rest();
      },
      says,
    }),
  ),
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
      ['that contradict each other', 60, []],
      [
        'that contradict each other without end',
        100,
        Array.from({ length: 16 }, () => /has said \d+ times$/),
      ],
    ] as const
  ).map(
    ([name, times, says]): Case => ({
      invariant: providersTold,
      name: `a provider is told of by two processes by mistake ${name}`,
      history({ as, ask, cluster, run }) {
        put(cloudSecret('wrong'), cloudConfig)(cluster);
        run('p1', 'p2');
        ask('GET favourite /v1/instances/a', 'p1');
        ask('GET favourite /v1/instances/a', 'p2');
        for (let time = 0; time < times; time += 1) {
          const [by, status] = time % 2 === 0 ? ['p1', 'False'] : ['p2', 'Unknown'];
          as(by, patch(cloudConfig, readyAs(status, 'CredentialsRefused'), 'status'));
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
  ...(
    [
      ['the one that it was bound to goes', 'orders', []],
      [
        'that goes, and not the one that it was bound to',
        'other',
        [/^p1 deletes .* a, whose claim team\/other stays$/],
      ],
    ] as const
  ).map(
    ([name, boundTo, says]): Case => ({
      invariant: reclaimed,
      name: `a process deletes a resource whose claimRef has the UID of another claim: ${name}`,
      history({ as, cluster }) {
        const named = boundTo === 'orders' ? 'other' : 'orders';
        put(claim('orders', {}, { ...gone, finalizers: ['x'] }), claim('other'))(cluster);
        const boundClaimUID = claimRef(boundTo).uid ?? '';
        const status = { bindingPhase: 'Bound', boundUID: a.metadata.uid, boundClaimUID } as const;
        const one = managed('a', { spec: { claimRef: claimRef(named), reclaimPolicy: 'Delete' }, status });
        put(one)(cluster);
        as('p1', leave(one));
      },
      says,
    }),
  ),
  {
    invariant: reclaimed,
    name: 'a process deletes what it made, never bound',
    history({ as }) {
      const one = managed('a', { spec: { claimRef: claimRef('orders'), reclaimPolicy: 'Delete' } });
      as('p1', put(one));
      as('p2', leave(one));
    },
  },
  ...(
    [
      ['before that', { maker: 'p2', isAfter: false, policy: 'Delete' }, [/^FavouriteDBInstance a was made/]],
      ['before that, policy Retain', { maker: 'p1', isAfter: false, policy: 'Retain' }, []],
      [
        'after that by the same process',
        { maker: 'p1', isAfter: true, policy: 'Delete' },
        [/^FavouriteDBInstance a was made for a claim that is gone, and stays$/],
      ],
      [
        'after that by the same process, which had been killed',
        { maker: 'p1', isAfter: true, policy: 'Delete', isDead: true },
        [],
      ],
      [
        'after that by the same process, which had been told to end',
        { maker: 'p1', isAfter: true, policy: 'Delete', isEnding: true },
        [],
      ],
      [
        'after that by the same process, which had asked to delete it and still runs',
        { maker: 'p1', isAfter: true, policy: 'Delete', hasAsked: true },
        [/^FavouriteDBInstance a was made for a claim that is gone, and stays$/],
      ],
      [
        'after that by the same process, which ended while its deletion was under way',
        { maker: 'p1', isAfter: true, policy: 'Delete', hasAsked: true, hasEnded: true },
        [],
      ],
      ['after that by another process', { maker: 'p2', isAfter: true, policy: 'Delete' }, []],
      [
        'after that by another process, and asks for it by name since',
        { maker: 'p2', isAfter: true, policy: 'Delete', looksSince: true },
        [],
      ],
      [
        'before that, but since it had looked, by another process',
        { maker: 'p2', isAfter: false, policy: 'Delete', hasLooked: true },
        [],
      ],
      [
        'before that, but since it had looked, by the same process',
        { maker: 'p1', isAfter: false, policy: 'Delete', hasLooked: true },
        [/^FavouriteDBInstance a was made for a claim that is gone, and stays$/],
      ],
    ] as const
  ).map(
    ([name, { maker, isAfter, policy, ...rest }, says]): Case => ({
      invariant: reclaimed,
      name: `a process lets a claim go, and leaves what was made for it ${name}`,
      history({ as, ask, call, cluster, end, later, run, rest: settle }) {
        const made = put(managed('a', { spec: { claimRef: claimRef('orders'), reclaimPolicy: policy } }));
        put(orders)(cluster);
        if ('hasLooked' in rest) ask('get FavouriteDBInstance a', 'p1');
        later(1);
        if (!isAfter) as(maker, made);
        later(1);
        as('p1', leave(orders));
        call({ by: 'p1', target: 'FancySQLInstance team/orders' });
        later(1);
        if ('isEnding' in rest) end('p1');
        if (isAfter) as(maker, made);
        later(1);
        if ('hasAsked' in rest) ask('delete FavouriteDBInstance a', 'p1');
        if ('looksSince' in rest) ask('get FavouriteDBInstance a', 'p1');
        if (!('isDead' in rest)) ask('get X', 'p1');
        if ('hasEnded' in rest) run('p2');
        settle();
      },
      says,
    }),
  ),
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
      [
        'bound to a claim',
        { claimRef: claimRef('other') },
        'Released',
        {},
        [/gives .* a, .*Released, to a claim$/],
      ],
      ['offered by nobody', {}, 'Unbound', {}, [/makes .* a Unbound, which was Released$/]],
      ['offered by an administrator', {}, 'Unbound', { [annotationKeys.reoffer]: 'true' }, []],
      [
        'made Bound',
        {},
        'Bound',
        { [annotationKeys.reoffer]: 'true' },
        [/makes .* a Bound, which was Released$/],
      ],
    ] as const
  ).map(
    ([name, spec, bindingPhase, annotations, says]): Case => ({
      invariant: releasedStays,
      name: `what is Released is ${name}`,
      history({ as, cluster }) {
        put(managed('a', { status: { bindingPhase: 'Released' } }, { annotations }))(cluster);
        as('p1', put(managed('a', { spec, status: { bindingPhase } }, { annotations })));
      },
      says,
    }),
  ),
  ...(
    [
      ['the claim that it was offered to', 'claim', 'orders', []],
      [
        'another than it was offered to',
        'claim',
        'other',
        [
          /^p1 gives .* a, which was offered to FancySQLInstance team\/orders, to FancySQLInstance team\/other$/,
        ],
      ],
      ['whoever wants it', 'true', 'other', []],
    ] as const
  ).map(
    ([name, offer, taker, says]): Case => ({
      invariant: releasedStays,
      name: `what was offered again, and then withdrawn, is given to ${name}`,
      history({ as, cluster }) {
        const { uid: _uid, ...byName } = claimRef('orders');
        const spec = offer === 'claim' ? { claimRef: byName } : {};
        const annotations = { [annotationKeys.reoffer]: offer };
        put(managed('a', { spec, status: { bindingPhase: 'Released' } }, { annotations }))(cluster);
        as('p1', put(managed('a', { spec, status: { bindingPhase: 'Unbound' } }, { annotations })));
        as('p1', put(managed('a', { spec, status: { bindingPhase: 'Unbound' } })));
        as('somebody', put(managed('a', { status: { bindingPhase: 'Unbound' } })));
        as(
          'p1',
          put(managed('a', { spec: { claimRef: claimRef(taker) }, status: { bindingPhase: 'Unbound' } })),
        );
      },
      says,
    }),
  ),
  ...(
    [
      ['the claim that had taken it', 'uid-of-other/uid-of-a', []],
      [
        'another than had taken it',
        'uid-of-third/uid-of-a',
        [/^p1 gives .* a, which was offered to .*orders, to/],
      ],
    ] as const
  ).map(
    ([name, taken, says]): Case => ({
      invariant: releasedStays,
      name: `what was offered to one, and then withdrawn, is given to ${name}`,
      history({ as, cluster }) {
        const { uid: _uid, ...byName } = claimRef('orders');
        const spec = { claimRef: byName };
        const status = { bindingPhase: 'Unbound' } as const;
        const marks = { 'crossplane.io/claim-parameters': '{}', 'crossplane.io/reserved-for': taken };
        const annotations = { ...marks, [annotationKeys.reoffer]: 'claim' };
        put(managed('a', { spec, status }, { annotations }))(cluster);
        as('p1', put(managed('a', { spec, status }, { annotations: marks })));
        as('somebody', put(managed('a', { status }, { annotations: marks })));
        as(
          'p1',
          put(managed('a', { spec: { claimRef: claimRef('other') }, status }, { annotations: marks })),
        );
      },
      says,
    }),
  ),
  {
    invariant: releasedStays,
    name: 'what nobody has had was offered to one, and is given to another',
    history({ as, cluster }) {
      const { uid: _uid, ...byName } = claimRef('orders');
      const annotations = { [annotationKeys.reoffer]: 'claim' };
      put(managed('a', { spec: { claimRef: byName } }, { annotations }))(cluster);
      const status = { bindingPhase: 'Unbound' } as const;
      as('p1', put(managed('a', { spec: { claimRef: byName }, status }, { annotations })));
      as('p1', put(managed('a', { spec: { claimRef: claimRef('other') }, status })));
    },
  },
  ...(
    [
      ['its own claim is named again', 'uid-of-orders', []],
      ['it is given to another', 'uid-of-other', [/^p1 gives .* a, which is Released, to a claim$/]],
    ] as const
  ).map(
    ([name, boundClaimUID, says]): Case => ({
      invariant: releasedStays,
      name: `what goes shows Released, and ${name}, as somebody took the UID from its claimRef`,
      history({ as, cluster }) {
        const status = { bindingPhase: 'Released', boundClaimUID } as const;
        const { uid: _uid, ...byName } = claimRef('orders');
        put(managed('a', { spec: { claimRef: byName }, status }))(cluster);
        as('p1', put(managed('a', { spec: { claimRef: claimRef('orders') }, status })));
      },
      says,
    }),
  ),
  ...(
    [
      ['offered by an administrator who took it from its claim', {}, 'true', []],
      ['offered by nobody', {}, 'false', [/makes .* a Unbound, which was Bound$/]],
      [
        'offered while a claim has it',
        { claimRef: claimRef('orders') },
        'true',
        [/Unbound, which was Bound$/],
      ],
    ] as const
  ).map(
    ([name, spec, reoffer, says]): Case => ({
      invariant: releasedStays,
      name: `what is Bound is ${name}`,
      history({ as, cluster }) {
        const annotations = { [annotationKeys.reoffer]: reoffer };
        put(managed('a', { spec, status: { bindingPhase: 'Bound' } }, { annotations }))(cluster);
        as('p1', put(managed('a', { spec, status: { bindingPhase: 'Unbound' } }, { annotations })));
      },
      says,
    }),
  ),

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
  {
    invariant: externalKept,
    name: 'a process deletes outside what is of a new resource of that name',
    history({ cluster, call }) {
      const one = managed('a', { spec: { reclaimPolicy: 'Delete' } }, { ...gone, ...held });
      put(one)(cluster);
      patch(one, { metadata: { finalizers: [] } })(cluster);
      put(managed('a', {}, held))(cluster);
      call({ system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' });
    },
    says: [/^p1 deletes \/v1\/instances\/a in favourite$/],
  },
  ...(
    [
      ['before its process knew that it was there after that', 0, 'Delete', []],
      ['and was to be kept', 0, 'Retain', [/^p1 deletes \/v1\/instances\/a in favourite$/]],
      [
        'since its process knew it to be there',
        2,
        'Delete',
        [/^p1 deletes \/v1\/instances\/a in favourite$/],
      ],
    ] as const
  ).map(
    ([name, writes, reclaimPolicy, says]): Case => ({
      invariant: externalKept,
      name: `a process deletes outside what it made for a resource that somebody let go of, ${name}`,
      async history({ as, cluster, clouds, call }) {
        const made = managed('a', { spec: { reclaimPolicy } }, held);
        put(made)(cluster);
        await post(clouds, 'a');
        call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
        for (let write = 0; write < writes; write += 1) {
          as('p1', patch(made, { status: { observedGeneration: write } }, 'status'));
        }
        patch(made, { metadata: { finalizers: [] } })(cluster);
        cluster.delete(kindOf(made) as Kind, objectKey(made.metadata));
        call({ system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' });
      },
      says,
    }),
  ),
  ...(
    [
      ['that is gone', 'Delete', undefined, []],
      ['that was to be kept', 'Retain', undefined, [/^p1 deletes \/v1\/instances\/a in favourite$/]],
      ['whose name another has that has taken up nothing', 'Delete', {}, []],
      ['that another has taken up', 'Delete', held, [/^p1 deletes \/v1\/instances\/a in favourite$/]],
    ] as const
  ).map(
    ([name, reclaimPolicy, heir, says]): Case => ({
      invariant: externalKept,
      name: `a process deletes outside what is of a resource whose deletion overtook its finalizer, ${name}`,
      history({ as, cluster, call }) {
        overtake(as, managed('a', { spec: { reclaimPolicy } }))(cluster);
        if (heir !== undefined) put(managed('a', {}, heir))(cluster);
        call({ system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' });
      },
      says,
    }),
  ),
  ...(
    [
      ['and is there still', 'Delete', undefined, [/^nobody answers for a in favourite, made for a$/]],
      ['and is kept', 'Retain', undefined, []],
      ['and the process that knew is no more', 'Delete', 'p2', []],
    ] as const
  ).map(
    ([name, reclaimPolicy, next, says]): Case => ({
      invariant: answeredFor,
      name: `something was made for a resource whose deletion overtook its finalizer, ${name}`,
      async history({ as, ask, cluster, clouds, later, rest }) {
        ask('list FavouriteDBInstance');
        later(10_000);
        overtake(as, managed('a', { spec: { reclaimPolicy } }))(cluster);
        await post(clouds, 'a');
        if (next !== undefined) ask('list FavouriteDBInstance', next);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['that made it', ['p1', 'p2'], [/^nobody answers for a in favourite, made for a$/]],
      ['that made it and ended a moment later', ['p1'], []],
    ] as const
  ).map(
    ([name, left, says]): Case => ({
      invariant: answeredFor,
      name: `a process lets go of a resource beside another ${name}`,
      async history({ as, ask, cluster, clouds, later, rest, run }) {
        run('p1', 'p2');
        ask('list FavouriteDBInstance', 'p1');
        ask('list FavouriteDBInstance', 'p2');
        const one = managed('a', { spec: { reclaimPolicy: 'Delete' } });
        put(one)(cluster);
        await post(clouds, 'a');
        as('p1', (each) => each.remove(kindOf(one), 'a'));
        later(5_000);
        run(...left);
        ask('list FavouriteDBInstance', 'p1');
        later(60_000);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['and ends a moment later', 5_000, []],
      ['and ends long after that', 40_000, [/^nobody answers for a in favourite, made for a$/]],
    ] as const
  ).map(
    ([name, endsAfterMs, says]): Case => ({
      invariant: answeredFor,
      name: `a process makes something, late, for a resource that another let go of, ${name}`,
      async history({ as, ask, call, cluster, clouds, later, rest, run }) {
        run('p1', 'p2');
        ask('list FavouriteDBInstance', 'p1');
        ask('list FavouriteDBInstance', 'p2');
        const one = managed('a', { spec: { reclaimPolicy: 'Delete' } });
        put(one)(cluster);
        as('p1', (each) => each.remove(kindOf(one), 'a'));
        later(36_000);
        await post(clouds, 'a');
        call({ by: 'p2', system: 'favourite', verb: 'POST', target: '/v1/instances' });
        later(endsAfterMs);
        run('p1');
        ask('list FavouriteDBInstance', 'p1');
        later(60_000);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['marked and looked at', true, true, 0, []],
      ['marked, which its process was shown', true, false, 11, []],
      ['marked', true, false, 0, [/^nobody answers for a in favourite, made for a$/]],
      ['looked at', false, true, 0, [/^nobody answers for a in favourite, made for a$/]],
    ] as const
  ).map(
    ([name, isMarked, isLookedAt, laterMs, says]): Case => ({
      invariant: answeredFor,
      name: `something was made for a resource whose deletion overtook its finalizer, and that was ${name} before`,
      async history({ as, ask, cluster, clouds, later, rest }) {
        const one = managed('a', { spec: { reclaimPolicy: 'Delete' } });
        ask('list FavouriteDBInstance');
        later(10_000);
        put(one)(cluster);
        const end = cluster.beginLeaving(kindOf(one), one.metadata);
        as('p1', patch(one, { metadata: { finalizers: [finalizerNames.managed] } }));
        await post(clouds, 'a');
        if (isMarked) cluster.delete(kindOf(one), one.metadata);
        later(laterMs);
        if (isLookedAt) as('p1', patch(one, { status: { bindingPhase: 'Unbound' } }, 'status'));
        as(overtaking, end);
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      ['a moment ago', 100, []],
      ['long ago', 10_000, [/^p1 made favourite a for a, which is not there$/]],
    ] as const
  ).map(
    ([name, laterMs, says]): Case => ({
      invariant: recordedFirst,
      name: `a process makes something for a resource whose deletion overtook its finalizer ${name}`,
      async history({ as, cluster, clouds, call, later }) {
        const annotations = { [annotationKeys.externalIdentity]: '{}' };
        overtake(as, managed('a', {}, { annotations }))(cluster);
        later(laterMs);
        await post(clouds, 'a');
        call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
      },
      says,
    }),
  ),
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
  ...(
    [
      ['while it was being made', 0, []],
      ['since it was told of', 1, [/^p1 deletes shop in postgresql$/]],
    ] as const
  ).map(
    ([name, writes, says]): Case => ({
      invariant: externalKept,
      name: `a process drops the database of a resource that somebody let go of ${name}`,
      history({ as, cluster, call }) {
        const {
          metadata,
          status: _status,
          ...rest
        } = shop as KubernetesObject & {
          readonly spec: Fields;
          readonly status?: unknown;
        };
        const spec = { ...rest.spec, reclaimPolicy: 'Delete' };
        const made = { ...rest, metadata: { ...metadata, ...held }, spec } as KubernetesObject;
        put(made)(cluster);
        call({ system: 'postgresql', verb: 'CREATE ROLE', target: 'shop' });
        if (writes > 0) as('p1', patch(made, { status: { observedGeneration: 1 } }, 'status'));
        patch(made, { metadata: { finalizers: [] } })(cluster);
        cluster.delete(kindOf(made) as Kind, objectKey(made.metadata));
        call({ system: 'postgresql', verb: 'DROP DATABASE', target: 'shop' });
      },
      says,
    }),
  ),
  ...(
    [
      ['while it was at it', 'p1', []],
      ['and was never at it', 'p3', [/^p3 deletes shop in postgresql$/]],
    ] as const
  ).map(
    ([name, who, says]): Case => ({
      invariant: externalKept,
      name: `a process drops what another has dropped and made anew, ${name}`,
      history({ cluster, call }) {
        const {
          metadata,
          status: _status,
          ...rest
        } = shop as KubernetesObject & {
          readonly spec: Fields;
          readonly status?: unknown;
        };
        const spec = { ...rest.spec, reclaimPolicy: 'Delete' };
        const former = { ...rest, metadata: { ...metadata, ...gone, ...held }, spec } as KubernetesObject;
        put(former)(cluster);
        call({ system: 'postgresql', verb: 'ALTER ROLE', target: 'shop' });
        call({ by: 'p2', system: 'postgresql', verb: 'DROP ROLE', target: 'shop' });
        patch(former, { metadata: { finalizers: [] } })(cluster);
        put({ ...rest, metadata: { ...metadata, ...held }, spec } as KubernetesObject)(cluster);
        call({ by: who, system: 'postgresql', verb: 'DROP ROLE', target: 'shop' });
      },
      says,
    }),
  ),
  ...(
    [
      ['while it was at it', ['p1'], 'p2', 1, []],
      ['and tried to again', ['p1'], 'p2', 2, [/^p1 deletes .* in favourite$/]],
      ['and was never at it', [], 'p2', 1, [/^p1 deletes .* in favourite$/]],
      ['itself', ['p1'], 'p1', 1, [/^p1 deletes .* in favourite$/]],
    ] as const
  ).map(
    ([name, looking, by, times, says]): Case => ({
      invariant: externalKept,
      name: `a process deletes in a cloud what another has deleted and made anew, ${name}`,
      async history({ as, ask, cluster, clouds, call }) {
        const spec = { spec: { reclaimPolicy: 'Delete' } };
        const deletion = { system: 'favourite', verb: 'DELETE', target: '/v1/instances/a' };
        const former = managed('a', spec, { ...gone, ...held });
        put(former)(cluster);
        for (const who of looking) ask('GET favourite /v1/instances/a', who);
        call({ by: 'p2', ...deletion });
        patch(former, { metadata: { finalizers: [] } })(cluster);
        as(by, put(managed('a', spec, held)));
        await post(clouds, 'a');
        for (let made = 1; made <= times; made += 1) call({ by: 'p1', ...deletion });
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
    says: [/^nobody answers for shop in postgresql, made for shop$/],
  },
  ...(
    [
      ['is there for a managed resource that is there', { owner: 'a' }, []],
      ['has nobody', { owner: 'b' }, [/^nobody answers for a in favourite, made for b$/]],
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
        [/^nobody answers for a2 in favourite, made for a$/],
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
      ['another name', 'a2', true, []],
      ['another name, at rest', 'a2', false, [/^nobody answers for a in favourite, made for a$/]],
      [
        'the same name',
        'a',
        false,
        [/^p1 lets FavouriteDBInstance a go, and a in favourite is still there$/, /^nobody answers for a/],
      ],
    ] as const
  ).map(
    ([name, external, isTidied, says]): Case => ({
      invariant: answeredFor,
      name: `a managed resource goes before what was made for a former one whose deletion overtook its finalizer, under ${name}`,
      async history({ as, ask, cluster, clouds, later, rest }) {
        ask('list FavouriteDBInstance');
        later(10_000);
        const spec = { reclaimPolicy: 'Delete' };
        overtake(as, managed('a', { spec }))(cluster);
        await post(clouds, 'a');
        const annotations = { [annotationKeys.externalName]: external };
        const heir = managed('a', { spec }, { ...gone, ...held, annotations });
        put(heir)(cluster);
        as('p1', patch(heir, { metadata: { finalizers: [] } }));
        if (isTidied) clouds.favourite.lose('a');
        rest();
      },
      says,
    }),
  ),
  ...(
    [
      [
        'Delete',
        [/^p1 lets FavouriteDBInstance a go, and a in favourite is still there$/, /^nobody answers for a/],
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
      ['that is not', undefined, [/^p1 made aws a for nobody, which is not there$/]],
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
