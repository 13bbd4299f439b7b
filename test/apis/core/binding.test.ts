import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BindingPhase } from '../../../apis/core/v1alpha1/binding.ts';
import { isBindable, isBound, setBindable } from '../../../apis/core/v1alpha1/binding.ts';
import { bindingPhase } from '../../../apis/core/v1alpha1/fields.ts';

describe('binding phases', () => {
  interface Row {
    readonly phase: BindingPhase | undefined;
    readonly bindable: boolean;
    readonly bound: boolean;
    readonly next: BindingPhase;
  }
  const rows: Record<string, Row> = {
    Unset: { phase: undefined, bindable: false, bound: false, next: 'Unbound' },
    Unbindable: { phase: 'Unbindable', bindable: false, bound: false, next: 'Unbound' },
    Unbound: { phase: 'Unbound', bindable: true, bound: false, next: 'Unbound' },
    Bound: { phase: 'Bound', bindable: false, bound: true, next: 'Bound' },
    'Released is terminal': { phase: 'Released', bindable: false, bound: false, next: 'Released' },
  };
  for (const [name, { phase, bindable, bound, next }] of Object.entries(rows)) {
    test(`SetBindable ${name}`, () =>
      assert.deepEqual([isBindable(phase), isBound(phase), setBindable(phase)], [bindable, bound, next]));
  }
  test('every phase has a row', () => {
    assert.deepEqual(
      Object.values(rows).flatMap(({ phase }) => phase ?? []),
      [...bindingPhase.options],
    );
  });
});
