import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import uniqWith from 'lodash/uniqWith.js';
import { Subscription } from 'rxjs';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { claimBindingController } from '../../../controllers/claim-binding/setup.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { versionsWrittenWith } from '../../../runtime/cache/written-versions.ts';
import type { Wake } from '../../../runtime/controller/wake.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimKindOf,
  claimRef,
  classKind,
  classRef,
  deletionTimestamp,
  managed,
  managedKind,
  otherClassKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const orders = 'team/orders';
const ours = claim({ classRef: classRef('small') });
const foreign = claim({ classRef: classRef('small', otherClassKind) });
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
interface Given {
  readonly claim?: Claim;
  readonly managed?: Managed;
  readonly secret?: Secret;
  /** All services of the claim kind; default: one. */
  readonly services?: readonly ClaimService[];
  readonly claimNamespaces?: readonly string[];
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

const deletesClaim = (cluster: FakeCluster) =>
  cluster.delete(claimKind, { namespace: 'team', name: 'orders' });
const changesSource = (cluster: FakeCluster) =>
  cluster.put(SecretKind, { ...source(naming), data: { password: 'bmV3' } });
const claimChanged = 'the claim changed';
/** Writes the claim. `writer`: its own run, or one of another controller of this process. */
const writesClaim =
  (
    spec: Claim['spec'],
    metadata: Partial<Claim['metadata']> = {},
    writer: 'itself' | 'another' = 'another',
  ) =>
  (_cluster: FakeCluster, env: FakeProcess['env'], runSignal: AbortSignal) => {
    const signal = writer === 'itself' ? runSignal : new AbortController().signal;
    const claims = env.resource(claimKind);
    const [before] = claims.store.all();
    return claims.update(before!, { ...claim(spec), metadata: { ...before!.metadata, ...metadata } }, signal);
  };
const lost = new Error('the answer was lost');
/** From now on each call takes effect, and no answer arrives. */
const loseAnswers = (cluster: FakeCluster): void => {
  cluster.afterCall = () => {
    throw lost;
  };
};
const claimDeleted = 'the claim was deleted, and a managed resource names it';
const itsResource = 'its managed resource changed';
const sourceChanged = 'the owner or the consent of the secret of its managed resource changed';
const secretChanged = 'its secret was deleted or made immutable, or has another owner or source';

/** The change wakes this claim, for this reason. Without a reason it wakes none. A version that its run wrote wakes nothing. */
async function wakes(
  change: (cluster: FakeCluster, env: FakeProcess['env'], runSignal: AbortSignal) => unknown,
  given: Given,
  because?: string,
  key = orders,
): Promise<void> {
  const { services = [service], claimNamespaces } = given;
  const cluster = new FakeCluster();
  cluster.put(classKind, resourceClass('small'));
  if (given.claim !== undefined) cluster.put(claimKind, given.claim);
  if (given.managed !== undefined) cluster.put(managedKind, given.managed);
  if (given.secret !== undefined) cluster.put(SecretKind, given.secret);
  const log = recordedLog();
  const env = { log, ...(claimNamespaces !== undefined && { claimNamespaces }) };
  const process = new FakeProcess(cluster, undefined, env);
  const { triggers } = claimBindingController(process.env, claimKindOf(...services));
  await process.synced();
  const woken: Wake[] = [];
  const life = new Subscription();
  for (const { wakes$ } of triggers) life.add(wakes$.subscribe((wake) => woken.push(wake)));
  woken.length = 0; // what is there when it begins
  const { signal: runSignal } = new AbortController();
  await change(cluster, process.env, runSignal);
  life.unsubscribe();
  process.stop();
  const written = versionsWrittenWith(runSignal);
  const foreignWakes = woken.filter(({ version = '' }) => !written.has(version));
  const reasons = foreignWakes.map((wake) => [wake.because, objectKeyText(wake.request)]);
  assert.deepEqual(uniqWith(reasons, isEqual), because === undefined ? [] : [[because, key]]);
  const errors = log.lines.filter(({ level }) => level === 'error');
  assert.deepEqual(errors, []);
}

describe('changes that wake a claim', () => {
  test('a changed claim wakes binding', () => wakes(changesClaim, { claim: ours }, claimChanged));
  test('a changed claim of any class kind wakes binding', () =>
    wakes(changesClaim, { claim: foreign, services: [service, otherService] }, claimChanged));
  test('a changed claim of an unknown class kind wakes binding, which reports it', () =>
    wakes(changesClaim, { claim: foreign }, claimChanged));
  test('a changed claim that needs a class does not wake binding', () =>
    wakes(changesClaim, { claim: claim({ classSelector: {} }) }));
  test('a changed claim without references wakes binding if it owns a resource', () =>
    wakes(changesClaim, { claim: claim(), managed: naming }, claimChanged));
  test('a claim to which this process gave a class wakes binding', () =>
    wakes(
      writesClaim({ classRef: classRef('small') }),
      { claim: claim({ classSelector: {} }) },
      claimChanged,
    ));
  test('a finalizer that binding wrote does not wake it again', () =>
    wakes(writesClaim(ours.spec, { finalizers: ['finalizer.resourceclaim.crossplane.io'] }, 'itself'), {
      claim: ours,
    }));
  test('a finalizer that another run of this process wrote wakes binding', () =>
    wakes(
      writesClaim(ours.spec, { finalizers: ['finalizer.resourceclaim.crossplane.io'] }),
      { claim: ours },
      claimChanged,
    ));
  test('a resource that binding created does not wake it again', () =>
    wakes((_cluster, env, runSignal) => env.resource(managedKind).create(naming, runSignal), {
      claim: ours,
    }));
  test('a finalizer that binding wrote wakes it if the answer to the write was lost', () =>
    wakes(
      async (cluster, env, runSignal) => {
        const claims = env.resource(claimKind);
        const [before] = claims.store.all();
        loseAnswers(cluster);
        const finalizers = ['finalizer.resourceclaim.crossplane.io'];
        const after = { ...before!, metadata: { ...before!.metadata, finalizers } };
        await assert.rejects(claims.update(before!, after, runSignal), lost);
      },
      { claim: ours },
      claimChanged,
    ));
  test('a resource that binding created wakes its claim if the answer to the creation was lost', () =>
    wakes(
      async (cluster, env, runSignal) => {
        loseAnswers(cluster);
        await assert.rejects(env.resource(managedKind).create(naming, runSignal), lost);
      },
      { claim: ours },
      itsResource,
    ));
  test('a resource that another process created wakes its claim', () =>
    wakes((cluster) => cluster.put(managedKind, naming), { claim: ours }, itsResource));
  test('a deleted claim wakes binding while a managed resource names it', () =>
    wakes(deletesClaim, { claim: ours, managed: naming }, claimDeleted));
  test('a missing claim wakes binding if a resource names it with the UID of the deleted claim', () =>
    wakes(
      deletesClaim,
      { claim: ours, managed: managed({ claimRef: { ...claimRef(), name: 'former' } }) },
      claimDeleted,
      'team/former',
    ));
  test('a missing claim does not wake binding if a resource names it with another UID', () =>
    wakes(deletesClaim, {
      claim: ours,
      managed: managed({ claimRef: { ...claimRef(), name: 'former', uid: 'another' } }),
    }));
  test('a deleted claim that no resource names does not wake binding', () =>
    wakes(deletesClaim, { claim: ours }));
  test('a managed resource wakes the claim that its claimRef names', () =>
    wakes(changesManaged, { claim: ours, managed: naming }, itsResource));
  test('a field of a managed resource that binding does not read wakes no claim', () =>
    wakes(annotateManaged(touched.annotations), { claim: ours, managed: naming }));
  test('a creation of the external resource that failed wakes the claim', () =>
    wakes(
      annotateManaged({
        'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z',
        'crossplane.io/external-create-failed': '2026-01-02T03:04:05Z',
      }),
      {
        claim: ours,
        managed: managed(naming.spec, {
          annotations: { 'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z' },
        }),
      },
      itsResource,
    ));
  test('a creation of the external resource that begins wakes no claim', () =>
    wakes(annotateManaged({ 'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z' }), {
      claim: ours,
      managed: naming,
    }));
  test('a managed resource without claimRef wakes no claim', () =>
    wakes(changesManaged, { claim: ours, managed: managed() }));
  test('a managed resource wakes the claim that names it', () =>
    wakes(
      changesManaged,
      { claim: claim({ resourceRef: resourceRef('db') }), managed: managed() },
      itsResource,
    ));
  test('a managed resource wakes the claim that stopped naming it', () =>
    wakes(
      (cluster) => cluster.edit<Managed>(managedKind, { name: 'db' }, (object) => ({ ...object, spec: {} })),
      { claim: ours, managed: naming },
      itsResource,
    ));
  test('a managed resource wakes a missing claim that it names', () =>
    wakes(changesManaged, { managed: naming }, 'a managed resource names it, and it does not exist'));
  test('a managed resource does not wake a claim of a namespace that this process does not serve', () =>
    wakes(changesManaged, { managed: naming, claimNamespaces: ['others', 'more'] }));
  test('a managed resource that is being deleted does not wake a missing claim', () =>
    wakes(changesManaged, {
      managed: managed({ claimRef: claimRef() }, { deletionTimestamp, finalizers: ['x'] }),
    }));
  test('a class wakes its claims', () =>
    wakes(
      (cluster) => cluster.put(classKind, resourceClass('small', touched)),
      { claim: ours },
      'its class changed',
    ));
  test('the Secret of a resource that does not exist wakes no claim', () =>
    wakes(
      (cluster) =>
        cluster.put(
          SecretKind,
          source(managed({}, { name: 'unknown', uid: 'unknown' }), {}, { data: { a: 'eA==' } }),
        ),
      { secret: source(managed({}, { name: 'unknown', uid: 'unknown' })) },
    ));
  test('a source Secret that gets another owner wakes its claim', () =>
    wakes(
      (cluster) =>
        cluster.edit<Secret>(SecretKind, { namespace: 'system', name: 'src' }, (found) => ({
          ...found,
          metadata: {
            ...found.metadata,
            ownerReferences: [controllerReference(managed({}, { name: 'other', uid: 'other' }))],
          },
        })),
      { claim: bound, managed: publishing, secret: source(naming) },
      sourceChanged,
    ));
  test('a source Secret that withdraws its consent wakes its claim, even if data changes with it', () =>
    wakes(
      changesSource,
      {
        claim: { ...bound, status: { bindingPhase: 'Bound' } },
        managed: publishing,
        secret: source(naming, { annotations: allowsPropagationTo({ namespace: 'team', name: 'conn' }) }),
      },
      sourceChanged,
    ));
  test('data of a source Secret, which secret propagation copies, does not wake a Bound claim', () =>
    wakes(changesSource, {
      claim: { ...bound, status: { bindingPhase: 'Bound' } },
      managed: publishing,
      secret: source(naming),
    }));
  test('data of a source Secret wakes a claim that is not Bound yet', () =>
    wakes(
      changesSource,
      { claim: bound, managed: publishing, secret: source(naming) },
      'the secret of its managed resource, which it waits for, changed',
    ));
  test('the deleted Secret of a claim wakes that claim', () =>
    wakes(
      (cluster) => cluster.delete(SecretKind, { namespace: 'team', name: 'conn' }),
      { claim: bound, managed: publishing, secret: copy },
      secretChanged,
    ));
  test('the Secret of a claim that is made immutable wakes that claim', () =>
    wakes(
      (cluster) => cluster.put(SecretKind, { ...copy, immutable: true }),
      { claim: bound, managed: publishing, secret: copy },
      secretChanged,
    ));
});
