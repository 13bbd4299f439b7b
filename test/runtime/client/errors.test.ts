import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, annotate, isConflict } from '../../../runtime/client/errors.ts';

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
