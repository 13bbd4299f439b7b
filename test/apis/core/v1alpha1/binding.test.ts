import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BindingPhase } from '../../../../apis/core/v1alpha1/binding.ts';
import { setBindable } from '../../../../apis/core/v1alpha1/binding.ts';
import { bindingPhase } from '../../../../apis/core/v1alpha1/fields.ts';

describe('binding phases', () => {
  interface Row {
    readonly phase: BindingPhase | undefined;
    readonly next: BindingPhase;
  }
  const rows: Record<string, Row> = {
    Unset: { phase: undefined, next: 'Unbound' },
    Unbindable: { phase: 'Unbindable', next: 'Unbound' },
    Unbound: { phase: 'Unbound', next: 'Unbound' },
    Bound: { phase: 'Bound', next: 'Bound' },
    'Released is terminal': { phase: 'Released', next: 'Released' },
  };
  for (const [name, { phase, next }] of Object.entries(rows)) {
    test(`SetBindable ${name}`, () => assert.equal(setBindable(phase), next));
  }
  test('every phase has a row', () => {
    assert.deepEqual(
      Object.values(rows).flatMap(({ phase }) => phase ?? []),
      [...bindingPhase.options],
    );
  });
});
