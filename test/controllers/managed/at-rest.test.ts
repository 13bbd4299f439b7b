import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  creating,
  reconcileError,
  reconcileSuccess,
  setConditions,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import {
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
  newNoteKey,
} from '../../../controllers/credential.ts';
import { isAtRest } from '../../../controllers/managed/at-rest.ts';
import { operationOngoing } from '../../../controllers/managed/recording/operation-conditions.ts';
import { withoutRecord } from '../../../controllers/managed/recording/status.ts';
import { deletionTimestamp, managed, now } from '../objects.ts';

const conditions = (...facts: readonly ConditionFacts[]) => setConditions([], facts, { now });
const note = { key: newNoteKey() };
const uid = 'its-own';
const key = { namespace: 'infra', name: 'db' };
const metadata = { finalizers: [finalizerNames.managed], generation: 3, uid };
const status: ManagedStatus = {
  observedGeneration: 3,
  conditions: conditions(available(), reconcileSuccess()),
  credential: { hmac: hmacOf('secret', note, uid), pending: false },
};
const resource = (its: Partial<ManagedStatus> = {}, meta: Partial<ObjectMeta> = {}): Managed => ({
  ...managed({ writeConnectionSecretToRef: key }, { ...metadata, ...meta }),
  status: { ...status, ...its },
});
const secret = (password: string, owner: Managed | undefined = resource()): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...key,
    annotations: { [credentialAnnotation]: encodeNote(note) },
    ...(owner && { ownerReferences: [controllerReference(owner)] }),
  },
  data: encodeDetails({ password }),
});
const own = secret('secret');
const operation = { name: 'operations/7', type: 'update', startedAt: '2026-01-02T03:04:05Z' } as const;

describe('a managed resource', () => {
  const resting: Record<string, readonly [Managed, Secret?]> = {
    'its status is of its present spec, and its password is in use': [resource(), own],
    'it is Bound in this cluster': [resource({ boundUID: uid }), own],
    'it names no Secret': [{ ...managed({}, metadata), status }],
  };
  for (const [name, [given, its]] of Object.entries(resting)) {
    test(`is at rest: ${name}`, () =>
      assert.equal(isAtRest(given, its, { credential: generatedPassword }), true));
  }

  const busy: Record<string, readonly [Managed, Secret?]> = {
    'its spec was edited since its last run': [resource({}, { generation: 4 }), own],
    'it is being deleted': [resource({}, { deletionTimestamp }), own],
    'its last run failed': [resource({ conditions: conditions(available(), reconcileError('no')) }), own],
    'it is not Ready': [resource({ conditions: conditions(creating(), reconcileSuccess()) }), own],
    'its status is from a backup of another cluster': [resource({ boundUID: 'another' }), own],
    'an operation is under way': [resource({ operation }), own],
    'the external system reports an operation': [
      resource({
        conditions: conditions(available(), reconcileSuccess(), ...operationOngoing('update')),
      }),
      own,
    ],
    'its Secret was deleted': [resource()],
    'its Secret has another owner': [resource(), secret('secret', resource({}, { uid: 'another' }))],
    'its password was edited': [resource(), secret('edited')],
    'its password is not recorded as set': [withoutRecord(resource()), own],
  };
  for (const [name, [given, its]] of Object.entries(busy)) {
    test(`is not at rest: ${name}`, () =>
      assert.equal(isAtRest(given, its, { credential: generatedPassword }), false));
  }

  test('is at rest with any Secret of its own if it has no credential', () => {
    assert.equal(isAtRest(resource(), secret('of a user')), true);
    assert.equal(isAtRest(resource(), undefined), false);
  });
});
