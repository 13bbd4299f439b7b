import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import uniqWith from 'lodash/uniqWith.js';
import { Subscription } from 'rxjs';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';
import type { Request } from '../../../../runtime/controller/reconcile.ts';
import { recordedLog } from '../../../fakes/recorded-log.ts';
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
  otherService,
  peersOf,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';
import { requestsOf } from '../requests-of.ts';

const orders = 'team/orders';
const ours = claim({ classRef: classRef('small') });
const theirs = claim({ classRef: classRef('small', otherClassKind) });
const naming = managed({ claimRef: claimRef() });
const touched = { annotations: { touched: 'true' } };
const sourceKey = { namespace: 'system', name: 'src' };
const source = (
  owner: Managed,
  metadata: Partial<Secret['metadata']> = {},
  over: Partial<Secret> = {},
): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...sourceKey, ownerReferences: [controllerReference(owner)], ...metadata },
  type: connectionSecretType,
  ...over,
});
const publishing = managed(
  { claimRef: claimRef(), writeConnectionSecretToRef: sourceKey },
  { status: { bindingPhase: 'Bound' } },
);

const bound = claim({ resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } });
interface Case {
  readonly claim?: Claim;
  readonly managed?: Managed;
  readonly secret?: Secret;
  /** All services of the claim kind, the one that reports first; default: this one alone. */
  readonly peers?: readonly ClaimService[];
  readonly claimNamespaces?: readonly string[];
  readonly change: (cluster: FakeCluster) => void;
  readonly want: readonly (readonly [because: string, key: string])[];
}

const copy: Secret = {
  ...source(naming),
  metadata: { namespace: 'team', name: 'conn', ownerReferences: [controllerReference(bound)] },
};

const annotateManaged = (annotations: Readonly<Record<string, string>>) => (cluster: FakeCluster) =>
  cluster.set(managedKind, { name: 'db' }, { metadata: { annotations } });
const changesManaged = annotateManaged({ 'crossplane.io/external-name': 'another' });
const changesClaim = (cluster: FakeCluster) =>
  cluster.edit<Claim>(claimKind, { namespace: 'team', name: 'orders' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, ...touched },
  }));

const cases: Record<string, Case> = {
  'a changed claim wakes the controller of its class kind': {
    claim: ours,
    change: changesClaim,
    want: [['the claim changed', orders]],
  },
  'a changed claim does not wake the controller of another class kind': {
    claim: theirs,
    peers: [otherService, service],
    change: changesClaim,
    want: [],
  },
  'a changed claim wakes the controller that reports unknown kinds': {
    claim: theirs,
    peers: [service, otherService],
    change: changesClaim,
    want: [['the claim changed', orders]],
  },
  'a deleted claim wakes binding while a managed resource names it': {
    claim: ours,
    managed: naming,
    change: (cluster) => cluster.delete(claimKind, { namespace: 'team', name: 'orders' }),
    want: [['the claim was deleted, and a managed resource names it', orders]],
  },
  'a missing claim wakes binding if a resource names it with the UID of the deleted claim': {
    claim: ours,
    managed: managed({ claimRef: { ...claimRef(), name: 'former' } }),
    change: (cluster) => cluster.delete(claimKind, { namespace: 'team', name: 'orders' }),
    want: [['the claim was deleted, and a managed resource names it', 'team/former']],
  },
  'a missing claim does not wake binding if a resource names it with another UID': {
    claim: ours,
    managed: managed({ claimRef: { ...claimRef(), name: 'former', uid: 'another' } }),
    change: (cluster) => cluster.delete(claimKind, { namespace: 'team', name: 'orders' }),
    want: [],
  },
  'a deleted claim that no resource names does not wake binding': {
    claim: ours,
    change: (cluster) => cluster.delete(claimKind, { namespace: 'team', name: 'orders' }),
    want: [],
  },
  'a managed resource wakes the claim that its claimRef names': {
    claim: ours,
    managed: naming,
    change: changesManaged,
    want: [['its managed resource changed', orders]],
  },
  'a field of a managed resource that binding does not read wakes no claim': {
    claim: ours,
    managed: naming,
    change: annotateManaged(touched.annotations),
    want: [],
  },
  'a managed resource without claimRef wakes no claim': {
    claim: ours,
    managed: managed(),
    change: changesManaged,
    want: [],
  },
  'a managed resource wakes the claim that names it': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(),
    change: changesManaged,
    want: [['its managed resource changed', orders]],
  },
  'a managed resource wakes the claim that stopped naming it': {
    claim: ours,
    managed: naming,
    change: (cluster) =>
      cluster.edit<Managed>(managedKind, { name: 'db' }, (object) => ({ ...object, spec: {} })),
    want: [['its managed resource changed', orders]],
  },
  'a managed resource wakes a missing claim that it names': {
    managed: naming,
    change: changesManaged,
    want: [['a managed resource names it, and it does not exist', orders]],
  },
  'a managed resource does not wake a claim of a namespace that this process does not serve': {
    managed: naming,
    claimNamespaces: ['others', 'more'],
    change: changesManaged,
    want: [],
  },
  'a managed resource that is being deleted does not wake a missing claim': {
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, finalizers: ['x'] }),
    change: changesManaged,
    want: [],
  },
  'a class wakes its claims': {
    claim: ours,
    change: (cluster) => cluster.put(classKind, resourceClass('small', touched)),
    want: [['its class changed', orders]],
  },
  'the Secret of a resource that does not exist wakes no claim': {
    secret: source(managed({}, { name: 'unknown', uid: 'unknown' })),
    change: (cluster) =>
      cluster.put(
        SecretKind,
        source(managed({}, { name: 'unknown', uid: 'unknown' }), {}, { data: { a: 'eA==' } }),
      ),
    want: [],
  },
  'a source Secret that gets another owner wakes its claim': {
    claim: bound,
    managed: publishing,
    secret: source(naming),
    change: (cluster) =>
      cluster.edit<Secret>(SecretKind, { namespace: 'system', name: 'src' }, (found) => ({
        ...found,
        metadata: {
          ...found.metadata,
          ownerReferences: [controllerReference(managed({}, { name: 'other', uid: 'other' }))],
        },
      })),
    want: [['the owner or the consent of the secret of its managed resource changed', orders]],
  },
  'a source Secret that withdraws its consent wakes its claim, even if data changes with it': {
    claim: { ...bound, status: { bindingPhase: 'Bound' } },
    managed: publishing,
    secret: source(naming, { annotations: allowsPropagationTo({ namespace: 'team', name: 'conn' }) }),
    change: (cluster) => cluster.put(SecretKind, { ...source(naming), data: { password: 'bmV3' } }),
    want: [['the owner or the consent of the secret of its managed resource changed', orders]],
  },
  'data of a source Secret, which secret propagation copies, does not wake a Bound claim': {
    claim: { ...bound, status: { bindingPhase: 'Bound' } },
    managed: publishing,
    secret: source(naming),
    change: (cluster) => cluster.put(SecretKind, { ...source(naming), data: { password: 'bmV3' } }),
    want: [],
  },
  'data of a source Secret wakes a claim that is not Bound yet': {
    claim: bound,
    managed: publishing,
    secret: source(naming),
    change: (cluster) => cluster.put(SecretKind, { ...source(naming), data: { password: 'bmV3' } }),
    want: [['the secret of its managed resource, which it waits for, changed', orders]],
  },
  'the deleted Secret of a claim wakes that claim': {
    claim: bound,
    managed: publishing,
    secret: copy,
    change: (cluster) => cluster.delete(SecretKind, { namespace: 'team', name: 'conn' }),
    want: [['its secret was deleted or made immutable, or has another owner or source', orders]],
  },
  'the Secret of a claim that is made immutable wakes that claim': {
    claim: bound,
    managed: publishing,
    secret: copy,
    change: (cluster) => cluster.put(SecretKind, { ...copy, immutable: true }),
    want: [['its secret was deleted or made immutable, or has another owner or source', orders]],
  },
};

describe('changes that wake a claim', () => {
  for (const [name, given] of Object.entries(cases)) {
    test(name, async () => {
      const { peers = [service], claimNamespaces, change, want } = given;
      const cluster = new FakeCluster();
      cluster.put(classKind, resourceClass('small'));
      if (given.claim !== undefined) cluster.put(claimKind, given.claim);
      if (given.managed !== undefined) cluster.put(managedKind, given.managed);
      if (given.secret !== undefined) cluster.put(SecretKind, given.secret);
      const log = recordedLog();
      const process = new FakeProcess(cluster, undefined, {
        log,
        ...(claimNamespaces !== undefined && { claimNamespaces }),
      });
      const { triggers } = claimBindingController(process.env, service, peersOf(...peers));
      await process.synced();
      const woken: [string, string][] = [];
      const life = new Subscription();
      for (const trigger of triggers) {
        const note = (request: Request) => woken.push([trigger.because, objectKeyText(request)]);
        life.add(requestsOf(trigger).subscribe(note));
      }
      woken.length = 0; // what is there when it begins
      change(cluster);
      life.unsubscribe();
      process.stop();
      assert.deepEqual(uniqWith(woken, isEqual), want);
      assert.deepEqual(
        log.lines.filter(({ level }) => level === 'error'),
        [],
      );
    });
  }
});
