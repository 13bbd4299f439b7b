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
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import { stageOfManaged } from '../../../controllers/managed/stage.ts';
import type { Stage } from '../../../runtime/controller/urgency.ts';
import { deletionTimestamp, managed, now } from '../objects.ts';

const finalizers = [finalizerNames.managed];
const telling = (object: Managed, facts: readonly ConditionFacts[]): Managed => ({
  ...object,
  status: { conditions: setConditions([], facts, { now }) },
});

describe('the stage of a managed resource', () => {
  const is = (given: Managed | undefined, want: Stage): void => assert.equal(stageOfManaged(given), want);
  test('a resource without an external call is new', () => is(managed(), 'new'));
  test('a resource whose external system could not be reached is new', () =>
    is(telling(managed(), [reconcileError('no')]), 'new'));
  test('a resource that may exist externally has begun', () => is(managed({}, { finalizers }), 'begun'));
  test('a resource that is being created has begun', () =>
    is(telling(managed({}, { finalizers }), [creating(), reconcileSuccess()]), 'begun'));
  test('a Ready resource whose last attempt failed has begun', () =>
    is(telling(managed({}, { finalizers }), [available(), reconcileError('no')]), 'begun'));
  test('a Ready and Synced resource is settled', () =>
    is(telling(managed({}, { finalizers }), [available(), reconcileSuccess()]), 'settled'));
  test('an observed-only resource without a finalizer is settled', () =>
    is(telling(managed(), [available(), reconcileSuccess()]), 'settled'));
  test('a resource that is being deleted has begun', () =>
    is(telling(managed({}, { finalizers, deletionTimestamp }), [available(), reconcileSuccess()]), 'begun'));
  test('a deleted resource has begun', () => is(undefined, 'begun'));
});
