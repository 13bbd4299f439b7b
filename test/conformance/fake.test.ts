import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { admit } from '../fakes/admission.ts';
import { cases, objectOf } from './table.ts';

describe('the API servers in memory judge as a real one does', () => {
  for (const { what, kind, before, after, refused, stored } of cases) {
    test(`${refused === undefined ? 'taken' : 'refused'}: ${what}`, () => {
      const former = before === undefined ? undefined : admit(kind, objectOf(kind, 'x', before));
      if (former !== undefined) assert.ok('object' in former, JSON.stringify(former));
      const verdict = admit(kind, objectOf(kind, 'x', after), former?.object);
      if (refused === undefined) {
        assert.ok('object' in verdict, JSON.stringify(verdict));
        if (stored !== undefined) assert.deepEqual(verdict.object, objectOf(kind, 'x', stored));
      } else {
        assert.ok('causes' in verdict, 'it is refused');
        assert.deepEqual(
          verdict.causes.map(({ field, message }) => ({ field, says: message.includes(refused.message) })),
          [{ field: refused.field, says: true }],
        );
      }
    });
  }
});
