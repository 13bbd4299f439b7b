import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';
import { done } from '../../../../runtime/controller/reconcile.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  deletionTimestamp,
  managed,
  managedKind,
  otherClassKind,
  otherManagedKind,
  otherService,
  peersOf,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

/* What one run asks of the API server, request by request: what the stores tell is not asked for. */

const key = { namespace: 'team', name: 'orders' };
const finalizers = ['finalizer.resourceclaim.crossplane.io'];
const bound = { bindingPhase: 'Bound' } as const;
const src = { namespace: 'system', name: 'src' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const published = { writeConnectionSecretToRef: src, claimRef: claimRef() };
const source = (owner: Managed): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...src,
    ownerReferences: [controllerReference(owner)],
    annotations: allowsPropagationTo({ namespace: 'team', name: 'conn' }),
  },
  type: connectionSecretType,
  data: { password: 'cA==' },
});
const deleted = (spec: Claim['spec']) =>
  claim(spec, { deletionTimestamp, finalizers, status: { bindingPhase: 'Bound' } });

interface Case {
  readonly claim: Claim;
  readonly managed?: Managed;
  readonly secret?: Secret;
  readonly peers?: readonly ClaimService[];
  /** Somebody else, while the run is at work. */
  readonly meanwhile?: (cluster: FakeCluster) => void;
  readonly asks: readonly string[];
  readonly tells?: readonly string[];
  readonly decision: string;
}

const mine = managed(published, { status: { ...bound, boundUID: 'managed-uid' } });

const cases: Record<string, Case> = {
  "a claim of another kind of class is somebody else's, whom nothing is told": {
    claim: claim({
      classRef: classRef('small', otherClassKind),
      resourceRef: resourceRef('elsewhere', otherManagedKind),
    }),
    peers: [otherService, service],
    decision: 'OtherKind',
    asks: [],
  },
  'a claim that names nothing yet has nothing to be looked for': {
    claim: claim({ classRef: classRef('small') }),
    decision: 'RecordName',
    asks: ['update FancySQLInstance team/orders', 'create FavouriteDBInstance team-orders-8m5w6'],
    tells: ['CreatedManagedResource'],
  },
  'a claim that a resource names is not helped by what it names itself by now': {
    claim: claim({ ...conn, resourceRef: resourceRef('elsewhere') }, { finalizers, status: bound }),
    managed: mine,
    secret: source(mine),
    decision: 'KeepBound',
    asks: ['get Secret team/conn', 'create Secret team/conn', 'updateStatus FancySQLInstance team/orders'],
    tells: ['CannotApplyEdit'],
  },
  'a resource on its way out hands nothing over any more': {
    claim: claim({ ...conn, resourceRef: resourceRef('db') }, { finalizers, status: bound }),
    managed: { ...mine, metadata: { ...mine.metadata, deletionTimestamp, finalizers: ['x'] } },
    secret: source(mine),
    decision: 'KeepBound',
    asks: ['updateStatus FancySQLInstance team/orders'],
  },
  'one that is released while it goes does not become Bound again, restored or not': {
    claim: claim({ resourceRef: resourceRef('db') }, { finalizers, status: bound }),
    managed: managed(
      { claimRef: claimRef() },
      {
        status: { bindingPhase: 'Released', boundUID: 'of-the-backup' },
        deletionTimestamp,
        finalizers: ['x'],
      },
    ),
    decision: 'KeepBound',
    asks: ['updateStatus FancySQLInstance team/orders'],
  },
  'a secret that the store knows is not asked for when its resource is let go': {
    claim: deleted({ ...conn, resourceRef: resourceRef('db') }),
    managed: { ...mine, spec: { ...mine.spec, reclaimPolicy: 'Retain' } },
    secret: source(mine),
    decision: 'Reclaim',
    asks: [
      'updateStatus FavouriteDBInstance db',
      'update Secret system/src',
      'update FavouriteDBInstance db',
      'update FancySQLInstance team/orders',
    ],
    tells: ['UnboundManagedResource'],
  },
  'a resource without a secret has none to be asked for': {
    claim: deleted({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef(), reclaimPolicy: 'Retain' }, { status: mine.status ?? {} }),
    decision: 'Reclaim',
    asks: [
      'updateStatus FavouriteDBInstance db',
      'update FavouriteDBInstance db',
      'update FancySQLInstance team/orders',
    ],
    tells: ['UnboundManagedResource'],
  },
  'the secret that the claim was given, which another process made and no watch has told of, is asked for': {
    claim: {
      ...deleted({ ...conn, resourceRef: resourceRef('db') }),
      status: { bindingPhase: 'Bound', binding: { name: 'conn' } },
    },
    managed: managed({ claimRef: claimRef(), reclaimPolicy: 'Retain' }, { status: mine.status ?? {} }),
    decision: 'Reclaim',
    asks: [
      'updateStatus FavouriteDBInstance db',
      'update FavouriteDBInstance db',
      'get Secret team/conn',
      'update FancySQLInstance team/orders',
    ],
    tells: ['UnboundManagedResource'],
  },
  'a resource that vanishes while it is let go needs nothing more': {
    claim: deleted({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef(), reclaimPolicy: 'Retain' }, { status: mine.status ?? {} }),
    meanwhile: (cluster) => cluster.delete(managedKind, { name: 'db' }),
    decision: 'Reclaim',
    asks: ['updateStatus FavouriteDBInstance db', 'update FancySQLInstance team/orders'],
    tells: ['UnboundManagedResource'],
  },
};

describe('a run asks for', () => {
  for (const [name, { peers = [service], ...given }] of Object.entries(cases)) {
    test(name, async () => {
      const cluster = new FakeCluster();
      cluster.put(classKind, resourceClass('small'));
      cluster.put(claimKind, given.claim);
      if (given.managed !== undefined) cluster.put(managedKind, given.managed);
      if (given.secret !== undefined) cluster.put(SecretKind, given.secret);
      const process = new FakeProcess(cluster);
      const { reconcile } = claimBindingController(process.env, service, peersOf(...peers));
      await process.synced();
      const { meanwhile } = given;
      if (meanwhile !== undefined) cluster.before('updateStatus', managedKind, () => meanwhile(cluster));
      const result = await reconcile(key, new AbortController().signal, process.env.log);
      process.stop();
      const asked = cluster.calls.map(({ verb, kind, key: of }) => `${verb} ${kind} ${of}`);
      assert.deepEqual([result, asked], [{ ...done, decision: given.decision }, given.asks]);
      assert.deepEqual(
        process.events.map(({ reason }) => reason),
        given.tells ?? [],
      );
    });
  }
});

test('what nobody foresaw is no condition: it is thrown, to be logged and tried again', async () => {
  const cluster = new FakeCluster();
  cluster.put(claimKind, claim({ resourceRef: resourceRef('db') }));
  const process = new FakeProcess(cluster);
  const broken: ClaimService = {
    ...service,
    get managed(): ClaimService['managed'] {
      return isBroken ? assert.fail('a stack that is wired wrongly') : managedKind;
    },
  };
  let isBroken = false;
  const { reconcile } = claimBindingController(process.env, broken, peersOf(broken));
  await process.synced();
  isBroken = true;
  await assert.rejects(reconcile(key, new AbortController().signal, process.env.log), /wired wrongly/);
  process.stop();
  assert.deepEqual(cluster.calls, []);
});
