import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BindingPhase } from '../../../../apis/core/v1alpha1/binding.ts';
import { boundMessage, setBindable } from '../../../../apis/core/v1alpha1/binding.ts';
import { bindingPhase } from '../../../../apis/core/v1alpha1/fields.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { claim, classRef, managed } from '../../../controllers/objects.ts';

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

describe('the Event of a Bound claim shows how long each step took', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2, 3, 0, seconds)).toISOString();
  const resource = (createdAt: number, readyAt: number, spec: Managed['spec'] = {}) =>
    managed(spec, {
      creationTimestamp: at(createdAt),
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: at(readyAt) }],
      },
    });
  const messageOf = (one: Managed, createdFrom?: Managed['spec']['classRef']) =>
    boundMessage(claim({}, { creationTimestamp: at(10) }), one, { createdFrom, now: new Date(at(45)) });
  const provisioned = { classRef: classRef('small') };
  const rows: Readonly<Record<string, readonly [actual: string, want: string]>> = {
    'of a resource that was created for it': [
      messageOf(resource(12, 43, provisioned), provisioned.classRef),
      'bound to FavouriteDBInstance db: created from FavouriteDBInstanceClass small in 2 s, ready in 31 s, bound in 2 s',
    ],
    'of a resource that a user created': [
      messageOf(resource(12, 43)),
      'bound to FavouriteDBInstance db: ready in 33 s, bound in 2 s',
    ],
    'of a resource that a backup restored with its claim': [
      messageOf(resource(12, 43, provisioned)),
      'bound to FavouriteDBInstance db: ready in 33 s, bound in 2 s',
    ],
    'of a resource that was ready before': [
      messageOf(resource(1, 5, provisioned)),
      'bound to FavouriteDBInstance db: ready in 0 s, bound in 35 s',
    ],
    'without times, if an object has none': [messageOf(managed()), 'bound to FavouriteDBInstance db'],
  };
  for (const [name, [actual, want]] of Object.entries(rows)) test(name, () => assert.equal(actual, want));
});
