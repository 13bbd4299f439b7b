import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InformerState } from '../../../runtime/cache/informer-state.ts';
import { jointState } from '../../../runtime/cache/informer-state.ts';
import { informerState } from '../widgets.ts';

const state = (given: Partial<InformerState> = {}): InformerState =>
  informerState('widgets.v1.test.example.org', {
    objectCount: 2,
    sinceMs: 500,
    confirmedAtMs: 900,
    ...given,
  });
const refused = { phase: 'waiting', code: 403, message: 'no', delayMs: 800 } as const;

describe('a kind that several streams watch fares no better than the worst of them', () => {
  const table: readonly (readonly [name: string, parts: readonly Partial<InformerState>[], want: object])[] =
    [
      ['one alone is as it is', [{ objectCount: 7 }], { objectCount: 7 }],
      ['objects are counted together', [{}, {}, {}], { objectCount: 6, listCount: 3 }],
      ['it is synced when all are', [{}, { isSynced: false }], { isSynced: false }],
      [
        'what fails is shown, and since when it does',
        [{ sinceMs: 100 }, { stream: refused, sinceMs: 700, failureCount: 4 }],
        { stream: refused, sinceMs: 700, failureCount: 4 },
      ],
      [
        'of those in the same phase, the one that has been longest',
        [
          { stream: { phase: 'listing' }, sinceMs: 800 },
          { stream: { phase: 'listing' }, sinceMs: 300 },
        ],
        { stream: { phase: 'listing' }, sinceMs: 300 },
      ],
      ['nothing was missed until the earliest', [{ confirmedAtMs: 200 }, {}], { confirmedAtMs: 200 }],
      [
        'one that is silent makes it so',
        [{ isSilent: true, silenceCount: 2 }, {}],
        { isSilent: true, silenceCount: 2 },
      ],
      ['it is missing when all say so', [{ isMissing: true }, {}], { isMissing: false }],
      ['and then it is', [{ isMissing: true }, { isMissing: true }], { isMissing: true }],
    ];
  for (const [name, parts, want] of table) {
    test(name, () => {
      const counted = { objectCount: 2 * parts.length, listCount: parts.length };
      assert.deepEqual(jointState(parts.map(state)), { ...state(counted), ...want });
    });
  }
});
