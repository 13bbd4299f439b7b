import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StackState } from '../../../runtime/controller/stack-needs.ts';
import { mayStart, stackState, stackStates } from '../../../runtime/controller/stack-needs.ts';

const complete = { isSynced: true, isMissing: false };
const awaited = { isSynced: false, isMissing: false };
const missing = { isSynced: false, isMissing: true };
/** It was listed, and then its definition went. */
const gone = { isSynced: true, isMissing: true };

type Kinds = Readonly<Record<'own' | 'more' | 'foreign', typeof complete>>;
const rows: Readonly<Record<string, readonly [Kinds, Omit<StackState, 'name'>]>> = {
  'all is there': [
    { own: complete, more: complete, foreign: complete },
    { isComplete: true, missing: [], awaited: [] },
  ],
  'one of its own is awaited': [
    { own: awaited, more: complete, foreign: complete },
    { isComplete: false, missing: [], awaited: ['own'] },
  ],
  'there is none of its own': [
    { own: missing, more: awaited, foreign: complete },
    { isComplete: false, missing: ['own'], awaited: ['more'] },
  ],
  "another's is awaited: it may be there": [
    { own: complete, more: complete, foreign: awaited },
    { isComplete: false, missing: [], awaited: ['foreign'] },
  ],
  "there is none of another's: nothing of it is missed": [
    { own: complete, more: complete, foreign: missing },
    { isComplete: true, missing: [], awaited: [] },
  ],
  'one of its own was there': [
    { own: gone, more: complete, foreign: gone },
    { isComplete: true, missing: ['own'], awaited: [] },
  ],
};

describe('whether a stack may run', () => {
  const needs = { name: 'queues', own: ['own', 'more'], others: ['foreign'] };
  for (const [name, [kinds, want]] of Object.entries(rows)) {
    test(name, () => {
      const states = Object.entries(kinds).map(([kind, state]) => ({ kind, ...state }));
      assert.deepEqual(stackState(needs, states), { name: 'queues', ...want });
    });
  }

  test('a stack of several controllers is reported once, and controllers without a stack are not reported', () => {
    const stacks = [needs];
    assert.deepEqual(stackStates([{ needs: { stacks } }, {}, { needs: { stacks } }], []), [
      { name: 'queues', isComplete: true, missing: [], awaited: [] },
    ]);
  });
});

describe('whether a controller of several stacks may start', () => {
  const stacks = ['queues', 'topics'].map((name) => ({ name, own: [name], others: [] }));
  type Given = readonly [queues: typeof complete, topics: typeof complete];
  const starts: Readonly<Record<string, readonly [Given, one: boolean, awaitingAll: boolean]>> = {
    'all are complete': [[complete, complete], true, true],
    'one is complete, and the other is awaited': [[complete, awaited], true, false],
    'one is complete, and the other is missing': [[complete, missing], true, true],
    'none is complete': [[missing, awaited], false, false],
    'all are missing': [[missing, missing], false, false],
  };
  for (const [name, [[queues, topics], one, awaitingAll]] of Object.entries(starts)) {
    test(name, () => {
      const states = [
        { kind: 'queues', ...queues },
        { kind: 'topics', ...topics },
      ];
      assert.equal(mayStart({ stacks }, states), one);
      assert.equal(mayStart({ stacks, awaitsAll: true }, states), awaitingAll);
    });
  }
});
