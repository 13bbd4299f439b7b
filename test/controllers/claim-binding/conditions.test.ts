import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { reconcileError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { describeManaged } from '../../../controllers/claim-binding/conditions.ts';

const claimRef = { apiVersion: 'x/v1', kind: 'Claim', namespace: 'team', name: 'db', uid: 'uid' };
const statement = 'run: COMMENT ON ROLE "db"';

/** The text of a claim whose resource reports a statement for administrators, with this error. */
const textOf = (
  error: NonNullable<Condition['error']>,
  { externalIdentity }: { readonly externalIdentity?: string } = {},
): string =>
  describeManaged({
    apiVersion: 'x/v1',
    kind: 'Database',
    metadata: { name: 'db' },
    spec: { claimRef },
    status: { externalIdentity, conditions: [reconcileError(statement, error)] },
  } as unknown as Managed);

test('a claim does not show the statement that hands an external resource over', () => {
  const unmarked =
    'its external resource does not carry its mark, and an administrator has to decide about it; reported by Database db';
  assert.equal(textOf({ class: 'MarkLost', advice: ['HandOver'] }), unmarked);
  assert.equal(
    textOf({ class: 'MarkLost', advice: ['HandOver'], holder: { by: 'AnotherResource' } }),
    'its external resource belongs to another resource now, and an administrator has to decide about it; reported by Database db',
  );
  for (const lost of ['ExternalMissing', 'ExternalRenamed'])
    assert.equal(
      textOf({ class: lost, holder: { by: 'AnotherResource' } }),
      'another resource has the name of its external resource now, and an administrator has to decide about it; reported by Database db',
    );
  assert.equal(
    textOf({ class: 'Conflict', holder: { by: 'AnotherResource' } }),
    'its external name is already in use, by another resource or by the remains of a previous one; reported by Database db',
  );
  assert.equal(
    textOf({ class: 'Conflict', holder: { by: 'AnotherResource' } }, { externalIdentity: 'server 1' }),
    'another user of the external system is in the way of its external resource, and an administrator has to decide about it; reported by Database db',
  );
});

test('a claim shows the message of any other error', () =>
  assert.equal(textOf({ class: 'Invalid' }), `${statement}; reported by Database db`));
