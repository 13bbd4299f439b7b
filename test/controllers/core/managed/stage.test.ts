import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  creating,
  reconcileError,
  reconcileSuccess,
  setConditions,
} from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../../../apis/core/v1alpha1/meta.ts';
import { stageOfManaged } from '../../../../controllers/core/managed/stage.ts';
import type { Stage } from '../../../../runtime/controller/urgency.ts';
import { deletionTimestamp, managed, now } from '../objects.ts';

const finalizers = [finalizerNames.managed];
const telling = (object: Managed, facts: readonly ConditionFacts[]): Managed => ({
  ...object,
  status: { conditions: setConditions([], facts, { now }) },
});

describe('the stage of a managed resource', () => {
  const rows: Record<string, readonly [Managed | undefined, Stage]> = {
    'a resource without an external call is new': [managed(), 'new'],
    'a resource whose external system could not be reached is new': [
      telling(managed(), [reconcileError('no')]),
      'new',
    ],
    'a resource that may exist externally has begun': [managed({}, { finalizers }), 'begun'],
    'a resource that is being created has begun': [
      telling(managed({}, { finalizers }), [creating(), reconcileSuccess()]),
      'begun',
    ],
    'a Ready resource whose last attempt failed has begun': [
      telling(managed({}, { finalizers }), [available(), reconcileError('no')]),
      'begun',
    ],
    'a Ready and Synced resource is settled': [
      telling(managed({}, { finalizers }), [available(), reconcileSuccess()]),
      'settled',
    ],
    'an observed-only resource without a finalizer is settled': [
      telling(managed(), [available(), reconcileSuccess()]),
      'settled',
    ],
    'a resource that is being deleted has begun': [
      telling(managed({}, { finalizers, deletionTimestamp }), [available(), reconcileSuccess()]),
      'begun',
    ],
    'a deleted resource has begun': [undefined, 'begun'],
  };
  for (const [name, [given, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(stageOfManaged(given), want));
  }
});
