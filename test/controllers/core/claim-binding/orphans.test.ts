import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { referenceTo } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { propagationTargets, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import { ApiError } from '../../../../runtime/client/errors.ts';
import { done } from '../../../../runtime/controller/reconcile.ts';
import { recordedLog } from '../../../fakes/recorded-log.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  otherService,
  peersOf,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

/* Managed resources that name a claim which is gone, though nobody let go of them. */

const key = { namespace: 'team', name: 'orders' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const dynamic = claim({ ...conn, classRef: classRef('small') });
const byName = claim({ ...conn, resourceRef: resourceRef('db') });
const sourceKey = { namespace: 'system', name: 'src' };

/** A proxy's page, which is no answer of the API server. */
const page = () => new ApiError('<html>404</html>', { code: 404, reason: 'Unknown' });

/** Somebody makes a claim vanish without asking its finalizer. */
function vanish(cluster: FakeCluster, of = key): void {
  cluster.edit<Claim>(claimKind, of, (found) => ({
    ...found,
    metadata: { ...found.metadata, finalizers: [] },
  }));
  cluster.delete(claimKind, of);
}

/** Somebody has a managed resource's claimRef name another claim, or nobody. */
const point = (cluster: FakeCluster, name: string, claimRef: Managed['spec']['claimRef']): Managed =>
  cluster.edit<Managed>(managedKind, { name }, ({ spec: { claimRef: _former, ...spec }, ...rest }) => ({
    ...rest,
    spec: { ...spec, ...(claimRef && { claimRef }) },
  }));

/** An administrator offers a managed resource to who waits for it. */
const offer = (cluster: FakeCluster, name: string): Managed =>
  cluster.edit<Managed>(managedKind, { name }, (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      annotations: { ...found.metadata.annotations, 'crossplane.io/reoffer': 'true' },
    },
  }));

/** What a condition of a claim says. */
const saidOf = (cluster: FakeCluster, of: typeof key, type: 'Ready' | 'Synced'): string =>
  getCondition(cluster.get<Claim>(claimKind, of)?.status?.conditions, type).message ?? '';

async function worldOf(subject: Claim, reclaimPolicy: 'Delete' | 'Retain' = 'Delete') {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system', reclaimPolicy };
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(managedKind, managed({ writeConnectionSecretToRef: sourceKey, reclaimPolicy }));
  const external = new FakeExternal();
  const process = await startStack(cluster, external).settle();
  cluster.put(claimKind, subject);
  await process.settle();
  const name = cluster.get(claimKind, key)?.spec.resourceRef?.name ?? assert.fail('no resource');
  cluster.takeWrites();
  return { cluster, external, process, name, resource: () => cluster.get(managedKind, { name }) };
}

const consent = (cluster: FakeCluster) =>
  cluster.all(SecretKind).flatMap((secret: Secret) => propagationTargets(secret));

const subjects = { provisioned: dynamic, 'made by hand': byName };
for (const [what, subject] of Object.entries(subjects)) {
  for (const isRunning of [true, false]) {
    const when = isRunning ? 'while the process runs' : 'while no process runs';
    describe(`a claim vanishes ${when}, bound to a resource ${what}`, () => {
      const lose = async (policy: 'Delete' | 'Retain') => {
        const world = await worldOf(subject, policy);
        const { cluster, external } = world;
        assert.equal(world.resource()?.status?.bindingPhase, 'Bound');
        if (!isRunning) world.process.stop();
        vanish(cluster);
        const process = isRunning ? world.process : startStack(cluster, external);
        await process.settle(70_000);
        assert.deepEqual(process.errors, []);
        return { ...world, process };
      };

      test('Delete: the resource goes, and its secrets', async () => {
        const { cluster, external, name } = await lose('Delete');
        assert.equal(cluster.get(managedKind, { name }), undefined);
        assert.equal(external.things.has(name), false);
        assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
        assert.deepEqual(consent(cluster), []);
      });

      test('Retain: it is Released, and the Event says why', async () => {
        const { cluster, external, name, process, resource } = await lose('Retain');
        assert.deepEqual(
          [resource()?.spec.claimRef, resource()?.status?.bindingPhase],
          [undefined, 'Released'],
        );
        assert.equal(external.things.has(name), true);
        assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
        assert.deepEqual(consent(cluster), []);
        const told = process.events.filter(({ reason }) => reason === 'ClaimNotFound');
        assert.deepEqual(
          told.map(({ object, type }) => [object, type]),
          [[`FavouriteDBInstance ${name}`, 'Warning']],
        );
        assert.match(told[0]?.message ?? '', /FancySQLInstance team\/orders .*no longer exists/);
        cluster.takeWrites();
        process.resync(claimKind, managedKind);
        await process.settle(70_000);
        assert.deepEqual(cluster.takeWrites(), []);
      });
    });
  }
}

/** What somebody makes of the claimRef of a bound resource, by a slip of the hand. */
const slips: Readonly<Record<string, Partial<NonNullable<Managed['spec']['claimRef']>>>> = {
  'a name that does not exist': { name: 'typo' },
  'a namespace that does not exist': { namespace: 'elsewhere' },
  'another claim': { name: 'other' },
  'a claim that does not exist, UID and all': { name: 'typo', uid: 'nobody' },
};
describe('a claimRef is edited while its claim lives', () => {
  for (const [what, subject] of Object.entries(subjects)) {
    for (const policy of ['Delete', 'Retain'] as const) {
      describe(`of a resource ${what}, policy ${policy}`, () => {
        for (const [slip, edit] of Object.entries(slips)) {
          test(`to ${slip}: nothing is lost, everybody is told how to mend it, and the claim's end is its end`, async () => {
            const { cluster, external, process, name, resource } = await worldOf(subject, policy);
            cluster.put(claimKind, claim({ classRef: classRef('none') }, { name: 'other', uid: 'other' }));
            const claimRef = resource()?.spec.claimRef ?? assert.fail('it names nobody');
            point(cluster, name, { ...claimRef, ...edit });
            await process.settle(70_000);
            assert.deepEqual(process.errors, []);
            assert.equal(resource()?.metadata.deletionTimestamp, undefined);
            assert.deepEqual(resource()?.spec.claimRef, { ...claimRef, ...edit });
            assert.equal(external.things.has(name), true);
            const command = `kubectl patch ${managedKind.plural}.${managedKind.group} ${name} --type=merge -p '{"spec":{"claimRef":{`;
            const synced = saidOf(cluster, key, 'Synced');
            assert.ok(synced.includes(command), synced);
            const told = process.events.find(({ reason }) => reason === 'ClaimNotFound');
            assert.ok(told?.message.includes(command), told?.message);

            const patch = /-p '(.*)'$/.exec(synced)?.[1] ?? '';
            point(cluster, name, (JSON.parse(patch) as Pick<Managed, 'spec'>).spec.claimRef);
            await process.settle(1_000);
            const { bindingPhase, conditions } = cluster.get<Claim>(claimKind, key)?.status ?? {};
            assert.deepEqual([bindingPhase, getCondition(conditions, 'Ready').status], ['Bound', 'True']);

            point(cluster, name, { ...claimRef, ...edit });
            await process.settle(70_000);
            cluster.delete(claimKind, key);
            await process.settle(70_000);
            assert.equal(cluster.get(claimKind, key), undefined);
            // By another UID it is nobody's any more, and whoever wrote that has to say what becomes of it.
            const isKept = policy === 'Retain' || 'uid' in edit;
            assert.equal(external.things.has(name), isKept);
            const last = process.events.findLast(({ reason }) => reason === 'ClaimNotFound');
            if ('uid' in edit)
              assert.match(
                last?.message ?? '',
                /it was another claim's, which is gone, so that nothing is done/,
              );
            assert.deepEqual(process.errors, []);
          });
        }
      });
    }
  }
});

/** Another tenant's claim that names a resource which is none of his. */
const rival = claim({ ...conn }, { namespace: 'rivals', uid: 'rivals-uid' });
const rivalsKey = { namespace: 'rivals', name: 'orders' };
const naming = (name: string): Claim => ({
  ...rival,
  spec: { ...rival.spec, resourceRef: resourceRef(name) },
});

describe('what is on record for a claim that is there is nobody else’s', () => {
  for (const [what, subject] of Object.entries(subjects)) {
    describe(`of a resource ${what}`, () => {
      /** The claimRef that somebody writes; undefined: none. */
      const edits = {
        'is taken away': undefined,
        'names another tenant, UID and all': referenceTo(rival),
        'names another tenant, to whose claim it is to be given': omit(referenceTo(rival), 'uid'),
      };
      for (const [edit, claimRef] of Object.entries(edits)) {
        test(`a claimRef that ${edit} gives it to nobody, offered or not, and who waits for it is told no command`, async () => {
          const { cluster, external, process, name, resource } = await worldOf(subject);
          cluster.put(claimKind, naming(name));
          await process.settle();
          point(cluster, name, claimRef);
          await process.settle(70_000);
          const said = saidOf(cluster, rivalsKey, 'Ready');
          assert.match(said, /it is FancySQLInstance team\/orders's$/);
          const mine = saidOf(cluster, key, 'Synced');
          assert.match(mine, /; to give it back: kubectl patch /);
          const told = process.events.filter(({ reason }) => reason === 'ClaimNotFound');
          assert.ok(
            told.some(({ object, message }) => object.endsWith(name) && /; to give it back: /.test(message)),
            'the resource is told, too',
          );
          offer(cluster, name);
          await process.settle(70_000);
          assert.equal(cluster.get(SecretKind, { ...rivalsKey, name: 'conn' }), undefined);
          assert.notEqual(cluster.get<Claim>(claimKind, rivalsKey)?.status?.bindingPhase, 'Bound');

          cluster.delete(claimKind, rivalsKey);
          await process.settle(70_000);
          assert.equal(cluster.get(claimKind, rivalsKey), undefined);
          assert.equal(resource()?.metadata.deletionTimestamp, undefined);
          assert.equal(external.things.has(name), true);
          assert.deepEqual(process.errors, []);
        });
      }

      test('where its claimRef has the name of another claim, which is there, it goes with its own, and is told nothing else', async () => {
        const { cluster, process, name, resource } = await worldOf(subject);
        const { resourceRef: _, ...spec } = dynamic.spec;
        cluster.put(claimKind, { ...rival, spec: { ...spec, classRef: classRef('small') } });
        await process.settle(70_000);
        point(cluster, name, { ...resource()?.spec.claimRef, ...omit(referenceTo(rival), 'uid') });
        cluster.delete(claimKind, key);
        await process.settle(70_000);
        assert.equal(resource(), undefined);
        const told = process.events.filter(({ reason }) => reason === 'ClaimNotFound');
        assert.deepEqual(
          told.filter(({ message }) => /nothing is done; delete this resource/.test(message)),
          [],
        );
        assert.match(told.at(-1)?.message ?? '', /no longer exists: reclaimed by its policy, Delete$/);
        assert.equal(cluster.get<Claim>(claimKind, rivalsKey)?.status?.bindingPhase, 'Bound');
      });

      test('once its claim has gone, who waits for it may have it, if it is offered; and the resource is told', async () => {
        const { cluster, process, name, resource } = await worldOf(subject);
        cluster.put(claimKind, naming(name));
        point(cluster, name, undefined);
        await process.settle(70_000);
        cluster.delete(claimKind, key);
        await process.settle(70_000);
        const told = process.events.filter(({ reason }) => reason === 'ClaimNotFound');
        assert.match(
          told.at(-1)?.message ?? '',
          /whose it was and which goes, so that nothing is done; delete this resource, and with it, unless its policies keep that, what it stands for; or offer it again, with what it may hold of that claim: write the claim that is to have it into its spec\.claimRef/,
        );
        const waiting = saidOf(cluster, rivalsKey, 'Ready');
        assert.match(waiting, /an administrator can offer it to this claim: kubectl patch /);
        offer(cluster, name);
        await process.settle(70_000);
        assert.equal(cluster.get<Claim>(claimKind, rivalsKey)?.status?.bindingPhase, 'Bound');
        assert.equal(
          resource()?.metadata.annotations?.['crossplane.io/reoffer'],
          undefined,
          'an offer is for one claim',
        );
        assert.deepEqual(process.errors, []);
      });
    });
  }

  for (const [whom, claimRef] of Object.entries({
    'a claim that does not exist, UID and all': { ...referenceTo(rival), name: 'typo', uid: 'nobody' },
    'another tenant, UID and all': referenceTo(rival),
  })) {
    test(`one that was replaced with its first manifest, and names ${whom}, is its claim's as the status says`, async () => {
      const { cluster, external, process, name, resource } = await worldOf(byName);
      cluster.put(claimKind, naming(name));
      cluster.edit<Managed>(managedKind, { name }, ({ spec, metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: {} },
        spec: { ...spec, claimRef },
      }));
      await process.settle(70_000);
      assert.equal(resource()?.metadata.deletionTimestamp, undefined);
      assert.match(saidOf(cluster, key, 'Synced'), /; to give it back: kubectl patch /);
      cluster.delete(claimKind, rivalsKey);
      await process.settle(70_000);
      assert.equal(cluster.get(claimKind, rivalsKey), undefined);
      assert.equal(resource()?.metadata.deletionTimestamp, undefined);
      cluster.delete(claimKind, key);
      await process.settle(70_000);
      assert.equal(cluster.get(claimKind, key), undefined);
      assert.deepEqual([external.things.has(name), process.errors], [true, []]);
      assert.match(
        process.events.findLast(({ reason }) => reason === 'ClaimNotFound')?.message ?? '',
        /so that nothing is done; delete this resource, and with it, unless its policies keep that, what it stands for; or offer it again, /,
      );
    });
  }

  test('a tenant whose claim has its own is not given another by naming it, where that names his by a slip', async () => {
    const { cluster, external, process, name, resource } = await worldOf(dynamic);
    cluster.put(
      claimKind,
      claim({ ...conn, classRef: classRef('small') }, { namespace: 'rivals', uid: 'rivals-uid' }),
    );
    await process.settle();
    const own = cluster.get<Claim>(claimKind, rivalsKey)?.spec.resourceRef?.name;
    point(cluster, name, referenceTo(rival));
    cluster.edit<Claim>(claimKind, rivalsKey, (found) => ({
      ...found,
      spec: { ...found.spec, resourceRef: resourceRef(name) },
    }));
    await process.settle(70_000);
    const { conditions, bindingPhase } = cluster.get<Claim>(claimKind, rivalsKey)?.status ?? {};
    assert.equal(bindingPhase, 'Bound');
    assert.match(getCondition(conditions, 'Synced').message ?? '', /so that this has no effect/);
    cluster.delete(claimKind, rivalsKey);
    await process.settle(70_000);
    assert.deepEqual(
      [cluster.get(managedKind, { name: own ?? '' }), external.things.has(own ?? '')],
      [undefined, false],
    );
    assert.equal(resource()?.metadata.deletionTimestamp, undefined);
    assert.equal(external.things.has(name), true);
  });
});

describe('a claim that is gone is not believed to be without proof', () => {
  test('neither a proxy page nor a refusal proves it: it is asked again until the API server says so', async () => {
    for (const answer of [page, forbidden]) {
      const { cluster, external, process, resource } = await worldOf(byName);
      process.stop();
      vanish(cluster);
      cluster.gate = ({ verb, kind }) => {
        if (verb === 'get' && kind === claimKind.kind) throw answer();
      };
      const second = await startStack(cluster, external).settle(300);
      assert.deepEqual(cluster.takeWrites(), []);
      assert.equal(resource()?.status?.bindingPhase, 'Bound');
      assert.ok(second.errors.length > 0, 'it is logged');
      cluster.gate = () => {};
      await second.settle(70_000);
      assert.equal(resource(), undefined);
    }
  });

  test('a proxy page in the middle of a deletion delays it, whatever call it answers', async () => {
    for (const policy of ['Delete', 'Retain'] as const) {
      const ends: unknown[] = [];
      for (let k = 0; ; k += 1) {
        const { cluster, process, resource } = await worldOf(byName, policy);
        let calls = 0;
        let isAnswered = false;
        cluster.gate = ({ kind }) => {
          calls += 1;
          if (calls - 1 !== k || kind === 'Event') return;
          isAnswered = true;
          throw page();
        };
        cluster.delete(claimKind, key);
        await process.settle(30_000);
        ends.push([
          cluster.all(claimKind).length,
          resource()?.status?.bindingPhase,
          resource()?.spec.claimRef,
          consent(cluster),
        ]);
        assert.deepEqual(
          ends.at(-1),
          [0, policy === 'Delete' ? undefined : 'Released', undefined, []],
          `call ${k}`,
        );
        if (!isAnswered) break;
      }
      assert.ok(ends.length > 3, `${ends.length} calls`);
    }
  });

  test('a claim that only the store does not show yet keeps what it has', async () => {
    const { cluster, external, process, resource } = await worldOf(byName);
    const { status, ...found } = cluster.get(claimKind, key) ?? assert.fail('no claim');
    process.stop();
    vanish(cluster);
    const late = startStack(cluster, external);
    late.hold(claimKind);
    cluster.put(claimKind, { ...found, ...(status && { status }) });
    await late.settle(70_000);
    assert.deepEqual([cluster.takeWrites(), late.errors], [[], []]);
    assert.ok(!late.events.some(({ reason }) => reason === 'ClaimNotFound'));
    assert.equal(resource()?.status?.bindingPhase, 'Bound');
  });

  /** A claim whose resource is recorded and not made yet, and what became of it since, which its process does not see. */
  async function recordedOnly(since: (cluster: FakeCluster) => unknown) {
    const cluster = new FakeCluster();
    cluster.put(classKind, resourceClass('small', {}, { specTemplate: {} }));
    cluster.put(claimKind, dynamic);
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'create' && kind === managedKind.kind) throw page();
    };
    const process = await startStack(cluster, new FakeExternal()).settle();
    assert.ok(cluster.get<Claim>(claimKind, key)?.spec.resourceRef, 'it is recorded');
    process.hold(claimKind);
    since(cluster);
    cluster.gate = () => {};
    cluster.takeWrites();
    return { cluster, process };
  }

  test('what was recorded is not made for a claim that has gone since, which a store still has', async () => {
    const { cluster, process } = await recordedOnly(vanish);
    await process.settle(70_000);
    assert.deepEqual(cluster.takeWrites(), []);
  });

  test('nor for one that was bound meanwhile, as the store does not show, to what has gone since', async () => {
    const { cluster, process } = await recordedOnly((all) =>
      all.edit<Claim>(claimKind, key, (claim) => ({
        ...claim,
        status: { ...claim.status, bindingPhase: 'Bound' as const },
      })),
    );
    await process.settle(70_000);
    assert.deepEqual(
      cluster.takeWrites().filter((write) => write.startsWith('create')),
      [],
    );
    assert.equal(cluster.get<Claim>(claimKind, key)?.status?.bindingPhase, 'Released');
  });

  test('an answer about the claim that is older than what is known holds nothing up', async () => {
    const { cluster, process } = await recordedOnly((all) => {
      const claim = all.get<Claim>(claimKind, key) ?? assert.fail('no claim');
      const older = { ...claim, metadata: { ...claim.metadata, resourceVersion: '1' } };
      const { get } = all.client;
      const answer: typeof get = async (kind, ...rest) =>
        kind.kind === claimKind.kind ? (older as never) : get(kind, ...rest);
      Object.assign(all.client, { get: answer });
    });
    await process.settle(70_000);
    assert.equal(cluster.all(managedKind).length, 1);
  });

  test("--namespace: what is bound to another namespace's claim is no orphan", async () => {
    const { cluster, external, process, resource } = await worldOf(byName);
    process.stop();
    const before = resource();
    vanish(cluster);
    const narrow = await startStack(cluster, external, { claimNamespaces: ['others'] }).settle(70_000);
    assert.deepEqual([cluster.takeWrites(), narrow.errors, resource()], [[], [], before]);
    assert.ok(!cluster.calls.some(({ verb, kind }) => verb === 'get' && kind === claimKind.kind));
    narrow.stop();
    await startStack(cluster, external, { claimNamespaces: ['others', 'team'] }).settle(70_000);
    assert.equal(resource(), undefined);
  });
});

test("--namespace: a request for another namespace's claim is not trusted, whoever makes it", async () => {
  const { cluster, process, resource } = await worldOf(byName);
  process.stop();
  const before = resource();
  vanish(cluster);
  const { env } = new FakeProcess(cluster, undefined, { claimNamespaces: ['others'] });
  const { reconcile } = claimBindingController(env, service, peersOf(service));
  assert.deepEqual(await reconcile(key, new AbortController().signal, env.log), {
    ...done,
    decision: 'ClaimGone',
  });
  assert.deepEqual([cluster.takeWrites(), resource()], [[], before]);
});

describe('a resource that comes of a creation that was given up, when its claim is gone', () => {
  /** What the process makes of it, if `answer` was the creation's and `meanwhile` happens before it is carried out. */
  async function late(
    answer: ApiError,
    meanwhile: (process: FakeProcess, restart: () => FakeProcess) => FakeProcess | Promise<FakeProcess>,
  ) {
    const { cluster, external, process, name, resource } = await worldOf(dynamic);
    const { status: _status, ...made } = resource() ?? assert.fail('no resource');
    cluster.delete(claimKind, key);
    await process.settle(70_000);
    assert.deepEqual([cluster.all(claimKind), resource(), external.things.size], [[], undefined, 1]);

    cluster.gate = ({ verb, kind }) => {
      if (verb === 'create' && kind === managedKind.kind) throw answer;
    };
    const subject = claim(dynamic.spec, { uid: 'second-life' });
    cluster.put(claimKind, subject);
    await process.settle(1_000);
    const wanted = cluster.get(claimKind, key)?.spec.resourceRef?.name ?? assert.fail('nothing is recorded');
    cluster.delete(claimKind, key);
    await process.settle(70_000);
    assert.deepEqual([cluster.all(claimKind), cluster.get(managedKind, { name: wanted })], [[], undefined]);
    const after = await meanwhile(process, () => {
      process.stop();
      return startStack(cluster, external);
    });
    const claimRef = { ...made.spec.claimRef, uid: 'second-life' } as Managed['spec']['claimRef'];
    const { uid: _uid, deletionTimestamp: _deletion, finalizers: _finalizers, ...metadata } = made.metadata;
    const spec = { ...made.spec, claimRef };
    cluster.put(managedKind, { ...made, metadata: { ...metadata, name: wanted }, spec } as Managed);
    await after.settle(70_000);
    return { left: cluster.get(managedKind, { name: wanted }), things: external.things.has(name) };
  }
  const timeout = new ApiError('no answer', { code: 0, reason: 'Timeout' });
  const refusal = new ApiError('denied', { code: 403, reason: 'Forbidden' });
  const gone = { left: undefined, things: false };

  test('it goes by its policy', async () =>
    assert.deepEqual(await late(timeout, (process) => process), gone));

  test('but not where another process had given it up, nor long after, nor where the creation was refused', async () => {
    const others = [
      await late(timeout, (_process, restart) => restart()),
      await late(timeout, async (process) => await process.settle(5 * 60_000)),
      await late(refusal, (process) => process),
    ];
    for (const { left, things } of others) assert.deepEqual([left !== undefined, things], [true, true]);
  });
});

describe('a claim of the same name takes the place of one that vanished', () => {
  test('it gets a resource of its own, and the old one is let go', async () => {
    const { cluster, external, process, name } = await worldOf(dynamic);
    process.stop();
    vanish(cluster);
    cluster.put(claimKind, claim(dynamic.spec, { uid: 'second-life' }));
    const second = await startStack(cluster, external).settle(70_000);
    const now = cluster.get(claimKind, key);
    assert.equal(now?.status?.bindingPhase, 'Bound');
    assert.notEqual(now.spec.resourceRef?.name, name);
    assert.equal(cluster.get(managedKind, { name }), undefined);
    assert.deepEqual(second.errors, []);
  });

  test('it names the old one: it is told that it cannot have it, and nothing is deleted', async () => {
    const { cluster, external, process, resource } = await worldOf(byName);
    process.stop();
    vanish(cluster);
    const before = resource();
    cluster.put(claimKind, claim(byName.spec, { uid: 'second-life' }));
    await startStack(cluster, external).settle(70_000);
    assert.deepEqual(resource(), before);
    const ready = getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Ready');
    assert.match(ready.message ?? '', /belonged to a former/);
  });

  test('the controller of another kind lets go of what its kind holds', async () => {
    const { cluster, external, process, resource } = await worldOf(byName);
    process.stop();
    vanish(cluster);
    const elsewhere = { classRef: classRef('small', otherService.class) };
    cluster.put(claimKind, claim(elsewhere, { uid: 'second-life' }));
    await startStack(cluster, external, { services: [otherService, service] }).settle(70_000);
    assert.equal(resource(), undefined);
  });
});

describe('a claim that vanishes before it was bound', () => {
  const obstruct = (cluster: FakeCluster) => {
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'create' && kind === 'Secret') throw forbidden();
    };
  };

  test('a resource made by hand is free again', async () => {
    const cluster = new FakeCluster();
    cluster.put(managedKind, managed({ reclaimPolicy: 'Delete', writeConnectionSecretToRef: sourceKey }));
    const external = new FakeExternal();
    const process = await startStack(cluster, external).settle();
    const before = cluster.get(managedKind, { name: 'db' });
    obstruct(cluster);
    cluster.put(claimKind, byName);
    await process.settle(500);
    assert.equal(cluster.get(managedKind, { name: 'db' })?.spec.claimRef?.uid, 'claim-uid');
    vanish(cluster);
    cluster.gate = () => {};
    await process.settle();
    const after = cluster.get(managedKind, { name: 'db' });
    assert.deepEqual(
      [after?.spec, after?.metadata.annotations],
      [before?.spec, before?.metadata.annotations],
    );
    assert.equal(after?.status?.bindingPhase, 'Unbound');
    assert.deepEqual(consent(cluster), []);
  });

  test('a resource made by hand is Released if its password was handed over by then', async () => {
    const cluster = new FakeCluster();
    cluster.put(managedKind, managed({ reclaimPolicy: 'Delete', writeConnectionSecretToRef: sourceKey }));
    const external = new FakeExternal();
    const process = await startStack(cluster, external).settle();
    cluster.gate = ({ verb, kind }) => {
      const isHandedOver = cluster.get(SecretKind, { namespace: 'team', name: 'conn' }) !== undefined;
      if (isHandedOver && verb === 'updateStatus' && kind === managedKind.kind) throw forbidden();
    };
    cluster.put(claimKind, byName);
    await process.settle(500);
    assert.equal(cluster.get(managedKind, { name: 'db' })?.status?.bindingPhase, 'Unbound');
    process.stop();
    vanish(cluster);
    cluster.gate = () => {};
    const log = recordedLog();
    await startStack(cluster, external, { log }).settle(70_000);
    const { spec, status } = cluster.get(managedKind, { name: 'db' }) ?? {};
    assert.deepEqual([spec?.claimRef, status?.bindingPhase], [undefined, 'Released']);
    assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
    const told = log.lines.filter(({ fields }) => fields.change === 'ClaimNotFound');
    assert.deepEqual(
      told.map(({ level, fields }) => [level, fields.claim, fields.resource]),
      [['info', 'team/orders', 'FavouriteDBInstance/db']],
    );
    assert.match(String(told[0]?.fields.message), /whose connection secret it gave.*: Released$/);
  });

  test('a provisioned one is kept, because a restored one looks the same, and the Event says so', async () => {
    const cluster = new FakeCluster();
    const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
    cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
    cluster.put(claimKind, dynamic);
    const external = new FakeExternal();
    const process = startStack(cluster, external);
    cluster.gate = ({ verb, kind, key: name }) => {
      if (verb === 'create' && kind === 'Secret' && name === 'team/conn') throw forbidden();
    };
    await process.settle(500);
    const [before] = cluster.all<Managed>(managedKind);
    assert.equal(before?.status?.bindingPhase, 'Unbound');
    cluster.takeWrites();
    vanish(cluster);
    await process.settle(70_000);
    assert.deepEqual(cluster.takeWrites(), []);
    assert.deepEqual(cluster.all(managedKind), [before]);
    const told = process.events.filter(({ reason }) => reason === 'ClaimNotFound');
    assert.equal(told.length, 1);
    assert.match(told[0]?.message ?? '', /may come back out of a backup.*else delete/);
  });
});

test('an ordinary deletion asks nothing more of the API server', async () => {
  for (const policy of ['Delete', 'Retain'] as const) {
    const { cluster, process } = await worldOf(dynamic, policy);
    cluster.calls.length = 0;
    cluster.delete(claimKind, key);
    await process.settle(70_000);
    assert.ok(!cluster.calls.some(({ verb, kind }) => verb === 'get' && kind === claimKind.kind));
    assert.ok(!process.events.some(({ reason }) => reason === 'ClaimNotFound'));
  }
});
