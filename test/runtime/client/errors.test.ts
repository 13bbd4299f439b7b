import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ApiError,
  annotate,
  isConflict,
  isInterrupted,
  leaseExpired,
} from '../../../runtime/client/errors.ts';

describe('a conflict is recognised', () => {
  const apiError = (code: number, reason: string) => new ApiError('no', { code, reason });
  const conflict = apiError(409, 'Conflict');
  const rows: Record<string, readonly [error: unknown, want: boolean]> = {
    nil: [undefined, false],
    other: [new Error('no'), false],
    'another answer of the API server': [apiError(404, 'NotFound'), false],
    'a name that is taken': [apiError(409, 'AlreadyExists'), false],
    'a 409 that is not the API server’s word': [apiError(409, 'Unknown'), false],
    conflict: [conflict, true],
    'nested conflict': [new Error('outer', { cause: new Error('inner', { cause: conflict }) }), true],
    'a conflict beside other text': [new Error('Conflict'), false],
  };
  for (const [name, [error, want]] of Object.entries(rows)) {
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
  const interrupted = leaseExpired('the Lease was not renewed in time');
  const unanswered = new ApiError('no answer', { code: 0, reason: 'Timeout' });
  const sameName = new ApiError('no', { code: 409, reason: 'LeaseExpired' });
  const rows: Record<string, readonly [error: unknown, want: boolean]> = {
    'is recognised': [interrupted, true],
    'also as the cause of another error': [new Error('cannot create x', { cause: interrupted }), true],
    'no answer is none': [unanswered, false],
    'nor is an answer of that name': [sameName, false],
  };
  for (const [name, [error, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(isInterrupted(error), want));
  }
});
