import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { markHolders } from '../../../controllers/author/mark-holders.ts';
import { ownerIdOf } from '../../../controllers/author/owner-id.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { claimRef, managed, managedKind } from '../objects.ts';

const markOf = (ownerId: string): string => `mark of ${ownerId}`;

async function holders(kinds: Parameters<typeof markHolders>[1]) {
  const cluster = new FakeCluster();
  cluster.put(managedKind, managed({ claimRef: claimRef() }, { name: 'db' }));
  const process = new FakeProcess(cluster);
  const holderOf = markHolders(process.env, kinds, markOf);
  await process.synced();
  const [object] = cluster.all<Managed>(managedKind);
  const mark = markOf(ownerIdOf(object!));
  const found = { holder: holderOf(mark, 'db'), other: holderOf('another mark', 'db') };
  process.stop();
  return found;
}

test('the holder of a mark is found with a kind for claims alone', async () => {
  const { holder, other } = await holders({ claimable: managedKind });
  assert.equal(holder?.isClaims, true);
  assert.match(holder?.what ?? '', /^FavouriteDBInstance db of /);
  assert.equal(other, undefined);
});

test('the holder of a mark is found with a kind of administrators alone', async () => {
  const { holder, other } = await holders({ administrators: managedKind });
  assert.equal(holder?.isClaims, false);
  assert.equal(other, undefined);
});
