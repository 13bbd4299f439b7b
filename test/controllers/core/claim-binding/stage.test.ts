import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { stageOfClaim } from '../../../../controllers/core/claim-binding/setup.ts';
import type { Stage } from '../../../../runtime/controller/urgency.ts';
import { claim, classRef, deletionTimestamp, managed, resourceRef } from '../objects.ts';

const named = claim({ classRef: classRef('small'), resourceRef: resourceRef('db') });

describe('the stage of a claim', () => {
  const rows: Record<string, readonly [Claim | undefined, Stage, Managed?]> = {
    'a claim without a recorded name is new': [claim({ classRef: classRef('small') }), 'new'],
    'a claim that names a resource that does not exist yet has begun': [named, 'begun'],
    'a claim whose resource has no conditions yet is waiting': [named, 'waiting', managed()],
    'a claim whose resource is being created is waiting': [
      named,
      'waiting',
      managed({}, { status: { conditions: [] } }),
    ],
    'a claim whose resource can be bound has begun': [
      named,
      'begun',
      managed({}, { status: { bindingPhase: 'Unbound' } }),
    ],
    'a claim with only half of its binding written has begun': [
      named,
      'begun',
      managed({}, { status: { bindingPhase: 'Bound' } }),
    ],
    'a claim that reports why it waits is waiting': [
      { ...named, status: { bindingPhase: 'Unbound' } },
      'waiting',
      managed(),
    ],
    'a claim that is deleted while it waits has begun': [
      claim(named.spec, { deletionTimestamp }),
      'begun',
      managed(),
    ],
    'a Bound claim is settled': [{ ...named, status: { bindingPhase: 'Bound' } }, 'settled'],
    'a Bound claim that is being deleted has begun': [
      { ...claim({}, { deletionTimestamp }), status: { bindingPhase: 'Bound' } },
      'begun',
    ],
    'a claim that is deleted before its first write has begun': [claim({}, { deletionTimestamp }), 'begun'],
    'a deleted claim has begun, because of the resource that remains': [undefined, 'begun'],
  };
  for (const [name, [given, want, its]] of Object.entries(rows)) {
    test(name, () => assert.equal(stageOfClaim(given, its), want));
  }
});
