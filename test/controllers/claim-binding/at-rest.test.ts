import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  availableWithTrouble,
  reconcileError,
  reconcileSuccess,
  setConditions,
  unavailable,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { isAtRest } from '../../../controllers/claim-binding/at-rest.ts';
import { claim, deletionTimestamp, managed, now, resourceRef, secretOf } from '../objects.ts';

const conditions = (...facts: readonly ConditionFacts[]) => setConditions([], facts, { now });
const well = conditions(available(), reconcileSuccess());
const spec = { resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } };
const status: NonNullable<Claim['status']> = {
  bindingPhase: 'Bound',
  observedGeneration: 3,
  conditions: well,
};
const bound = claim(spec, { status });
const resource = (its: Partial<ManagedStatus> = {}, owner: Claim = bound): Managed =>
  managed(
    { claimRef: referenceTo(owner) },
    {
      name: 'db',
      uid: 'of-db',
      status: { bindingPhase: 'Bound', boundUID: 'of-db', conditions: well, ...its },
    },
  );
const secret = secretOf({ namespace: 'team', name: 'conn' });
const other = secretOf({ namespace: 'team', name: 'former' });
const another = claim(spec, { uid: 'of-another' });

describe('a claim', () => {
  const resting: Record<string, readonly [Claim, Managed | undefined, ...Secret[]]> = {
    'it is Bound, and all is well': [bound, resource(), secret],
    'it asks for no Secret': [claim({ resourceRef: resourceRef('db') }, { status }), resource()],
  };
  for (const [name, [given, its, ...controlled]] of Object.entries(resting)) {
    test(`is at rest: ${name}`, () =>
      assert.equal(isAtRest({ claim: given, managed: its, controlled }), true));
  }

  const reporting = (...facts: readonly ConditionFacts[]): Claim =>
    claim(spec, { status: { ...status, conditions: conditions(...facts) } });
  const busy: Record<string, readonly [Claim, Managed | undefined, ...Secret[]]> = {
    'it is not Bound': [claim(spec, { status: { ...status, bindingPhase: 'Unbound' } }), resource(), secret],
    'it was edited since its last run': [claim(spec, { status, generation: 4 }), resource(), secret],
    'it is being deleted': [claim(spec, { status, deletionTimestamp }), resource(), secret],
    'it reports trouble of its resource': [
      reporting(availableWithTrouble('no'), reconcileSuccess()),
      resource(),
      secret,
    ],
    'its last run failed': [reporting(available(), reconcileError('no')), resource(), secret],
    'its resource does not exist': [bound, undefined, secret],
    'its resource is being deleted': [
      bound,
      { ...resource(), metadata: { ...resource().metadata, deletionTimestamp } },
      secret,
    ],
    'its resource is not Ready': [
      bound,
      resource({ conditions: conditions(unavailable(), reconcileSuccess()) }),
      secret,
    ],
    'its resource reports a failure': [
      bound,
      resource({ conditions: conditions(available(), reconcileError('no')) }),
      secret,
    ],
    'its resource is of another claim': [bound, resource({}, another), secret],
    'its resource is not Bound': [bound, resource({ bindingPhase: 'Unbound' }), secret],
    'the status of its resource is from a backup': [bound, resource({ boundUID: 'former' }), secret],
    'it does not control the Secret that it names': [bound, resource()],
    'it controls a Secret of another name, too': [bound, resource(), secret, other],
    'it controls a Secret, and names none': [
      claim({ resourceRef: resourceRef('db') }, { status }),
      resource(),
      secret,
    ],
  };
  for (const [name, [given, its, ...controlled]] of Object.entries(busy)) {
    test(`is not at rest: ${name}`, () =>
      assert.equal(isAtRest({ claim: given, managed: its, controlled }), false));
  }
});
