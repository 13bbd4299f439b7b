import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, encodeDetails, propagatesFrom } from '../../apis/core/v1alpha1/secret.ts';
import { credentialAnnotation, encodeNote, hmacOf } from '../../controllers/core/credential.ts';
import { faultsIn } from '../../trace/model/faults.ts';
import { viewOf } from '../../trace/model/view.ts';
import { condition, findingsOf, leaseHeld, sourceOf } from './traced-objects.ts';

const source = { namespace: 'cloud-credentials', name: 'legacy' };
const target = { namespace: 'team-shop', name: 'orders-connection' };
const password = 'correct-horse';
const key = Buffer.from('the key of the HMAC').toString('base64');
const details = encodeDetails({ username: 'admin', password });

const claimOf = (metadata: object, status?: object): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: {
      ...{ namespace: 'team-shop', name: 'orders', uid: 'uid-of-orders', generation: 1 },
      finalizers: [finalizerNames.claim],
      ...metadata,
    },
    spec: {
      resourceRef: {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        name: 'legacy',
      },
      writeConnectionSecretToRef: { name: target.name },
    },
    status: { observedGeneration: 1, ...status },
  }) as KubernetesObject;
const claim = claimOf({});
const previous = { ...referenceTo(claim), name: 'previous', uid: 'uid-of-previous' };

const resourceOf = (status: object, spec: object = { claimRef: referenceTo(claim) }): KubernetesObject =>
  ({
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name: 'legacy', uid: 'uid-of-legacy', finalizers: [finalizerNames.managed] },
    spec: {
      providerRef: { name: 'favourite' },
      forProvider: {},
      writeConnectionSecretToRef: source,
      ...spec,
    },
    status: { observedGeneration: 1, ...status },
  }) as KubernetesObject;

/** The resource's Secret, whose credential is for the claim, or for another one. */
const secretFor = (owner: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...source,
      ownerReferences: [controllerReference(resourceOf({}))],
      annotations: {
        ...allowsPropagationTo(target),
        [credentialAnnotation]: encodeNote({ key, for: owner }),
      },
    },
    type: 'connection.crossplane.io/v1alpha1',
    data: details,
  }) as KubernetesObject;
const ownSecret = secretFor('FancySQLInstance team-shop/orders');
const copy = {
  ...ownSecret,
  metadata: { ...target, ownerReferences: [controllerReference(claim)], annotations: propagatesFrom(source) },
} as KubernetesObject;

const applied = { credential: { hmac: hmacOf(password, { key }), pending: false } };
const unbound = { bindingPhase: 'Unbound' };
const bound = { bindingPhase: 'Bound', boundUID: 'uid-of-legacy', ...applied };
const isDeleted = { deletionTimestamp: '2026-01-02T03:04:00Z' };

describe('the trace takes the decisions of binding over the objects that it reads', () => {
  const rows: Readonly<Record<string, readonly [decision: string, objects: readonly KubernetesObject[]]>> = {
    'a resource that a claim owns, and whose Secret is for it: it is bound': [
      'Bind',
      [claim, resourceOf({ ...unbound, ...applied }), ownSecret],
    ],
    'a Secret whose credential is for another claim': [
      'CredentialNotApplied',
      [claim, resourceOf({ ...unbound, ...applied }), secretFor('FancySQLInstance team-shop/previous')],
    ],
    'a credential that the external system does not have': [
      'CredentialNotApplied',
      [claim, resourceOf(unbound), ownSecret],
    ],
    'a credential that the external system has not put in force': [
      'CredentialNotApplied',
      [claim, resourceOf({ ...unbound, credential: { ...applied.credential, pending: true } }), ownSecret],
    ],
    'a Secret that does not exist yet': ['CredentialNotApplied', [claim, resourceOf(unbound)]],
    'a bound claim without its Secret': ['CopySecret', [claim, resourceOf(bound), ownSecret]],
    'a bound claim with its Secret': [
      'KeepBound',
      [claimOf({}, { bindingPhase: 'Bound' }), resourceOf(bound), ownSecret, copy],
    ],
    'a resource that is not ready': ['NotReady', [claim, resourceOf({})]],
    'a status that a backup brought': [
      'StatusFromBackup',
      [
        claim,
        resourceOf(
          { bindingPhase: 'Bound', boundUID: 'uid-before-the-restore' },
          { claimRef: { ...referenceTo(claim), uid: 'uid-before-the-restore' } },
        ),
      ],
    ],
    'a resource that its previous claim released': [
      'Released',
      [claim, resourceOf({ bindingPhase: 'Released' }, { claimRef: previous })],
    ],
    'a claim that is deleted, and whose resource stays': [
      'Release',
      [claimOf(isDeleted), resourceOf(bound), ownSecret, copy],
    ],
    'a claim that is deleted before it was bound': [
      'RemoveClaimRef',
      [claimOf(isDeleted), resourceOf(unbound)],
    ],
    'a claim that is deleted, and has only its Secret': ['DeleteSecret', [claimOf(isDeleted), copy]],
  };
  for (const [name, [decision, objects]] of Object.entries(rows))
    test(name, async () => {
      const { binding } = viewOf(await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']));
      assert.equal(binding?.name, decision);
    });

  test('a Secret that may not be read: the trace does not guess whether the claim can be bound', async () => {
    const objects = [claim, resourceOf({ ...unbound, ...applied }), ownSecret];
    const readable = sourceOf([leaseHeld(), ...objects], [], ({ kind }) => kind !== 'Secret');
    const view = viewOf(await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders'], readable));
    assert.equal(view.binding, undefined);
  });
});

describe('a credential that is not applied', () => {
  const failed = condition('Synced', 'False', 'ReconcileError', 'cannot write connection secret: conflict');
  const faultOf = async (conditions: readonly object[]) => {
    const objects = [claim, resourceOf({ ...unbound, conditions }), ownSecret];
    const found = await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']);
    const fault = faultsIn(viewOf(found)).find(({ name }) => name === 'credential not applied');
    return fault?.cause;
  };

  test('is a fault while the controller of the resource reports a failure', async () => {
    assert.equal(
      await faultOf([failed]),
      'Waiting for FavouriteDBInstance legacy: cannot write connection secret: conflict: the external system does not use its new credential yet.',
    );
  });

  test('is no fault while the controller makes progress', async () => {
    assert.equal(await faultOf([condition('Synced', 'True', 'ReconcileSuccess')]), undefined);
  });
});

test('a decision that depends on the values of Secrets contains no value', async () => {
  const objects = [claim, resourceOf(bound), ownSecret];
  const { decided, source: read } = await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']);
  assert.equal(decided?.secrets?.write?.desired.metadata.name, target.name);
  const text = JSON.stringify([decided, read]);
  for (const value of [password, details.password ?? '', key]) assert.ok(!text.includes(value));
});
