import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { InUseDecision } from '../../../controllers/in-use/decide.ts';
import { decideInUse, withUsers } from '../../../controllers/in-use/decide.ts';
import { providerConfig } from '../external-fake.ts';
import { deletionTimestamp, managed, now } from '../objects.ts';

const config = (metadata: Partial<ProviderConfig['metadata']> = {}): ProviderConfig =>
  providerConfig('default', { source: 'None' }, metadata);
const inUse = config({ finalizers: ['in-use.crossplane.io'] });
const leaving = config({ finalizers: ['in-use.crossplane.io'], deletionTimestamp });
const users = (...names: readonly string[]) => names.map((name) => managed({}, { name }));
const inUseBy = (count: string, names: readonly string[], more = ''): InUseDecision => {
  const what = `${count}: ${names.map((name) => `FavouriteDBInstance ${name}`).join(', ')}${more}`;
  const message = `in use by ${what}; it is deleted once they are deleted or use another ProviderConfig`;
  return { name: 'InUse', message };
};

describe('the decision about an object that managed resources use', () => {
  type Row = readonly [config: ProviderConfig, users: ReturnType<typeof users>, want: InUseDecision];
  const rows: Record<string, Row> = {
    'without users it needs no finalizer': [config(), [], { name: 'CountUsers' }],
    'its first user protects it': [config(), users('a'), { name: 'AddFinalizer' }],
    'it is protected no longer than it has users': [inUse, [], { name: 'RemoveFinalizer' }],
    'a protected one shows its users': [inUse, users('a'), { name: 'CountUsers' }],
    'a deleted one without users loses its finalizer': [leaving, [], { name: 'RemoveFinalizer' }],
    'a deleted one waits for its user, by name': [leaving, users('a'), inUseBy('1 managed resource', ['a'])],
    'a deleted one names five users, always in one order': [
      leaving,
      users('e', 'b', 'a', 'd', 'c'),
      inUseBy('5 managed resources', ['a', 'b', 'c', 'd', 'e']),
    ],
    'a deleted one counts those after the fifth': [
      leaving,
      users('f', 'e', 'b', 'a', 'd', 'c'),
      inUseBy('6 managed resources', ['a', 'b', 'c', 'd', 'e'], ', and 1 more'),
    ],
    'a deleted one that was never protected waits for no user': [
      config({ finalizers: ['of.another'], deletionTimestamp }),
      users('a'),
      { name: 'RemoveFinalizer' },
    ],
  };
  for (const [name, [given, its, want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(decideInUse(given, its), want));
  }
});

describe('the status of an object that managed resources use', () => {
  const terminating = { type: 'Terminating', status: 'True', reason: 'InUse', message: 'in use' } as const;
  const lastTransitionTime = '2026-01-02T03:04:05Z';
  const rows: Record<string, { generation?: number; message?: string; want: ProviderConfig['status'] }> = {
    'says how many use it': { want: { users: 3 } },
    'says which generation it was computed from': {
      generation: 2,
      want: { users: 3, observedGeneration: 2 },
    },
    'shows why it is not deleted': {
      generation: 2,
      message: 'in use',
      want: {
        users: 3,
        observedGeneration: 2,
        conditions: [{ ...terminating, lastTransitionTime, observedGeneration: 2 }],
      },
    },
  };
  for (const [name, { generation, message, want }] of Object.entries(rows)) {
    test(name, () => {
      const given = config(generation === undefined ? {} : { generation });
      assert.deepEqual(withUsers(given, 3, message === undefined ? [] : [terminating], now), {
        ...given,
        status: want,
      });
    });
  }
});
