import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { stageOfClaim } from '../../../../controllers/core/claim-binding/setup.ts';
import type { Stage } from '../../../../runtime/controller/urgency.ts';
import { claim, classRef, deletionTimestamp, managed, resourceRef } from '../objects.ts';

const named = claim({ classRef: classRef('small'), resourceRef: resourceRef('db') });

describe('how far a claim has come', () => {
  const rows: Record<string, readonly [Claim | undefined, Stage, Managed?]> = {
    'nothing is said yet of what it will have: new': [claim({ classRef: classRef('small') }), 'new'],
    'it names its managed resource, which there is yet to be: begun': [named, 'begun'],
    'its managed resource says nothing yet: waiting': [named, 'waiting', managed()],
    'its managed resource is on its way: waiting': [
      named,
      'waiting',
      managed({}, { status: { conditions: [] } }),
    ],
    'its managed resource can be bound: begun': [
      named,
      'begun',
      managed({}, { status: { bindingPhase: 'Unbound' } }),
    ],
    'it is bound by half: begun': [named, 'begun', managed({}, { status: { bindingPhase: 'Bound' } })],
    'it says what it waits for: waiting': [
      { ...named, status: { bindingPhase: 'Unbound' } },
      'waiting',
      managed(),
    ],
    'it is deleted while it waits: begun': [claim(named.spec, { deletionTimestamp }), 'begun', managed()],
    'it is Bound: settled': [{ ...named, status: { bindingPhase: 'Bound' } }, 'settled'],
    'it is Bound and deleted: begun': [
      { ...claim({}, { deletionTimestamp }), status: { bindingPhase: 'Bound' } },
      'begun',
    ],
    'it is deleted before anything was done: begun': [claim({}, { deletionTimestamp }), 'begun'],
    'it is gone: begun, for what it left behind': [undefined, 'begun'],
  };
  for (const [name, [given, want, its]] of Object.entries(rows)) {
    test(name, () => assert.equal(stageOfClaim(given, its), want));
  }
});
