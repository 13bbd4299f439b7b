import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, creating } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { namedByUs } from '../../../controllers/author/named-by-us.ts';
import { ownerOf } from '../../../controllers/author/whose-is.ts';
import { managed } from '../core/objects.ts';

const { signal } = new AbortController();
const published = managed({ writeConnectionSecretToRef: { namespace: 'infra', name: 'db' } });

/** A database that the cloud is in this state with; it says that it is ready, or what else. Writes are taken down in `asked`. */
const database = (isOnline: boolean, ready: ReadyFacts, asked: unknown[] = []) =>
  namedByUs<Managed, object, object, object>({
    noun: 'database',
    generatePassword: () => 'generated',
    things: {
      get: async () => ({}),
      list: async () => [],
      create: async () => ({}),
      update: async (_name, change) => {
        asked.push(change);
        return {};
      },
      delete: async () => {
        asked.push('delete');
      },
    },
    newThing: () => ({}),
    seen: () => ({
      tags: ownerTags(ownerOf(published)),
      isKnown: true,
      isOnline,
      meaning: { ready, ...(!isOnline && { operation: 'update' as const }) },
      actual: {},
      access: { endpoint: 'db.example', port: 5432, type: 'postgresql', username: 'app' } as never,
      status: {},
    }),
    compare: () => ({ change: {}, refused: [], drifted: [], observation: {} }) as never,
    change: () => ({}),
    retag: (tags) => tags,
    unprotecting: () => ({ protected: false }),
    setPassword: (password) => ({ password }),
  });

describe('what the cloud protects', () => {
  test('loses its protection before it is deleted', async () => {
    const asked: unknown[] = [];
    await database(true, available(), asked).delete(published, signal);
    assert.deepEqual(asked, [{ protected: false }, 'delete']);
  });

  test('keeps its protection where policies do not allow Update, which is said before the cloud refuses', async () => {
    const asked: unknown[] = [];
    const spec = { ...published.spec, managementPolicies: ['Observe', 'Delete'] as const };
    await assert.rejects(database(true, available(), asked).delete({ ...published, spec }, signal), {
      message:
        'database "db" is protected against deletion, and spec.managementPolicies do not allow Update to take that away; add Create and Update',
    });
    assert.deepEqual(asked, []);
  });
});

describe('a database whose password nobody knows', () => {
  for (const [what, isOnline] of [
    ['is not ready', true],
    [
      'is not ready while the cloud is at something else with it either, which it can be used meanwhile',
      false,
    ],
  ] as const) {
    test(what, async () => {
      const { ready, setsCredentials } = await database(isOnline, available()).observe(published, {}, signal);
      assert.deepEqual([ready?.status, setsCredentials], ['False', true]);
      const known = await database(isOnline, available()).observe(published, { password: 'known' }, signal);
      assert.deepEqual([known.ready?.status, known.setsCredentials], ['True', undefined]);
    });
  }

  test('says what keeps it from being used, if that is something else', async () => {
    const { ready } = await database(false, creating()).observe(published, {}, signal);
    assert.deepEqual(ready, creating());
  });
});
