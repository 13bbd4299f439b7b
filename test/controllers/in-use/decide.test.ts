import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import { crdName } from '../../../apis/core/v1alpha1/kind.ts';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { InUseDecision, UsersOfKind } from '../../../controllers/in-use/decide.ts';
import { decideInUse, terminating, userCounts, withUsers } from '../../../controllers/in-use/decide.ts';
import { providerConfig } from '../external-fake.ts';
import { deletionTimestamp, managed, managedKind, now } from '../objects.ts';

const config = (metadata: Partial<ProviderConfig['metadata']> = {}): ProviderConfig =>
  providerConfig('default', { source: 'None' }, metadata);
const inUse = config({ finalizers: ['in-use.crossplane.io'] });
const leaving = config({ finalizers: ['in-use.crossplane.io'], deletionTimestamp });
const users = (...names: readonly string[]): readonly UsersOfKind[] => [
  { kind: managedKind, users: names.map((name) => managed({}, { name })) },
];
const queues = 'queues.sqs.aws.crossplane.io';
/** With users of kinds that another process serves, and of a kind of this one that were counted before. */
const alsoUsed = (given: ProviderConfig, count = 2): ProviderConfig => ({
  ...given,
  status: { users: count + 1, usersByKind: { [queues]: count, [crdName(managedKind)]: 1 } },
});
const terminatingBy = (given: ProviderConfig): ProviderConfig => ({
  ...given,
  status: { ...given.status, conditions: setConditions([], [terminating('by the other process')], { now }) },
});
const waiting = (what: string): InUseDecision => ({
  name: 'InUse',
  message: `in use by ${what}; it is deleted once they are deleted or use another ProviderConfig`,
});
const inUseBy = (count: string, names: readonly string[], more = ''): InUseDecision => {
  return waiting(`${count}: ${names.map((name) => `FavouriteDBInstance ${name}`).join(', ')}${more}`);
};

describe('the decision about an object that managed resources use', () => {
  type Row = readonly [config: ProviderConfig, users: ReturnType<typeof users>, want: InUseDecision];
  const rows: Record<string, Row> = {
    'without users it needs no finalizer': [config(), users(), { name: 'CountUsers' }],
    'its first user protects it': [config(), users('a'), { name: 'AddFinalizer' }],
    'it is protected no longer than it has users': [inUse, users(), { name: 'RemoveFinalizer' }],
    'a protected one shows its users': [inUse, users('a'), { name: 'CountUsers' }],
    'a deleted one without users loses its finalizer': [leaving, users(), { name: 'RemoveFinalizer' }],
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
    'users of kinds that another process serves protect it': [
      alsoUsed(config()),
      users(),
      { name: 'AddFinalizer' },
    ],
    'it stays protected while another process counts users': [
      alsoUsed(inUse),
      users(),
      { name: 'CountUsers' },
    ],
    'a deleted one waits for users that only another process knows': [
      alsoUsed(leaving, 1),
      users(),
      waiting(`1 managed resource: 1 ${queues}`),
    ],
    'a deleted one has the message that all its processes write': [
      alsoUsed(leaving),
      users('a'),
      waiting(`3 managed resources: 1 ${crdName(managedKind)}, 2 ${queues}`),
    ],
    'a process without users leaves the message of another one': [
      terminatingBy(alsoUsed(leaving)),
      users(),
      { name: 'InUse', message: undefined },
    ],
    'a deleted one that was never protected waits for no user': [
      config({ finalizers: ['of.another'], deletionTimestamp }),
      users('a'),
      { name: 'RemoveFinalizer' },
    ],
  };
  for (const [name, [given, its, want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(decideInUse(given, userCounts(given, its), its), want));
  }
});

describe('the status of an object that managed resources use', () => {
  const inUseFacts = { type: 'Terminating', status: 'True', reason: 'InUse', message: 'in use' } as const;
  const lastTransitionTime = '2026-01-02T03:04:05Z';
  const usersByKind = { [crdName(managedKind)]: 3 };
  type Row = {
    generation?: number;
    message?: string;
    before?: ProviderConfig['status'];
    names?: readonly string[];
    want: ProviderConfig['status'];
  };
  const rows: Record<string, Row> = {
    'says how many use it, in all and of each kind': { want: { users: 3, usersByKind } },
    'keeps the counts of another process, and corrects its own': {
      before: alsoUsed(config()).status,
      want: { users: 5, usersByKind: { [queues]: 2, ...usersByKind } },
    },
    'says zero, and lists no kind, when the last user left': {
      before: { users: 3, usersByKind },
      names: [],
      want: { users: 0 },
    },
    'says which generation it was computed from': {
      generation: 2,
      want: { users: 3, usersByKind, observedGeneration: 2 },
    },
    'shows why it is not deleted': {
      generation: 2,
      message: 'in use',
      want: {
        users: 3,
        usersByKind,
        observedGeneration: 2,
        conditions: [{ ...inUseFacts, lastTransitionTime, observedGeneration: 2 }],
      },
    },
  };
  for (const [name, { generation, message, before, names = ['a', 'b', 'c'], want }] of Object.entries(rows)) {
    test(name, () => {
      const object = config(generation === undefined ? {} : { generation });
      const given = before === undefined ? object : { ...object, status: before };
      const counts = userCounts(given, users(...names));
      assert.deepEqual(withUsers(given, counts, message === undefined ? [] : [inUseFacts], now), {
        ...given,
        status: want,
      });
    });
  }
});
