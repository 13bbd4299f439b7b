import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { z } from 'zod';
import { identity, immutable, late } from '../../../apis/core/marks.ts';
import type { ObjectKind } from '../../../apis/core/schema.ts';
import { optional, text } from '../../../apis/core/schema.ts';
import { available, getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { comparison, refuse } from '../../../controllers/author/comparison.ts';
import { defineStack, service } from '../../../controllers/author/define-stack.ts';
import type { ExternalClient } from '../../../controllers/managed/connecting/external-client.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import { FakeCluster, FakeProcess } from '../environment-fake.ts';

const names = { group: 'example.org', version: 'v1', stack: 'queues', description: 'A queue.' };
const providers = { provider: defineProvider(names), providerConfig: defineProviderConfig(names) };
const QueueKind = defineManaged(
  { ...names, kind: 'Queue', plural: 'queues' },
  z
    .object({
      region: optional(identity(text('Where it is.'))),
      sizeGb: optional(late(z.int().describe('How much it holds.'))),
      net: optional(
        z
          .object({
            cidr: optional(immutable(late(text('Its addresses.')))),
            mtu: optional(z.int().describe('How big.')),
          })
          .describe('Its network.'),
      ),
    })
    .describe('The queue as it should be.'),
  {},
);
type Queue = ObjectKind<typeof QueueKind>;

interface CloudQueue {
  readonly sizeGb: number;
  readonly net: { readonly cidr: string; readonly mtu: number };
}

/** A cloud with regions, and names of its own in each; without a region it uses `us`. */
class QueueCloud {
  readonly queues = new Map<string, CloudQueue>();
  /** The changes that it was asked for. */
  readonly changes: object[] = [];
  readonly client: ExternalClient<Queue> = {
    observe: async (queue) => {
      const found = this.queues.get(placeOf(queue));
      if (found === undefined) return { exists: false, isUpToDate: false };
      return { exists: true, ...compare(queue, found).observation, ready: available() };
    },
    create: async (queue) => {
      const { sizeGb = 1, net } = queue.spec.forProvider;
      this.queues.set(placeOf(queue), { sizeGb, net: { cidr: '10.0.0.0/16', mtu: 1500, ...net } });
      return {};
    },
    update: async (queue) => {
      const found = this.queues.get(placeOf(queue)) ?? assert.fail();
      const { change, refused, drifted } = compare(queue, found);
      this.changes.push(change);
      this.queues.set(placeOf(queue), { ...found, ...change, net: { ...found.net, ...change.net } });
      refuse({ refused, drifted });
      return {};
    },
    delete: async (queue) => void this.queues.delete(placeOf(queue)),
  };
}

const placeOf = (queue: Queue): string => `${queue.spec.forProvider.region ?? 'us'}/${externalName(queue)}`;
const compare = comparison(QueueKind);

const started: FakeProcess[] = [];
afterEach(() => {
  for (const process of started.splice(0)) process.stop();
});

/** A queue named `orders`, made and ready, behind an API server that knows no rules. */
async function made(spec: Partial<Queue['spec']>) {
  const [cluster, cloud] = [new FakeCluster(), new QueueCloud()];
  const stack = defineStack({
    name: 'queues',
    provider: { ...providers, connect: () => async () => ({ client: cloud.client }) },
    services: [
      service({
        managed: QueueKind,
        externalNames: 'deterministic',
        external: (client: ExternalClient<Queue>) => client,
      }),
    ],
  });
  const process = new FakeProcess(cluster, (env) => stackControllers(env, [stack]));
  started.push(process);
  cluster.put(QueueKind, {
    apiVersion: 'example.org/v1',
    kind: 'Queue',
    metadata: { name: 'orders' },
    spec: { forProvider: {}, ...spec },
  });
  await process.settle();
  const find = () => cluster.get(QueueKind, { name: 'orders' });
  const says = (type: string): string => {
    const { status, message } = getCondition(find()?.status?.conditions, type);
    return message === undefined ? status : `${status}: ${message}`;
  };
  assert.deepEqual([says('Ready'), says('Synced')], ['True', 'True']);
  return {
    cloud,
    find,
    says,
    edit: async (change: Partial<Queue['spec']>) => {
      cluster.edit(QueueKind, { name: 'orders' }, ({ spec: before, ...rest }) => ({
        ...rest,
        spec: { ...before, ...change },
      }));
      await process.settle();
    },
    remove: async () => {
      cluster.delete(QueueKind, { name: 'orders' });
      await process.settle();
    },
  };
}

const stays =
  'the external resource keeps the value of its creation; undo the edit, or create a new resource';

test('fields marked for late initialisation are filled in, within objects too, and no others', async () => {
  const { find } = await made({ forProvider: { region: 'eu' } });
  assert.deepEqual(find()?.spec.forProvider, { region: 'eu', sizeGb: 1, net: { cidr: '10.0.0.0/16' } });
});

describe('an edit that cannot take effect is reported with its field and the remedy, and creates no second queue', () => {
  test('while the other fields of the edit change', async () => {
    const spec = { forProvider: { region: 'eu', sizeGb: 2, net: { cidr: '10.1.0.0/16', mtu: 9000 } } };
    const edit = { forProvider: { region: 'us', sizeGb: 3, net: { cidr: '10.2.0.0/16', mtu: 1500 } } };
    const queue = await made(spec);
    await queue.edit(edit);
    assert.deepEqual(
      [queue.says('Synced'), queue.says('Ready')],
      [
        `False: cannot change spec.forProvider.region from "eu" to "us" and spec.forProvider.net.cidr from "10.1.0.0/16" to "10.2.0.0/16": ${stays}`,
        'True',
      ],
    );
    assert.deepEqual(queue.cloud.changes, [{ sizeGb: 3, net: { mtu: 1500 } }]);
    assert.deepEqual([...queue.cloud.queues.keys()], ['eu/orders']);
    await queue.edit(spec);
    assert.equal(queue.says('Synced'), 'True', 'taken back, all is well');
    await queue.edit(edit);
    await queue.remove();
    assert.deepEqual([queue.find(), [...queue.cloud.queues.keys()]], [undefined, []]);
  });
});
