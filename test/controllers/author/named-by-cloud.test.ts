import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { ownerOf } from '../../../controllers/author/check-ownership.ts';
import { namedByCloud } from '../../../controllers/author/named-by-cloud.ts';
import { UncertainCreationError } from '../../../controllers/managed/connecting/external-client.ts';
import { managed } from '../objects.ts';

interface Item {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly isGone?: boolean;
  readonly isBusy?: boolean;
}

const { signal } = new AbortController();
const noAnswer = { status: 0, code: 'ConnectionLost', isRetryable: true };
const lost = new CloudError('cannot create thing: the answer is lost', noAnswer);

/** A cloud that assigns ids, and what was asked of it. */
function cloud(requested: Item['tags'] = {}) {
  const held = new Map<string, Item>();
  const calls: string[] = [];
  const way: { afterCreation?: Error; listing?: Error; isBlind?: boolean; former?: readonly string[] } = {};
  const put = (id: string, tags: Item['tags'], more: Partial<Item> = {}): void => {
    held.set(id, { id, tags, ...more });
  };
  const client = namedByCloud<Managed, Item>({
    noun: 'thing',
    idOf: ({ id }) => id,
    get: async (_managed, id) => held.get(id),
    async tagged(_managed, tags) {
      if (way.listing !== undefined) throw way.listing;
      if (way.isBlind === true) return [];
      // As a cloud that minds no case.
      const name = tags['crossplane-name']?.toLowerCase();
      return [...held.values()].filter((item) => item.tags['crossplane-name']?.toLowerCase() === name);
    },
    async create(_managed, { tags, former }) {
      calls.push('create');
      way.former = former;
      const item = { id: `thing-${held.size + 1}`, tags };
      held.set(item.id, item);
      if (way.afterCreation !== undefined) throw way.afterCreation;
      return item;
    },
    reported: (_managed, { tags, isGone, isBusy }) => ({
      tags,
      isStaying: isGone !== true,
      meaning: { ready: available(), ...(isBusy === true && { operation: 'update' as const }) },
      actual: {},
      status: {},
    }),
    compare: () => ({ change: {}, changed: [], refused: [], drifted: [], observation: { isUpToDate: true } }),
    tagsOf: () => requested,
    change: async (_managed, { id }, { tags }) => void calls.push(`change ${id} ${JSON.stringify(tags)}`),
    delete: async (_managed, id) => {
      calls.push(`delete ${id}`);
      held.delete(id);
    },
  });
  return { held, calls, way, put, client };
}

const deletionTimestamp = '2026-01-02T03:04:05Z';
const named = (id: string, more: object = {}) =>
  managed({}, { annotations: { [annotationKeys.externalName]: id }, ...more });
const unnamed = (more: object = {}) => managed({}, { annotations: {}, ...more });
const begun = { [annotationKeys.externalIdentity]: '{}' };

const { kind, name } = ownerOf(unnamed());
const ours = ownerTags({ kind, name });
const foreign = ownerTags({ kind, name: 'theirs' });

describe('a thing that the cloud gives its name is made once', () => {
  test('a resource that carries our tags already is adopted, and nothing else is created', async () => {
    const { client, put, calls } = cloud();
    put('thing-7', ours);
    assert.deepEqual(await client.create(unnamed(), undefined, signal), { externalName: 'thing-7' });
    assert.deepEqual(calls, []);
  });

  test('a resource with our tags that is being deleted is not adopted, and the creation reports it', async () => {
    const { client, put, way, calls } = cloud();
    put('thing-7', ours, { isGone: true });
    assert.deepEqual(await client.create(unnamed(), undefined, signal), { externalName: 'thing-2' });
    assert.deepEqual([calls, way.former], [['create'], ['thing-7']]);
  });

  test('a resource of another owner that the cloud returns as ours is not adopted', async () => {
    const { client, put } = cloud();
    put('thing-7', { ...ours, 'crossplane-name': name.toUpperCase() });
    assert.deepEqual(await client.create(unnamed(), undefined, signal), { externalName: 'thing-2' });
  });

  test('if several resources carry our tags, none is adopted', async () => {
    const { client, put, calls } = cloud();
    put('thing-7', ours);
    put('thing-8', ours);
    const creating = client.create(unnamed(), undefined, signal);
    await assert.rejects(creating, /^ExternalError: things thing-7, thing-8 all carry/);
    assert.deepEqual(calls, []);
  });

  test('a resource has the tags of its owner from its creation on, whatever tags a user asks for', async () => {
    const { client, held } = cloud({ team: 'a', 'crossplane-name': 'theirs', 'crossplane-class': 'theirs' });
    await client.create(unnamed(), undefined, signal);
    assert.deepEqual(held.get('thing-1')?.tags, { team: 'a', ...ownerTags(ownerOf(unnamed())) });
  });

  test('a creation whose answer is lost is found', async () => {
    const { client, way } = cloud();
    way.afterCreation = lost;
    assert.deepEqual(await client.create(unnamed(), undefined, signal), { externalName: 'thing-1' });
  });

  test('a creation whose answer is lost, and whose resource is not found, needs an administrator', async () => {
    const { client, way } = cloud();
    Object.assign(way, { afterCreation: lost, isBlind: true });
    await assert.rejects(client.create(unnamed(), undefined, signal), UncertainCreationError);
  });

  test('a creation whose answer is lost needs an administrator if the cloud lists no resources', async () => {
    const { client, way } = cloud();
    way.afterCreation = lost;
    const creating = client.create(unnamed(), undefined, signal);
    way.listing = new CloudError('not now', { status: 429, code: 'Throttling', isRetryable: true });
    await assert.rejects(creating, UncertainCreationError);
  });

  test('a creation that the cloud refused needs no administrator', async () => {
    const { client, way } = cloud();
    way.afterCreation = new CloudError('no', { status: 400, code: 'Invalid', isRetryable: false });
    await assert.rejects(client.create(unnamed(), undefined, signal), way.afterCreation);
  });
});

describe('a creation in a region that does not exist', () => {
  const nowhere = new CloudError('there is no such region', {
    status: 403,
    code: 'RegionRefused',
    isRetryable: false,
    isNowhere: true,
  });
  const failed = { ...begun, [annotationKeys.externalCreateFailed]: '2026-01-02T03:04:05Z' };
  const rows: Record<string, readonly [listing: CloudError, annotations: object, isNothing: boolean]> = {
    'left nothing if it is recorded as failed': [nowhere, failed, true],
    'may have left something if it is not recorded as failed': [nowhere, begun, false],
    'may have left something if the cloud lists no resources': [lost, failed, false],
  };
  for (const [what, [listing, annotations, isNothing]] of Object.entries(rows)) {
    test(what, async () => {
      const { client, way } = cloud();
      way.listing = listing;
      const leaving = unnamed({ deletionTimestamp, annotations });
      if (isNothing) {
        const observed = await client.observe(leaving, undefined, signal);
        assert.deepEqual(observed, { exists: false, isUpToDate: false });
        await client.delete(leaving, signal);
      } else await assert.rejects(client.observe(leaving, undefined, signal), listing);
    });
  }

  test('is not tried again', async () => {
    const { client, way } = cloud();
    way.listing = nowhere;
    const observed = await client.observe(unnamed({ annotations: failed }), undefined, signal);
    assert.deepEqual(observed, { exists: false, isUpToDate: false, uncreatable: 'there is no such region' });
  });
});

describe('a resource that got another owner after its observation', () => {
  test('is not observed as ours, nor changed', async () => {
    const { client, put, calls } = cloud();
    put('thing-7', foreign);
    await assert.rejects(client.observe(named('thing-7'), undefined, signal), /belongs to .* "theirs"/);
    await assert.rejects(client.update(named('thing-7'), undefined, signal), /belongs to .* "theirs"/);
    assert.deepEqual(calls, []);
  });

  test('counts as absent during a deletion, and is not deleted', async () => {
    const { client, put, calls } = cloud();
    put('thing-7', foreign);
    const leaving = named('thing-7', { deletionTimestamp });
    assert.equal((await client.observe(leaving, undefined, signal)).exists, false);
    await client.delete(leaving, signal);
    assert.deepEqual(calls, []);
  });
});

describe('a deletion without a name', () => {
  test('deletes the external resource of an interrupted creation', async () => {
    const { client, put, calls } = cloud();
    put('thing-6', ours, { isGone: true });
    put('thing-7', ours);
    const leaving = unnamed({ deletionTimestamp, annotations: begun });
    assert.equal((await client.observe(leaving, undefined, signal)).exists, true);
    await client.delete(leaving, signal);
    assert.deepEqual(calls, ['delete thing-7']);
  });

  test('deletes nothing if no creation began: an earlier resource of its name may have left that', async () => {
    const { client, put, calls } = cloud();
    put('thing-7', ours);
    const leaving = unnamed({ deletionTimestamp });
    assert.equal((await client.observe(leaving, undefined, signal)).exists, false);
    await client.delete(leaving, signal);
    assert.deepEqual(calls, []);
  });
});

test('a busy resource counts as up to date', async () => {
  const { client, put } = cloud({ team: 'a' });
  for (const isBusy of [false, true]) {
    put('thing-7', ours, { isBusy });
    assert.equal((await client.observe(named('thing-7'), undefined, signal)).isUpToDate, isBusy);
  }
});

test('tags that a user asks for do not change the owner', async () => {
  const { client, put, calls } = cloud({ team: 'a', 'crossplane-name': 'theirs' });
  put('thing-7', ownerTags(ownerOf(unnamed())));
  await client.update(named('thing-7'), undefined, signal);
  assert.deepEqual(calls, ['change thing-7 {"team":"a"}']);
});
