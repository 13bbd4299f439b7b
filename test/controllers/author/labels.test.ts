import assert from 'node:assert/strict';
import { test } from 'node:test';
import { available } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { CloudCollection } from '../../../clients/cloud-collection.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import { labelled } from '../../../clients/ownership-tags.ts';
import { ownerOf } from '../../../controllers/author/check-ownership.ts';
import { namedByUs } from '../../../controllers/author/named-by-us.ts';
import { managed } from '../core/objects.ts';

interface Thing {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A cloud that refuses labels with anything but lower case, digits, `-` and `_`, as Google's do. */
function cloudOfLabels() {
  const held = new Map<string, Thing>();
  const take = (thing: Thing): Thing => {
    for (const value of Object.values(thing.labels)) {
      if (!/^[a-z0-9_-]{0,63}$/.test(value)) {
        throw new CloudError(`label "${value}"`, { status: 400, code: 'Invalid', isRetryable: false });
      }
    }
    held.set(thing.name, thing);
    return thing;
  };
  const things: CloudCollection<Thing, Thing, Partial<Thing>> = {
    get: async (name) => held.get(name),
    list: async () => [...held.values()],
    create: async (wanted) => take(wanted),
    update: async (name, change) => take({ ...held.get(name)!, ...change }),
    delete: async (name) => void held.delete(name),
  };
  const client = namedByUs<Managed, Thing, Thing, Partial<Thing>>({
    things,
    noun: 'thing',
    owner: (object) => labelled(ownerOf(object)),
    newThing: (_managed, { name, tags }) => ({ name, labels: tags }),
    seen: (_managed, { labels }) => ({
      tags: labels,
      isKnown: false,
      isOnline: true,
      meaning: { ready: available() },
      actual: {},
      status: {},
    }),
    compare: () => ({ change: {}, changed: [], refused: [], drifted: [], observation: { isUpToDate: true } }),
    change: () => ({}),
    retag: (tags) => ({ labels: tags }),
    setPassword: () => ({}),
  });
  return { held, client };
}

const { signal } = new AbortController();
const db = managed({}, { name: 'orders.v2' });

test('where tags are labels, what is ours is found by them, and left alone once it has them', async () => {
  const { held, client } = cloudOfLabels();
  await client.create(db, undefined, signal);
  assert.deepEqual(held.get('orders.v2')?.labels, {
    'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
    'crossplane-name': 'orders_v2',
    'crossplane-providerconfig': 'default',
  });
  const { exists, isUpToDate } = await client.observe(db, undefined, signal);
  assert.deepEqual([exists, isUpToDate], [true, true]);
});
