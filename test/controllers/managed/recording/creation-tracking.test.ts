import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isCreationIncomplete,
  pendingTime,
  resultTime,
} from '../../../../controllers/managed/recording/creation-tracking.ts';
import { managed, now } from '../../objects.ts';

const at = (second: number) => `2026-01-02T03:04:0${second}Z`; // now is second 5
const tracked = (times: Readonly<Record<string, number>>) =>
  managed(
    {},
    {
      annotations: Object.fromEntries(
        Object.entries(times).map(([key, second]) => [`crossplane.io/external-create-${key}`, at(second)]),
      ),
    },
  );

describe('the marks of a creation', () => {
  function are(times: Parameters<typeof tracked>[0], begins: string, ends: string): void {
    const object = tracked(times);
    assert.deepEqual([pendingTime(object, now), resultTime(object, now)], [begins, ends]);
  }
  test('have the current time for the first creation', () => are({}, at(5), at(5)));
  test('have the current time for a later creation', () =>
    are({ pending: 1, succeeded: 3, failed: 2 }, at(5), at(5)));
  test('begin a second later in the second in which the last creation succeeded', () =>
    are({ pending: 4, succeeded: 5 }, at(6), at(5)));
  test('begin a second later in the second in which the last creation failed', () =>
    are({ pending: 4, failed: 5, succeeded: 1 }, at(6), at(5)));
  test('never end before they begin, also if the clock is set back', () => are({ pending: 8 }, at(5), at(8)));
});

describe('a creation is incomplete between its mark and its result', () => {
  const is = (times: Parameters<typeof tracked>[0], isIncomplete: boolean): void =>
    assert.equal(isCreationIncomplete(tracked(times)), isIncomplete);
  test('no creation is complete', () => is({}, false));
  test('a creation that began is incomplete', () => is({ pending: 1 }, true));
  test('a creation that succeeded is complete', () => is({ pending: 1, succeeded: 2 }, false));
  test('a creation that failed is complete', () => is({ pending: 1, failed: 2 }, false));
  test('a creation that began after a success is incomplete', () => is({ succeeded: 1, pending: 2 }, true));
  test('a creation that began after a failure is incomplete', () => is({ failed: 1, pending: 2 }, true));
  test('a creation that failed after a success is complete', () =>
    is({ succeeded: 1, pending: 2, failed: 3 }, false));
  test('equal seconds count as complete', () => is({ pending: 2, succeeded: 2 }, false));
  test('an unparsable time is absent', () => {
    const broken = managed({}, { annotations: { 'crossplane.io/external-create-pending': 'yesterday' } });
    assert.equal(isCreationIncomplete(broken), false);
  });
});
