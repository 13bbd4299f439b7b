import assert from 'node:assert/strict';
import { test } from 'node:test';
import range from 'lodash/range.js';
import { Observable, Subject } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { notReady, setConditions } from '../../apis/core/v1alpha1/condition.ts';
import { blockingSecretOf } from '../../controllers/claim-binding/setup.ts';
import { namedSecretChanges } from '../../controllers/named-secret-changes.ts';
import type { Change } from '../../runtime/cache/store.ts';
import { claim } from './objects.ts';

const now = new Date('2026-01-02T03:04:05Z');

/** A claim that waits for the Secret of another owner. */
const blocked = (name: string): Claim =>
  claim(
    { writeConnectionSecretToRef: { name } },
    { name, status: { conditions: setConditions([], [notReady('SecretConflict', 'no')], { now }) } },
  );

/** Returns the number of watches that are open after these changes of claims. */
async function watchesAfter(changes: readonly Pick<Change<Claim>, 'type' | 'object'>[]): Promise<number> {
  let open = 0;
  const client = {
    list: async () => ({ items: [], resourceVersion: '1' }),
    watch: () =>
      new Observable(() => {
        open += 1;
        return () => {
          open -= 1;
        };
      }),
  };
  const changes$ = new Subject<Change<Claim>>();
  const env = { client, clock: {}, log: {} } as unknown as Parameters<typeof namedSecretChanges>[0];
  const subscription = namedSecretChanges(env, { changes$ }, blockingSecretOf, 100).subscribe();
  for (const change of changes) {
    changes$.next(change as Change<Claim>);
    await new Promise(setImmediate);
  }
  const found = open;
  subscription.unsubscribe();
  return found;
}

const added = (object: Claim) => ({ type: 'added', object }) as const;
const deleted = (object: Claim) => ({ type: 'deleted', object }) as const;

test('the Secret of another owner is watched while its claim reports it', async () => {
  const [orders, ready] = [blocked('orders'), claim({}, { name: 'orders' })];
  assert.equal(await watchesAfter([added(orders)]), 1);
  assert.equal(await watchesAfter([added(orders), { type: 'modified', object: ready }]), 0);
  assert.equal(await watchesAfter([added(orders), deleted(orders)]), 0);
  assert.equal(await watchesAfter([added(orders), deleted(orders), added(orders)]), 1);
});

test('a team with many claims that wait for Secrets opens a limited number of watches', async () => {
  const claims = range(105).map((index) => blocked(`claim-${index}`));
  assert.equal(await watchesAfter(claims.map(added)), 100);
});

test('the end of one watch makes room for another', async () => {
  const claims = range(100).map((index) => blocked(`claim-${index}`));
  const another = blocked('another');
  assert.equal(await watchesAfter([...claims.map(added), deleted(claims[0]!), added(another)]), 100);
});

test('a malformed claim watches no Secret, and ends no other watch', async () => {
  const malformed = { ...claim({}, { name: 'odd' }), status: { conditions: 'none' } } as unknown as Claim;
  assert.equal(await watchesAfter([blocked('a'), malformed, blocked('b')].map(added)), 2);
});
