import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ApiError,
  annotate,
  isConflict,
  isInterrupted,
  leaseExpired,
  mayBeDone,
} from '../../../runtime/client/errors.ts';

describe('a conflict is recognised', () => {
  const apiError = (code: number, reason: string) => new ApiError('no', { code, reason });
  const conflict = apiError(409, 'Conflict');
  const rows: Record<string, { readonly error: unknown; readonly want: boolean }> = {
    nil: { error: undefined, want: false },
    other: { error: new Error('no'), want: false },
    'another answer of the API server': { error: apiError(404, 'NotFound'), want: false },
    'a name that is taken': { error: apiError(409, 'AlreadyExists'), want: false },
    'a 409 that is not the API server’s word': { error: apiError(409, 'Unknown'), want: false },
    conflict: { error: conflict, want: true },
    'nested conflict': {
      error: new Error('outer', { cause: new Error('inner', { cause: conflict }) }),
      want: true,
    },
    'a conflict beside other text': { error: new Error('Conflict'), want: false },
  };
  for (const [name, { error, want }] of Object.entries(rows)) {
    test(name, () => assert.equal(isConflict(error), want));
  }
  test('through what it is annotated with', async () => {
    const failure = await annotate('cannot update x', Promise.reject(conflict)).catch(
      (error: unknown) => error,
    );
    assert.ok(isConflict(failure));
  });
});

describe('requests that were held back while the leadership was interrupted', () => {
  const kept = leaseExpired('the Lease was not renewed in time');
  const unanswered = new ApiError('no answer', { code: 0, reason: 'Timeout' });
  const rows: Record<string, { readonly error: unknown; readonly want: readonly [boolean, boolean] }> = {
    'is recognised, and is not done': { error: kept, want: [true, false] },
    'also as the cause of another error': {
      error: new Error('cannot create x', { cause: kept }),
      want: [true, false],
    },
    'no answer is none, and may be done': { error: unanswered, want: [false, true] },
    'nor is an answer of that name': {
      error: new ApiError('no', { code: 409, reason: 'LeaseExpired' }),
      want: [false, false],
    },
  };
  for (const [name, { error, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual([isInterrupted(error), mayBeDone(error)], want));
  }
});
