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

describe('how far a managed resource has come', () => {
  const rows: Record<string, readonly [Managed | undefined, Stage]> = {
    'nothing outside was touched: new': [managed(), 'new'],
    'nothing outside could be reached: new': [telling(managed(), [reconcileError('no')]), 'new'],
    'something may exist outside: begun': [managed({}, { finalizers }), 'begun'],
    'it is on its way: begun': [
      telling(managed({}, { finalizers }), [creating(), reconcileSuccess()]),
      'begun',
    ],
    'it is Ready, and the last attempt at it failed: begun': [
      telling(managed({}, { finalizers }), [available(), reconcileError('no')]),
      'begun',
    ],
    'it is Ready and Synced: settled': [
      telling(managed({}, { finalizers }), [available(), reconcileSuccess()]),
      'settled',
    ],
    'only observed, without a finalizer, it is settled, too': [
      telling(managed(), [available(), reconcileSuccess()]),
      'settled',
    ],
    'it is deleted: begun': [
      telling(managed({}, { finalizers, deletionTimestamp }), [available(), reconcileSuccess()]),
      'begun',
    ],
    'it is gone: begun': [undefined, 'begun'],
  };
  for (const [name, [given, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(stageOfManaged(given), want));
  }
});
