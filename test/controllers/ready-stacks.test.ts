import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { Stack } from '../../controllers/stack.ts';
import { stackControllers } from '../../controllers/stack.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal, managedService, providerConfigKind, providerKind } from './external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  service,
} from './objects.ts';

/** A stack that serves the claims with kinds of its own. */
function stackNamed(name: string) {
  const own = { group: `database.${name}.example.org` };
  const kinds = {
    class: { ...classKind, ...own } satisfies Kind<Class>,
    managed: { ...managedKind, ...own } satisfies Kind<Managed>,
    providers: {
      provider: { ...providerKind, ...own },
      providerConfig: { ...providerConfigKind, ...own },
    },
  };
  const external = new FakeExternal();
  const stack: Stack = {
    name,
    managed: () => [managedService(external, { kind: kinds.managed, providers: kinds.providers })],
    claims: [{ ...service, class: kinds.class, managed: kinds.managed }],
  };
  const specTemplate = { writeConnectionSecretsToNamespace: 'system', reclaimPolicy: 'Delete' } as const;
  const classWith = (labels: Readonly<Record<string, string>> = {}) =>
    resourceClass(`${name}-class`, { labels }, { kind: kinds.class, specTemplate });
  const named = claim(
    { classRef: classRef(`${name}-class`, kinds.class), writeConnectionSecretToRef: { name } },
    { name, uid: `uid-${name}` },
  );
  return { name, stack, kinds, external, classWith, claim: named };
}

const minuteMs = 60_000;
const orders: readonly (readonly [number, number, number])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

describe('three stacks that serve one claim kind', () => {
  let cluster: FakeCluster;
  let all: readonly ReturnType<typeof stackNamed>[];
  beforeEach(() => {
    cluster = new FakeCluster();
    all = ['acp', 'bcp', 'ccp'].map(stackNamed);
  });

  const start = () => {
    const log = recordedLog();
    const controllers: string[] = [];
    const process = new FakeProcess(
      cluster,
      (env) => {
        const made = stackControllers(
          env,
          all.map(({ stack }) => stack),
        );
        controllers.push(...made.map(({ name }) => name));
        return made;
      },
      { log },
    );
    /** The controllers of claims that ran because this stack became ready. */
    const ranFor = (stack: string) => [
      ...new Set(
        log.lines.flatMap(({ fields: { controller, because } }) =>
          (because as readonly string[] | undefined)?.includes(`the stack ${stack} is ready`)
            ? [String(controller).split('.')[0]]
            : [],
        ),
      ),
    ];
    return { process, ranFor, controllers };
  };
  const at = (name: string) => cluster.get(claimKind, { namespace: 'team', name });
  const readyOf = (name: string) => getCondition(at(name)?.status?.conditions, 'Ready');
  const phasesOf = (names: readonly string[]) => names.map((name) => at(name)?.status?.bindingPhase);

  for (const order of orders) {
    test(`become ready in the order ${order.join(', ')}: each claim is bound when its stack is ready`, async () => {
      const inOrder = order.map((index) => all[index]!);
      for (const { kinds, claim: each } of all) {
        cluster.withdraw(kinds.class);
        cluster.put(claimKind, each);
      }
      const lastOnly = { matchLabels: { size: 'huge' } };
      cluster.put(claimKind, claim({ classSelector: lastOnly }, { name: 'selecting', uid: 'uid-selecting' }));
      cluster.put(claimKind, claim({}, { name: 'classless', uid: 'uid-classless' }));
      const { process, ranFor, controllers } = start();
      await process.settle(minuteMs);
      assert.deepEqual(cluster.takeWrites(), [], 'no stack is ready, so nothing is decided');

      for (const [index, { name, kinds, classWith }] of inOrder.entries()) {
        const isLast = index === inOrder.length - 1;
        cluster.serve(kinds.class);
        cluster.put(kinds.class, classWith(isLast ? { size: 'huge' } : {}));
        await process.settle(minuteMs);
        const names = inOrder.map((each) => each.name);
        const [ready, waiting] = [names.slice(0, index + 1), names.slice(index + 1)];
        assert.deepEqual(
          phasesOf(ready),
          ready.map(() => 'Bound'),
        );
        assert.deepEqual(
          waiting.map((each) => [readyOf(each).reason, at(each)?.status?.consideredKinds?.length]),
          waiting.map(() => ['UnknownKind', index + 1]),
        );
        assert.equal(readyOf('classless').reason, 'NoDefaultClass');
        assert.equal(at('classless')?.status?.consideredKinds?.length, index + 1);
        assert.equal(phasesOf(['selecting'])[0], isLast ? 'Bound' : 'Unbound');
        if (index > 0) assert.deepEqual(ranFor(name).toSorted(), ['binding', 'defaulting', 'scheduling']);
        else assert.deepEqual(ranFor(name), [], 'the controllers begin with it');
      }
      assert.deepEqual(
        inOrder.map(({ external }) => external.resources.size),
        [1, 1, 2],
      );
      assert.equal(controllers.length, new Set(controllers).size, 'no controller was made again');
      assert.deepEqual(process.errors, []);
    });
  }

  test('a stack that RBAC forbids to list stops every decision about claims, and no managed resource', async () => {
    const [first, second, third] = all;
    for (const { kinds, claim: each, classWith } of all) {
      cluster.put(claimKind, each);
      cluster.put(kinds.class, classWith());
    }
    const byHand = {
      ...managed({ writeConnectionSecretToRef: { namespace: 'system', name: 'by-hand' } }),
      apiVersion: 'database.acp.example.org/v1alpha3',
    };
    cluster.put(first!.kinds.managed, byHand);
    cluster.withdraw(third!.kinds.managed, { isForbidden: true });
    const { process } = start();
    await process.settle(10 * minuteMs);
    assert.deepEqual(phasesOf(['acp', 'bcp', 'ccp']), [undefined, undefined, undefined]);
    assert.equal(first!.external.resources.size, 1, 'the resource that was created by hand');
    assert.equal(second!.external.resources.size, 0);
    cluster.serve(third!.kinds.managed);
    await process.settle(minuteMs);
    assert.deepEqual(phasesOf(['acp', 'bcp', 'ccp']), ['Bound', 'Bound', 'Bound']);
  });

  describe('after a restart without one of them', () => {
    const late = () => all[1]!;
    const restarted = async (meanwhile: () => void) => {
      for (const { kinds, claim: each, classWith } of all) {
        cluster.put(claimKind, each);
        cluster.put(kinds.class, classWith());
      }
      const former = start().process;
      await former.settle(minuteMs);
      assert.deepEqual(phasesOf(['acp', 'bcp', 'ccp']), ['Bound', 'Bound', 'Bound']);
      former.stop();
      cluster.withdraw(late().kinds.managed);
      meanwhile();
      cluster.takeWrites();
      const { process, ranFor } = start();
      await process.settle(minuteMs);
      return { process, ranFor };
    };

    test('the claims of the missing stack stay as they are, and a changed Secret is copied when the stack is ready', async () => {
      const copy = () => decodeDetails(cluster.get(SecretKind, { namespace: 'team', name: 'bcp' }));
      const { process, ranFor } = await restarted(() => {
        const resource = cluster.all(late().kinds.managed)[0];
        const key = resource?.spec.writeConnectionSecretToRef ?? assert.fail('no Secret');
        const { data } = cluster.get(SecretKind, key) ?? {};
        cluster.edit(SecretKind, key, (secret) => ({
          ...secret,
          data: { ...data, ...encodeDetails({ note: 'changed' }) },
        }));
      });
      assert.deepEqual([cluster.takeWrites(), copy().note], [[], undefined]);
      cluster.serve(late().kinds.managed);
      await process.settle(minuteMs);
      assert.equal(copy().note, 'changed');
      assert.ok(ranFor('bcp').includes('propagation'));
      assert.deepEqual(phasesOf(['bcp']), ['Bound']);
    });

    test('a claim that a user deleted during that time ends with its resource, once that stack is ready', async () => {
      const key = { namespace: 'team', name: 'bcp' };
      const { process, ranFor } = await restarted(() => cluster.delete(claimKind, key));
      assert.deepEqual(cluster.takeWrites(), []);
      const resource = cluster.all(late().kinds.managed)[0];
      assert.deepEqual(
        [resource?.metadata.deletionTimestamp, late().external.resources.size],
        [undefined, 1],
      );
      cluster.serve(late().kinds.managed);
      await process.settle(minuteMs);
      assert.ok(ranFor('bcp').includes('binding'));
      assert.deepEqual(
        [at('bcp'), cluster.get(SecretKind, key), cluster.all(late().kinds.managed)],
        [undefined, undefined, []],
      );
      assert.equal(late().external.resources.size, 0);
      assert.deepEqual(process.errors, []);
    });

    test('a malformed resource of it stops no other one', async () => {
      const key = { namespace: 'team', name: 'bcp' };
      const { process, ranFor } = await restarted(() => {
        const { group, version, kind } = late().kinds.managed;
        cluster.put(late().kinds.managed, {
          apiVersion: `${group}/${version}`,
          kind,
          metadata: { name: 'a-odd' },
        } as Managed);
        cluster.delete(claimKind, key);
      });
      cluster.serve(late().kinds.managed);
      await process.settle(minuteMs);
      assert.deepEqual(ranFor('bcp'), ['binding']);
      assert.equal(at('bcp'), undefined);
      assert.deepEqual(process.brokenTriggers, []);
    });

    test('a resource whose claim was removed by force is deleted when it is ready', async () => {
      const { process } = await restarted(() => {
        const key = { namespace: 'team', name: 'bcp' };
        cluster.edit(claimKind, key, ({ metadata: { finalizers: _none, ...metadata }, ...rest }) => ({
          ...rest,
          metadata,
        }));
        cluster.delete(claimKind, key);
      });
      assert.deepEqual(cluster.takeWrites(), []);
      cluster.serve(late().kinds.managed);
      await process.settle(minuteMs);
      assert.deepEqual([cluster.all(late().kinds.managed), late().external.resources.size], [[], 0]);
    });
  });
});
