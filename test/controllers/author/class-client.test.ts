import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { ObjectKind } from '../../../apis/core/schema.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { service } from '../../../controllers/author/define-stack.ts';
import type { PromptClient } from '../../../controllers/managed/connecting/external-client.ts';
import type { ManagedService } from '../../../controllers/managed/setup.ts';
import { managed } from '../objects.ts';

const names = { group: 'example.org', version: 'v1', stack: 'queues', description: 'A queue.' };
const providers = { provider: defineProvider(names), providerConfig: defineProviderConfig(names) };
const QueueKind = defineManaged(
  { ...names, kind: 'Queue', plural: 'queues' },
  z.object({}).describe('The queue as it should be.'),
  {},
);

class Base {
  async create() {
    return {};
  }
  async update() {
    return {};
  }
  async delete() {}
}

class QueueClient extends Base implements PromptClient<ObjectKind<typeof QueueKind>> {
  readonly #found = { exists: true, isUpToDate: true } as const;
  async observe() {
    return this.#found;
  }
}

const connectorOf = (external: () => unknown) => {
  const { managed: serviceOf } = service({
    managed: QueueKind,
    externalNames: 'deterministic',
    external: external as () => QueueClient,
  });
  const { connector }: ManagedService = serviceOf(providers, async () => ({ client: undefined }));
  return connector;
};
const { signal } = new AbortController();

for (const [made, name] of [
  [undefined, 'undefined'],
  [null, 'null'],
  [Promise.resolve(new QueueClient()), 'a promise'],
  [QueueClient, 'a function'],
]) {
  test(`an external client that is ${name} is reported by that name`, () =>
    assert.rejects(connectorOf(() => made).connect(managed(), signal), {
      message: `external returned ${name}, which must be an object`,
    }));
}

test('an external client can be an object of a class, with methods of its own and of another class', async () => {
  const client = await connectorOf(() => new QueueClient()).connect(managed(), signal);
  assert.deepEqual(await client.observe(managed(), undefined, signal), { exists: true, isUpToDate: true });
  assert.deepEqual(await client.create(managed(), undefined, signal), {});
});
