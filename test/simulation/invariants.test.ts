import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { crdName, objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import { QueueKind } from '../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { CloudMemorystoreInstanceKind } from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { PostgreSQLDatabaseKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import { objectOf, referenceOf } from '../fakes/object-of.ts';
import type { InvariantOf } from './invariant.ts';
import { answeredFor } from './invariants/answered-for.ts';
import { boundedWork } from './invariants/bounded-work.ts';
import { bystandersServed } from './invariants/bystanders-served.ts';
import { claimsSettled } from './invariants/claims-settled.ts';
import { cloudsSettled } from './invariants/clouds-settled.ts';
import { definitionsRespected } from './invariants/definitions-respected.ts';
import { deletionEnds } from './invariants/deletion-ends.ts';
import { externalRetained } from './invariants/external-retained.ts';
import { malformedReported } from './invariants/malformed-reported.ts';
import { noEmptyWrites } from './invariants/no-empty-writes.ts';
import { noSecretsLeaked } from './invariants/no-secrets-leaked.ts';
import { nothingLeft } from './invariants/nothing-left.ts';
import { onlyTheLeaderWrites } from './invariants/only-the-leader-writes.ts';
import { othersStay } from './invariants/others-stay.ts';
import { passwordsApart } from './invariants/passwords-apart.ts';
import { postgresqlSettled } from './invariants/postgresql-settled.ts';
import { preconditions } from './invariants/preconditions.ts';
import { providersReported } from './invariants/providers-reported.ts';
import { recordedFirst } from './invariants/recorded-first.ts';
import { resourcesSettled } from './invariants/resources-settled.ts';
import { secretsInStep } from './invariants/secrets-in-step.ts';
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
import { credentialsSecret, credentials as inventoryCredentials } from './workload/inventory.ts';

/*
 * One history for each invariant that breaks each of its checks, so that no check can be without effect. That invariants
 * accuse nothing else is what the seeds show.
 */

type Fields = Readonly<Record<string, unknown>>;
type Spec = Fields & { readonly spec?: Fields };
type Metadata = Partial<KubernetesObject['metadata']>;

/** An object whose UID is made of its name. */
const object = (kind: Kind, { name, ...metadata }: Metadata & { name: string }, rest: Fields = {}) =>
  objectOf(kind, { name, uid: `uid-of-${name}`, ...metadata }, rest);

const claim = (name: string, { spec = {}, ...rest }: Spec = {}, metadata: Metadata = {}) =>
  object(FancySQLInstanceKind, { namespace: 'team', name, ...metadata }, { spec, ...rest });

const managed = (
  name: string,
  { spec = {}, ...rest }: Spec = {},
  { annotations, ...metadata }: Metadata = {},
) =>
  object(
    FavouriteDBInstanceKind,
    { name, ...metadata, annotations: { [annotationKeys.externalName]: name, ...annotations } },
    { spec: { forProvider: { fancinessLevel: 1 }, ...spec }, ...rest },
  );

const claimRef = (name: string) => ({
  ...referenceOf(FancySQLInstanceKind, name),
  namespace: 'team',
  uid: `uid-of-${name}`,
});
const resourceRef = (name: string) => referenceOf(FavouriteDBInstanceKind, name);

/** A connection secret; `owner` is its controller. */
const secret = (
  namespace: string,
  name: string,
  owner: KubernetesObject | undefined,
  details: Readonly<Record<string, string>>,
  metadata: Metadata = {},
) => {
  const { apiVersion = '', kind = '', metadata: of } = owner ?? {};
  const reference = { apiVersion, kind, name: of?.name ?? '', uid: of?.uid ?? '', controller: true };
  return objectOf(
    SecretKind,
    { namespace, name, ...(owner && { ownerReferences: [reference] }), ...metadata },
    { type: connectionSecretType, data: encodeDetails(details) },
  );
};

const put =
  (...objects: readonly KubernetesObject[]) =>
  (cluster: MemoryCluster): void => {
    for (const each of objects) cluster.put(kindOf(each), each);
  };
const leave =
  (...objects: readonly KubernetesObject[]) =>
  (cluster: MemoryCluster): void => {
    for (const each of objects) cluster.leave(kindOf(each), objectKey(each.metadata));
  };
const patch =
  (each: KubernetesObject, fields: object, subresource?: 'status') =>
  (cluster: MemoryCluster): unknown =>
    cluster.patch(kindOf(each) as Kind, objectKey(each.metadata), fields, subresource);

const condition = (type: string, status: string, reason: string, more: Fields = {}) => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});
/** A status of generation 1 with these conditions. */
const status = (ready: string, synced = 'True', more: Fields = {}): Fields => ({
  observedGeneration: 1,
  conditions: [
    condition('Ready', ready, ready === 'True' ? 'Available' : 'Creating'),
    condition('Synced', synced, synced === 'True' ? 'ReconcileSuccess' : 'ReconcileError'),
  ],
  ...more,
});
const [bound, unbound] = [{ bindingPhase: 'Bound' }, { bindingPhase: 'Unbound' }];
const ours = { finalizers: [finalizerNames.claim] };
const held = { finalizers: [finalizerNames.managed] };
const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const boundTo = (claimed: string, name: string, ready = 'True') =>
  managed(name, { spec: { claimRef: claimRef(claimed) }, status: status(ready, 'True', bound) });
const orders = claim('orders');

/** The objects that lead to the cloud, with valid or invalid credentials. */
const cloudSecret = (credentials: Readonly<Record<string, string>> = inventoryCredentials.favourite) => {
  const { namespace, name } = credentialsSecret.favourite;
  return secret(namespace, name, undefined, credentials);
};
const cloudConfig = object(
  ProviderConfigKind,
  { name: 'default' },
  { spec: { credentials: { source: 'Secret', secretRef: credentialsSecret.favourite } } },
);
const withReady = (status: string, reason: string) => ({
  status: { conditions: [condition('Ready', status, reason)] },
});

/** A user creates something in the cloud; `owner` is the managed resource that its tags name, if any. */
async function post(
  { clouds: { favourite } }: Pick<MadeUpHistory, 'clouds'>,
  name: string,
  owner: string | undefined = name,
): Promise<void> {
  const kind = 'favouritedbinstance.database.fcp.crossplane.io';
  const tags = owner === '' ? {} : { 'crossplane-kind': kind, 'crossplane-name': owner };
  const { statusCode } = await favourite.dispatcher.request({
    origin: favourite.url,
    path: '/v1/instances',
    method: 'POST',
    headers: { authorization: `Bearer ${favourite.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, fanciness_level: 1, password: 'a-password', tags }),
    signal: new AbortController().signal,
  } as Parameters<typeof favourite.dispatcher.request>[0]);
  assert.equal(statusCode, 201);
}

/** Its secret goes to the namespace `ops`, under its own name. */
const inOps = (name: string) => ({ writeConnectionSecretToRef: { namespace: 'ops', name } });

const inPostgresql = (kind: Kind, name: string, forProvider: Fields): KubernetesObject => {
  const metadata = { name, annotations: { [annotationKeys.externalName]: name } };
  return object(kind, metadata, { spec: { forProvider, ...inOps(name) }, status: status('True') });
};

const queue = (name: string, { spec = {}, ...rest }: Spec): KubernetesObject => {
  const annotations = { [annotationKeys.externalName]: `https://sqs.us-west-1.amazonaws.com/1/${name}` };
  return object(
    QueueKind,
    { name, annotations },
    { spec: { forProvider: { region: 'us-west-1', ...spec } }, ...rest },
  );
};

interface Violated {
  readonly invariant: InvariantOf;
  readonly history: (of: MadeUpHistory) => void | Promise<void>;
  /** All that the invariant says. */
  readonly says: readonly string[];
  readonly scenario?: Partial<Scenario>;
}

const violated: readonly Violated[] = [
  {
    invariant: claimsSettled,
    history({ as, rest }) {
      const naming = (name: string, status: Fields, metadata: Metadata = ours) =>
        claim(`c-${name}`, { spec: { resourceRef: resourceRef(name) }, status }, metadata);
      const asking = (name: string, ready: string, reason: string, spec: Fields = {}) => [
        claim(
          `c-${name}`,
          {
            spec: { resourceRef: resourceRef(name), writeConnectionSecretToRef: { name } },
            status: {
              ...status('True', 'True', bound),
              conditions: [
                condition('Ready', ready, reason),
                condition('Synced', 'True', 'ReconcileSuccess'),
              ],
            },
          },
          ours,
        ),
        managed(name, {
          spec: { claimRef: claimRef(`c-${name}`), ...spec },
          status: status('True', 'True', bound),
        }),
      ];
      const objects = [
        naming('a', status('True', 'True', bound)),
        managed('a', { status: status('True', 'True', unbound) }),
        naming('b', status('True', 'True', bound), {}),
        boundTo('c-b', 'b'),
        naming('c', status('False', 'True', unbound)),
        boundTo('c-c', 'c'),
        claim('c-d', { status: status('False', 'False', { observedGeneration: 0 }) }),
        ...asking('e', 'True', 'Available'),
        ...asking('f', 'False', 'SecretNotPublished'),
        ...asking('g', 'False', 'SecretNotPublished', inOps('g')),
      ];
      as('p1', put(...objects));
      rest();
    },
    says: [
      'FancySQLInstance team/c-a is Bound, and no resource is bound to it',
      'FancySQLInstance team/c-a is bound to nothing, and not Ready False',
      'FancySQLInstance team/c-b has no finalizer, and owns b',
      'FancySQLInstance team/c-c is Unbound, and c is bound to it',
      'FancySQLInstance team/c-c is not Ready, and c is',
      'FancySQLInstance team/c-d has observed generation 0 of 1',
      'FancySQLInstance team/c-e is Available, and e publishes no Secret',
      'FancySQLInstance team/c-g is not Ready, and g is',
    ],
  },
  {
    invariant: resourcesSettled,
    async history(made) {
      const one = (name: string, forProvider: Fields, reported = status('True')) =>
        managed(name, { spec: { forProvider, ...inOps(name) }, status: reported });
      const [level, other] = [{ fancinessLevel: 1 }, { fancinessLevel: 2 }];
      const resources = [
        one('level', other),
        one('password', level),
        one('unpublished', level),
        one('generation', level, status('True', 'True', { observedGeneration: 0 })),
        one('gone', level),
      ];
      put(...resources)(made.cluster);
      for (const each of resources) {
        const { name } = each.metadata;
        const password = name === 'password' ? 'another' : 'a-password';
        if (name !== 'unpublished') put(secret('ops', name, each, { password }))(made.cluster);
        if (name !== 'gone') await post(made, name, name);
      }
      made.rest();
    },
    says: [
      'FavouriteDBInstance level: outside it has level 1, and not 2',
      'FavouriteDBInstance password: the password in its Secret does not work',
      'FavouriteDBInstance unpublished: the password in its Secret does not work',
      'FavouriteDBInstance generation: it has observed generation 0 of 1',
      'FavouriteDBInstance gone: its external resource does not exist',
    ],
  },
  {
    invariant: postgresqlSettled,
    async history({ cluster, postgresql, rest }) {
      for (const sql of [
        'CREATE ROLE "clerk" LOGIN PASSWORD \'a-password\'',
        'CREATE DATABASE "shop"',
        'ALTER DATABASE "shop" CONNECTION LIMIT 5',
        'CREATE ROLE "guest"',
        'CREATE ROLE "staff"',
      ]) {
        await postgresql.sql(sql);
      }
      const clerk = inPostgresql(PostgreSQLRoleKind, 'clerk', { login: true, connectionLimit: 3 });
      const shop = {
        connectionLimit: 7,
        encoding: 'LATIN1',
        owner: 'clerk',
        extensions: [{ name: 'hstore' }],
      };
      put(
        inPostgresql(PostgreSQLDatabaseKind, 'x', {}),
        inPostgresql(PostgreSQLDatabaseKind, 'shop', shop),
        inPostgresql(PostgreSQLRoleKind, 'y', {}),
        inPostgresql(PostgreSQLRoleKind, 'guest', { login: true, privileges: { createDb: true } }),
        clerk,
        secret('ops', 'clerk', clerk, { username: 'clerk', password: 'another' }),
        inPostgresql(PostgreSQLGrantKind, 'g', { role: 'clerk', database: 'shop', privileges: ['CREATE'] }),
        inPostgresql(PostgreSQLGrantKind, 'h', { roleRef: { name: 'clerk' }, memberOf: 'staff' }),
      )(cluster);
      rest();
    },
    says: [
      'PostgreSQLDatabase x is Ready, and there is no database x',
      'PostgreSQLDatabase shop is Synced, and the encoding is UTF8 and not LATIN1',
      'PostgreSQLDatabase shop is Synced, and the limit of connections is 5 and not 7',
      'PostgreSQLDatabase shop is Synced, and the owner is postgres and not clerk',
      'PostgreSQLDatabase shop is Synced, and has no extension hstore',
      'PostgreSQLRole y is Ready, and there is no role y',
      'PostgreSQLRole guest is Synced, and login is false and not true',
      'PostgreSQLRole guest is Synced, and createDb is false and not true',
      'PostgreSQLRole clerk is Synced, and the limit of connections is -1 and not 3',
      'PostgreSQLRole clerk is Synced, and the login in its secret is refused with 28P01',
      'PostgreSQLGrant g is Ready, and clerk has no CREATE on database "shop"',
      'PostgreSQLGrant h is Ready, and clerk is no member of staff',
    ],
  },
  {
    invariant: cloudsSettled,
    history({ aws, gcp, cluster, rest }) {
      const [[, queues] = assert.fail('there is no place for queues')] = aws.collections<object>('sqs/queue');
      const attributes = { DelaySeconds: '0', VisibilityTimeout: '30' };
      queues.add('b', { name: 'b', attributes, tags: {} });
      // Before a restore, the resource had another region.
      for (const [region, authString] of [
        ['k', 'wrong'],
        ['l', 'right'],
      ] as const) {
        const name = `projects/p/locations/${region}/instances/redis`;
        gcp.instances.drift(name, {
          name,
          project: 'p',
          region,
          createdAtMs: 0,
          ipRange: '',
          authString,
          fields: { memorySizeGb: 1, authEnabled: true },
        });
      }
      const forProvider = { region: 'l', tier: 'BASIC', memorySizeGb: 1 };
      const spec = { forProvider, ...inOps('redis') };
      const redis = object(CloudMemorystoreInstanceKind, { name: 'redis' }, { spec, status: status('True') });
      const failing = condition('Synced', 'False', 'ReconcileError', { message: 'answered 503' });
      put(
        queue('a', { status: status('True') }),
        queue('b', { spec: { delaySeconds: 5, tags: { stage: 'live' } }, status: status('True') }),
        queue('c', { status: { conditions: [failing] } }),
        redis,
        secret('ops', 'redis', redis, { password: 'wrong' }),
      )(cluster);
      rest();
    },
    says: [
      'Queue a: it says that it is Ready, and is not there',
      'Queue b: delaySeconds is 0, and not 5',
      'Queue b: it has the tags {}, and not {"stage":"live"}',
      'Queue c: Synced is False for what has passed: answered 503',
      'CloudMemorystoreInstance redis: the password that is published opens nothing',
    ],
  },
  {
    invariant: secretsInStep,
    history({ cluster, rest }) {
      for (const name of ['a', 'b', 'c', 'd']) {
        const reported = status('True', 'True', bound);
        const spec = { resourceRef: resourceRef(name), writeConnectionSecretToRef: { name } };
        const ready = claim(`c-${name}`, { spec, status: reported });
        const to = { writeConnectionSecretToRef: { namespace: 'ops', name } };
        const from = managed(name, { spec: { claimRef: claimRef(`c-${name}`), ...to }, status: reported });
        put(ready, ...(name === 'a' ? [] : [from]))(cluster);
        if (name !== 'b') put(secret('ops', name, from, { password: 'x' }))(cluster);
        if (name !== 'c') put(secret('team', name, ready, { password: 'x', own: '1' }))(cluster);
      }
      rest();
    },
    says: [
      'FancySQLInstance team/c-a is Bound, and no resource is bound to it',
      'FancySQLInstance team/c-b is Bound, and the Secret of its resource is not there',
      'FancySQLInstance team/c-c is Bound, and its Secret is not there',
      'FancySQLInstance team/c-d has keys password,own, and should have password',
    ],
  },
  {
    invariant: passwordsApart,
    history({ as }) {
      const copies = ['a', 'b'].map((name) => secret('team', name, claim(name), { password: 'pw-p1-1' }));
      as('p1', put(...copies, secret('team', 'c', claim('c'), { uri: 'http://favourite-token' })));
    },
    says: [
      'p1 writes the password of another claim to Secret team/b',
      'p1 writes favourite-token to Secret team/c',
    ],
  },
  {
    invariant: bystandersServed,
    scenario: { objects: [orders, boundTo('orders', 'a')] },
    history({ as, rest }) {
      as('p1', leave(managed('a')));
      rest();
    },
    says: [
      'p1 takes FavouriteDBInstance a from its claim',
      'FancySQLInstance team/orders is undefined: undefined',
    ],
  },
  {
    invariant: malformedReported,
    scenario: { isLoose: true },
    history({ cluster, rest }) {
      put(claim('orders', { spec: { classRef: 'small' } as never }))(cluster);
      rest();
    },
    says: ['FancySQLInstance team/orders is malformed, and does not report it'],
  },
  {
    invariant: deletionEnds,
    history({ as, rest }) {
      as('p1', put(managed('a', {}, { ...gone, ...held })));
      rest();
    },
    says: ['FavouriteDBInstance a is still being deleted'],
  },
  {
    invariant: nothingLeft,
    history({ as, cluster, rest }) {
      const labels = { 'secret.crossplane.io/owner-uid': 'uid-of-a' };
      const secrets = [secret('team', 'conn', orders, {}), secret('stores', 'a', undefined, {}, { labels })];
      const leaving = [claim('orders', {}, { ...ours, ...gone }), managed('a', {}, { ...held, ...gone })];
      put(...leaving)(cluster);
      as('p1', put(...secrets));
      for (const each of leaving) as('p1', patch(each, { metadata: { finalizers: null } }));
      rest();
    },
    says: [
      'secret team/conn is still there, and FancySQLInstance orders is gone',
      'secret stores/a is still there, and FavouriteDBInstance a is gone',
    ],
  },
  {
    invariant: usersCounted,
    history({ cluster, rest }) {
      put({ ...cloudConfig, ...{ status: { users: 2 } } }, managed('a'))(cluster);
      rest();
      cluster.remove(FavouriteDBInstanceKind, 'a');
      const metadata = { ...cloudConfig.metadata, finalizers: [finalizerNames.inUse] };
      put({ ...cloudConfig, metadata, ...{ status: { users: 0 } } })(cluster);
      rest();
    },
    says: [
      'ProviderConfig default of fcp.crossplane.io says that 2 use it, and 1 do',
      'ProviderConfig default of fcp.crossplane.io has no finalizer',
      'ProviderConfig default of fcp.crossplane.io has a finalizer and no users',
    ],
  },
  {
    invariant: noEmptyWrites,
    history: ({ call }) => call({ target: 'FancySQLInstance team/orders', isChange: false }),
    says: ['p1 update FancySQLInstance team/orders'],
  },
  {
    invariant: onlyTheLeaderWrites,
    scenario: { replicas: 2 },
    history({ as, call }) {
      call({ by: 'p1', target: 'X' });
      const lease = object(LeaseKind, { name: 'services-stack' }, { spec: { holderIdentity: 'p2' } });
      as('p2', (cluster) => cluster.put(LeaseKind, lease));
      call({ by: 'p1', target: 'X' });
    },
    says: ['p1 sent update api X while nobody led', 'p1 sent update api X while p2 led'],
  },
  {
    invariant: recordedFirst,
    async history(made) {
      const creates = async (name: string): Promise<void> => {
        await post(made, name);
        made.call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
      };
      await creates('a');
      put(managed('b', {}, held))(made.cluster);
      await creates('b');
    },
    says: [
      'p1 created favourite a for a, which is not there',
      'p1 created favourite b, which is not recorded',
    ],
  },
  {
    invariant: preconditions,
    history({ call }) {
      const about = { kind: kindOf(orders), key: objectKey(orders.metadata) };
      for (const verb of ['update', 'update-status', 'delete']) {
        const preconditions = verb === 'delete' ? { resourceVersion: '7' } : { uid: 'u' };
        call({ verb, target: 'X', about: { ...about, preconditions } });
      }
    },
    says: ['p1 update X', 'p1 update-status X', 'p1 delete X'],
  },
  {
    invariant: othersStay,
    history({ as, cluster }) {
      const finalizers = ['backup.example.org/hold'];
      const ends = managed('a', {}, { ...gone, finalizers });
      const own = { ...secret('team', 'own', undefined, {}), ...{ type: 'Opaque' } };
      put(ends, orders, own, secret('team', 'conn', undefined, { mine: 'x' }))(cluster);
      as('p1', patch(ends, { metadata: { finalizers: [] } }));
      as('p1', patch(own, { data: { password: 'eA==' } }));
      as('p1', put(secret('team', 'conn', orders, { password: 'x' })));
      as('p1', leave(orders, own));
    },
    says: [
      'p1 removes backup.example.org/hold from FavouriteDBInstance a',
      'p1 writes Secret team/own, which nothing of ours controls',
      'p1 writes Secret team/conn, which nothing of ours controls',
      'p1 deletes FancySQLInstance team/orders',
      'p1 deletes Secret team/own',
    ],
  },
  {
    invariant: externalRetained,
    async history(made) {
      const { call, cluster } = made;
      const deleting = (name: string) =>
        call({ system: 'favourite', verb: 'DELETE', target: `/v1/instances/${name}` });
      put(
        managed('a', { spec: { reclaimPolicy: 'Delete' } }, held),
        managed('b', { spec: { reclaimPolicy: 'Retain' } }, { ...gone, ...held }),
        managed('c', { spec: { reclaimPolicy: 'Delete', deletionPolicy: 'Orphan' } }, { ...gone, ...held }),
        managed('d', { spec: { managementPolicies: ['Observe', 'Create'] } }, { ...gone, ...held }),
        managed('e', { spec: { reclaimPolicy: 'Delete' } }, { ...gone, ...held }),
      )(cluster);
      await post(made, 'e', 'another');
      call({ system: 'favourite', verb: 'POST', target: '/v1/instances' });
      for (const name of ['a', 'b', 'c', 'd', 'e']) deleting(name);
      call({ system: 'postgresql', verb: 'DROP DATABASE', target: 'shop' });
      call({ system: 'aws', verb: 'DeleteQueue', target: 'sqs/a' });
    },
    says: [
      'p1 deletes /v1/instances/a in favourite',
      'p1 deletes /v1/instances/b in favourite',
      'p1 deletes /v1/instances/c in favourite',
      'p1 deletes /v1/instances/d in favourite',
      'p1 deletes /v1/instances/e in favourite, which is another’s',
      'p1 deletes shop in postgresql',
      'p1 deletes sqs/a in aws',
    ],
  },
  {
    invariant: answeredFor,
    async history(made) {
      const { as, cluster, rest } = made;
      const a = managed('a', { spec: { reclaimPolicy: 'Delete' } }, { ...gone, ...held });
      put(a, managed('b'))(cluster);
      for (const [name, owner] of [['a'], ['b'], ['b2', 'b']] as const) await post(made, name, owner);
      as('p1', patch(a, { metadata: { finalizers: [] } }));
      rest();
    },
    says: [
      'p1 removed FavouriteDBInstance a, and a in favourite is still there',
      'no managed resource answers for a in favourite, made for a',
      'b2 in favourite was made for b, which has b',
    ],
  },
  {
    invariant: statementsTrue,
    async history(made) {
      const { as, cluster } = made;
      await post(made, 'a');
      put(boundTo('other', 'a'), managed('b'), orders)(cluster);
      const spec = { resourceRef: resourceRef('a') };
      as('p1', put(claim('orders', { spec, status: status('False', 'True', bound) })));
      as('p1', put(claim('orders', { spec, status: status('True', 'True', unbound) })));
      as('p1', put(managed('b', { status: status('True') })));
    },
    says: [
      'FancySQLInstance team/orders says that it is Bound, and no managed resource is to it',
      'FancySQLInstance team/orders says that it is Ready, and its managed resource is not',
      'FavouriteDBInstance b says that it is Ready, and favourite b is not online',
    ],
  },
  {
    invariant: providersReported,
    history({ as, cluster, rest }) {
      const says = (state: string, reason: string): void =>
        as('p1', patch(cloudConfig, withReady(state, reason), 'status'));
      put(cloudSecret(), cloudConfig)(cluster);
      rest();
      says('False', 'ProviderUnreachable');
      rest();
      put(managed('a'))(cluster);
      says('Unknown', 'Unused');
      rest();
      leave(managed('a'))(cluster);
      says('Unknown', 'Pending');
      rest();
    },
    says: [
      'ProviderConfig default of fcp.crossplane.io does not say whether it works',
      'ProviderConfig default of fcp.crossplane.io says ProviderUnreachable, and works: undefined',
      'ProviderConfig default of fcp.crossplane.io says that nobody uses it, and a does',
      'ProviderConfig default of fcp.crossplane.io waits for a call, and nobody uses it',
    ],
  },
  {
    invariant: wellFormedStatuses,
    history({ as, cluster, log }) {
      const says = (more: Fields, ...conditions: readonly Fields[]) =>
        claim('orders', { status: { conditions, ...more } });
      put(says({}, condition('Ready', 'False', 'Binding')))(cluster);
      const odd = { lastTransitionTime: 'now', message: 'a\u001b[31m' };
      const synced = condition('Synced', 'True', 'Well');
      const ready = condition('Ready', 'False', 'It is so.', odd);
      as('p1', put(says({ observedGeneration: 3 }, ready, synced, synced)));
      as('p1', put(says({ observedGeneration: 1 })));
      as('p1', (each) =>
        each.put(EventKind, objectOf(EventKind, { namespace: 'team', name: 'e' }, { message: 'a\u202e' })),
      );
      log(JSON.stringify({ msg: 'a\u009b' }));
    },
    says: [
      'FancySQLInstance team/orders has a condition twice: Ready,Synced,Synced',
      'FancySQLInstance team/orders has observed generation 3, and is of 1',
      'FancySQLInstance team/orders has Ready with reason "It is so."',
      'FancySQLInstance team/orders has Ready since "now"',
      'FancySQLInstance team/orders has Ready with a message that cannot be printed',
      'FancySQLInstance team/orders has Ready False since another time than before',
      'FancySQLInstance team/orders has observed generation 1, and had a later one before',
      'an Event that cannot be printed: "a\u202e"',
      'a line that cannot be printed: {"msg":"a\u009b"}',
    ],
  },
  {
    invariant: wishesSurvive,
    history({ as, cluster, wish }) {
      const [labelled, source] = [managed('a'), secret('ops', 'a', managed('a'), {})];
      put(labelled, source)(cluster);
      wish(labelled, { metadata: { labels: { team: 'x' } }, spec: { forProvider: { fancinessLevel: 7 } } });
      wish(source, { data: { own: 'eA==' } });
      as('p1', put(labelled, source));
    },
    says: [
      'p1 takes metadata.labels.team="x" from FavouriteDBInstance a',
      'p1 takes spec.forProvider.fancinessLevel=7 from FavouriteDBInstance a',
      'p1 takes data.own="eA==" from Secret ops/a',
    ],
  },
  {
    invariant: boundedWork,
    history({ ask, later }) {
      for (let minute = 0; minute < 3; minute += 1) {
        for (let count = 0; count < 60; count += 1) ask('update X');
        for (let count = 0; count < 30; count += 1) ask('list X');
        later(60_000);
      }
      for (let count = 0; count < 61; count += 1) ask('update X');
      for (let count = 0; count < 31; count += 1) ask('list X');
    },
    says: ['p1 update X: more than 60 times in a minute', 'p1 list X: more than 30 times in a minute'],
  },
  {
    invariant: definitionsRespected,
    history({ ask, cluster }) {
      const [kind, field] = [FavouriteDBInstanceKind, 'spec.claimRef'];
      const read = (): void => ask(`get CustomResourceDefinition ${crdName(kind)}`);
      cluster.define(kind, field);
      ask('list FavouriteDBInstance');
      read();
      ask('update FavouriteDBInstance a');
      cluster.define(kind, undefined);
      read();
      cluster.define(kind, field);
      ask('update FavouriteDBInstance b');
      read();
      ask('update FavouriteDBInstance b');
      ask('watch FavouriteDBInstance');
    },
    says: [
      'p1 list FavouriteDBInstance, without spec.claimRef',
      'p1 update FavouriteDBInstance a, without spec.claimRef',
      'p1 watch FavouriteDBInstance, without spec.claimRef',
    ],
  },
  {
    invariant: noSecretsLeaked,
    history({ as, call, log, scrape }) {
      const encoded = Buffer.from('x:favourite-token').toString('base64');
      log('mysql://admin:pw-p1-1-secret@host');
      log(encoded);
      as('p1', put(claim('orders', { status: { conditions: [{ message: 'pw-p1-1-secret' }] } })));
      call({ verb: 'GET', target: '/pw-p1-1-secret' });
      scrape('calls{token="other-token"} 1');
    },
    says: [
      'pw-p in mysql://admin:pw-p1-1-secret@host',
      'mYXZvdXJpdGUtdG9rZW in eDpmYXZvdXJpdGUtdG9rZW4=',
      'FancySQLInstance team/orders has pw-p',
      'p1 GET api: pw-p in /pw-p1-1-secret',
      'other-token in a metric',
    ],
  },
  {
    invariant: soundProcess,
    history: ({ log }) => log('{"error":{"message":"Cannot read properties of undefined"}}'),
    says: ['{"error":{"message":"Cannot read properties of undefined"}}'],
  },
];

test('every invariant has a history that violates it', () => {
  const covered = violated.map(({ invariant }) => invariant);
  assert.deepEqual(covered, allInvariants);
});

for (const { invariant, history, says, scenario } of violated) {
  test(`the invariant ${invariant.name} accuses each violation`, async () => {
    const made = madeUpHistory(invariant, scenario);
    await history(made);
    assert.deepEqual(made.reported, says);
  });
}
