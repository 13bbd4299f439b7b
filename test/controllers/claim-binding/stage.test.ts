import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { stageOfClaim } from '../../../controllers/claim-binding/setup.ts';
import type { Stage } from '../../../runtime/controller/urgency.ts';
import { claim, classRef, deletionTimestamp, managed, resourceRef } from '../objects.ts';

const named = claim({ classRef: classRef('small'), resourceRef: resourceRef('db') });

describe('the stage of a claim', () => {
  const is = (given: Claim | undefined, want: Stage, its?: Managed): void =>
    assert.equal(stageOfClaim(given, its), want);
  test('a claim without a recorded name is new', () => is(claim({ classRef: classRef('small') }), 'new'));
  test('a claim that names a resource that does not exist yet has begun', () => is(named, 'begun'));
  test('a claim whose resource has no conditions yet is waiting', () => is(named, 'waiting', managed()));
  test('a claim whose resource is being created is waiting', () =>
    is(named, 'waiting', managed({}, { status: { conditions: [] } })));
  test('a claim whose resource can be bound has begun', () =>
    is(named, 'begun', managed({}, { status: { bindingPhase: 'Unbound' } })));
  test('a claim with only half of its binding written has begun', () =>
    is(named, 'begun', managed({}, { status: { bindingPhase: 'Bound' } })));
  test('a claim that reports why it waits is waiting', () =>
    is({ ...named, status: { bindingPhase: 'Unbound' } }, 'waiting', managed()));
  test('a claim that is deleted while it waits has begun', () =>
    is(claim(named.spec, { deletionTimestamp }), 'begun', managed()));
  test('a Bound claim is settled', () => is({ ...named, status: { bindingPhase: 'Bound' } }, 'settled'));
  test('a Bound claim that is being deleted has begun', () =>
    is({ ...claim({}, { deletionTimestamp }), status: { bindingPhase: 'Bound' } }, 'begun'));
  test('a claim that is deleted before its first write has begun', () =>
    is(claim({}, { deletionTimestamp }), 'begun'));
  test('a deleted claim has begun, because of the resource that remains', () => is(undefined, 'begun'));
});
