import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { creating, getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { decodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { merged } from '../../../../testing/merged.ts';
import { conflict, FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { claim, claimKind, claimRef, managed, managedKind, resourceRef } from '../objects.ts';

/* What a claim left behind is offered again by an administrator alone, and each time anew. */

const db = { name: 'db' };
const reoffer = 'crossplane.io/reoffer';
const spec = { writeConnectionSecretToRef: { name: 'conn' }, resourceRef: resourceRef('db') };
const teamOf = (team: string) => ({ namespace: team, name: 'orders' });

/** A resource made by hand that the first team's claim had, and gave back. */
async function released(over: Managed['spec'] = {}) {
  const cluster = new FakeCluster();
  const writeConnectionSecretToRef = { namespace: 'system', name: 'src' };
  cluster.put(managedKind, managed({ reclaimPolicy: 'Retain', writeConnectionSecretToRef, ...over }));
  const external = new FakeExternal();
  const process = await startStack(cluster, external).settle();
  ask(cluster, 'first');
  await process.settle();
  const { password } = detailsOf(cluster, 'first');
  await giveBack(cluster, 'first', () => process.settle());
  process.stop();
  return { cluster, external, password };
}

const ask = (cluster: FakeCluster, team: string) =>
  cluster.put(claimKind, claim(spec, { ...teamOf(team), uid: `${team}-uid` }));

/** What the resource was warned of. */
const warnings = ({
  events,
}: {
  readonly events: readonly { readonly type: string; readonly reason: string }[];
}) => events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason);

test('what a claim has let go of is not told that it was taken from it, where its last step is refused at first', async () => {
  const cluster = new FakeCluster();
  const writeConnectionSecretToRef = { namespace: 'system', name: 'src' };
  cluster.put(managedKind, managed({ reclaimPolicy: 'Retain', writeConnectionSecretToRef }));
  const process = await startStack(cluster, new FakeExternal()).settle();
  ask(cluster, 'first');
  await process.settle();
  let refusals = 1;
  cluster.gate = ({ verb, kind }) => {
    if (verb === 'update' && kind === claimKind.kind && refusals-- > 0) throw conflict();
  };
  await giveBack(cluster, 'first', () => process.settle(10_000));
  process.stop();
  assert.equal(refusals < 1, true);
  assert.deepEqual(warnings(process), []);
});

async function giveBack(cluster: FakeCluster, team: string, settle: () => Promise<unknown>): Promise<void> {
  cluster.delete(claimKind, teamOf(team));
  await settle();
  assert.equal(cluster.get(claimKind, teamOf(team)), undefined);
  assert.equal(cluster.get(managedKind, db)?.status?.bindingPhase, 'Released');
}

const offer = (cluster: FakeCluster) =>
  cluster.edit<Managed>(managedKind, db, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [reoffer]: 'true' } },
  }));

function detailsOf(cluster: FakeCluster, team: string): Readonly<Record<string, string>> {
  const secret = cluster.get(SecretKind, { namespace: team, name: 'conn' });
  return secret === undefined ? {} : decodeDetails(secret);
}

/** Offers what the first claim left, and has the second team's claim bind it. */
async function rebound(cluster: FakeCluster, external: FakeExternal) {
  ask(cluster, 'second');
  offer(cluster);
  const process = await startStack(cluster, external).settle(120_000);
  process.stop();
  assert.equal(phaseOf(cluster, 'second'), 'Bound');
  return detailsOf(cluster, 'second').password;
}

/** A team's claim as an administrator names it, by its name. */
const referenceOf = (team: string) => ({ ...omit(claimRef(teamOf(team)), 'uid'), ...teamOf(team) });

/** What the Ready condition of a team's claim says. */
const messageOf = (cluster: FakeCluster, team: string): string =>
  getCondition(cluster.get(claimKind, teamOf(team))?.status?.conditions, 'Ready').message ?? '';

const phaseOf = (cluster: FakeCluster, team: string) =>
  cluster.get(claimKind, teamOf(team))?.status?.bindingPhase;

/**
 * A resource made by hand whose password the first team's claim was given, and which then was taken away from it, before
 * or after it was Bound.
 */
async function takenAway(phase: 'Unbound' | 'Bound') {
  const cluster = new FakeCluster();
  const writeConnectionSecretToRef = { namespace: 'system', name: 'src' };
  cluster.put(managedKind, managed({ reclaimPolicy: 'Retain', writeConnectionSecretToRef }));
  const external = new FakeExternal();
  const process = await startStack(cluster, external).settle();
  ask(cluster, 'first');
  cluster.gate = ({ verb, kind }) => {
    const isHandedOver = detailsOf(cluster, 'first').password !== undefined;
    const isBinding = verb === 'updateStatus' && kind === managedKind.kind;
    if (phase === 'Unbound' && isHandedOver && isBinding) throw forbidden();
  };
  await process.settle(0);
  process.stop();
  cluster.gate = () => {};
  const { password } = detailsOf(cluster, 'first');
  assert.notEqual(password, undefined);
  assert.equal(cluster.get(managedKind, db)?.status?.bindingPhase, phase);
  cluster.edit<Managed>(managedKind, db, ({ spec: { claimRef: _taken, ...spec }, ...object }) => ({
    ...object,
    spec,
  }));
  return { cluster, external, password };
}

test('what a claim left behind has to be offered also where it was restored without its status', async () => {
  const { cluster, external, password } = await released();
  cluster.edit<Managed>(managedKind, db, ({ status: _status, ...found }) => found);
  ask(cluster, 'second');
  const process = await startStack(cluster, external).settle(120_000);
  process.stop();
  assert.notEqual(phaseOf(cluster, 'second'), 'Bound');
  assert.notEqual(await rebound(cluster, external), password);
});

describe('a resource that was taken away from its claim', () => {
  test('is bound by that claim again if it was not Bound yet', async () => {
    const { cluster, external, password } = await takenAway('Unbound');
    const process = await startStack(cluster, external).settle(120_000);
    process.stop();
    assert.equal(phaseOf(cluster, 'first'), 'Bound');
    assert.equal(detailsOf(cluster, 'first').password, password);
  });

  for (const phase of ['Unbound', 'Bound'] as const)
    test(`is given to another with new credentials, once it is offered, wherever the process was cut off: ${phase}`, async () => {
      for (let k = 1; ; k += 1) {
        const { cluster, external, password } = await takenAway(phase);
        cluster.delete(claimKind, teamOf('first'));
        ask(cluster, 'second');
        const before = await startStack(cluster, external).settle(120_000);
        before.stop();
        assert.equal(phaseOf(cluster, 'second'), 'Unbound', `after write ${k}`);
        assert.deepEqual(detailsOf(cluster, 'second'), {}, `after write ${k}`);
        cluster.stepsLeft = k;
        offer(cluster);
        const cut = await startStack(cluster, external).settle();
        cut.stop();
        cluster.stepsLeft = Number.POSITIVE_INFINITY;
        const process = await startStack(cluster, external).settle(120_000);
        process.stop();
        assert.equal(phaseOf(cluster, 'second'), 'Bound', `after write ${k}`);
        const known = detailsOf(cluster, 'second').password;
        assert.notEqual(known, password, `after write ${k}`);
        assert.equal(known, external.things.get('db')?.password, `after write ${k}`);
        if (!cut.hasCrashed) return;
      }
    });
});

describe('a released resource that is offered again', () => {
  test('is bound once, and what that claim leaves is not offered, wherever the process was cut off', async () => {
    for (let k = 1; ; k += 1) {
      const { cluster, external, password } = await released();
      ask(cluster, 'second');
      cluster.stepsLeft = k;
      offer(cluster);
      const first = await startStack(cluster, external).settle();
      first.stop();
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      const process = await startStack(cluster, external).settle(120_000);
      assert.equal(phaseOf(cluster, 'second'), 'Bound', `after write ${k}`);
      const known = detailsOf(cluster, 'second').password;
      assert.notEqual(known, password, `after write ${k}`);
      assert.equal(known, external.things.get('db')?.password, `after write ${k}`);
      ask(cluster, 'third');
      await giveBack(cluster, 'second', () => process.settle(120_000));
      assert.equal(phaseOf(cluster, 'third'), 'Unbound', `after write ${k}`);
      assert.equal(cluster.get(managedKind, db)?.metadata.annotations?.[reoffer], undefined);
      process.stop();
      if (!first.hasCrashed) return;
    }
  });

  test('is given to the claim that its claimRef names, whoever else has waited for it, wherever the process was cut off', async () => {
    for (let k = 1; ; k += 1) {
      const { cluster, external, password } = await released();
      ask(cluster, 'vulture');
      const before = await startStack(cluster, external).settle(120_000);
      ask(cluster, 'heir');
      await before.settle(120_000);
      const message = messageOf(cluster, 'heir');
      assert.match(
        message,
        /; an administrator can offer it to this claim: kubectl patch .* db --type=merge -p '{.*}'$/,
      );
      before.stop();
      const patch = JSON.parse(/-p '(.*)'$/.exec(message)?.[1] ?? '') as object;
      cluster.stepsLeft = k;
      cluster.edit<Managed>(managedKind, db, (object) => merged(object, patch) as Managed);
      const cut = await startStack(cluster, external).settle();
      cut.stop();
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      const process = await startStack(cluster, external).settle(120_000);
      process.stop();
      assert.equal(phaseOf(cluster, 'heir'), 'Bound', `after write ${k}`);
      assert.deepEqual(detailsOf(cluster, 'vulture'), {}, `after write ${k}`);
      assert.match(messageOf(cluster, 'vulture'), /it is claimed by FancySQLInstance heir\/orders$/);
      const known = detailsOf(cluster, 'heir').password;
      assert.notEqual(known, password, `after write ${k}`);
      assert.equal(known, external.things.get('db')?.password, `after write ${k}`);
      const warned = process.events.filter(
        ({ type, object }) => type === 'Warning' && object.includes('heir'),
      );
      assert.deepEqual(warned, [], 'nobody has to do anything more');
      if (!cut.hasCrashed) return;
    }
  });

  for (const [when, settlesMs] of Object.entries({ 'at once': 0, 'once it has new credentials': 120_000 })) {
    test(`and withdrawn ${when} is nobody’s, whoever waits for it, until it is offered anew`, async () => {
      const { cluster, external } = await released();
      ask(cluster, 'vulture');
      const process = await startStack(cluster, external).settle(120_000);
      const offered = {
        metadata: { annotations: { [reoffer]: 'claim' } },
        spec: { claimRef: referenceOf('heir') },
      };
      cluster.edit<Managed>(managedKind, db, (object) => merged(object, offered) as Managed);
      if (settlesMs > 0) await process.settle(settlesMs);
      cluster.edit<Managed>(
        managedKind,
        db,
        (object) => merged(object, { spec: { claimRef: null } }) as Managed,
      );
      await process.settle(120_000);
      assert.equal(phaseOf(cluster, 'vulture'), 'Unbound');
      assert.deepEqual(detailsOf(cluster, 'vulture'), {});
      assert.match(
        messageOf(cluster, 'vulture'),
        /; an administrator can offer it to this claim: kubectl patch /,
      );
      ask(cluster, 'heir');
      cluster.edit<Managed>(managedKind, db, (object) => merged(object, offered) as Managed);
      await process.settle(120_000);
      process.stop();
      assert.equal(phaseOf(cluster, 'heir'), 'Bound');
      assert.deepEqual(detailsOf(cluster, 'vulture'), {});
    });
  }

  test('and given back by who was never bound to it is nobody’s, either', async () => {
    const { cluster, external } = await released();
    const offered = {
      metadata: { annotations: { [reoffer]: 'claim' } },
      spec: { claimRef: referenceOf('heir') },
    };
    cluster.edit<Managed>(managedKind, db, (object) => merged(object, offered) as Managed);
    const process = await startStack(cluster, external).settle(120_000);
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'update' && kind === 'Secret') throw forbidden();
    };
    ask(cluster, 'heir');
    await process.settle(1_000);
    assert.equal(cluster.get(managedKind, db)?.spec.claimRef?.uid, 'heir-uid');
    cluster.gate = () => {};
    cluster.delete(claimKind, teamOf('heir'));
    ask(cluster, 'vulture');
    await process.settle(120_000);
    process.stop();
    assert.equal(cluster.get(claimKind, teamOf('heir')), undefined);
    assert.equal(cluster.get(managedKind, db)?.status?.bindingPhase, 'Unbound');
    assert.deepEqual(detailsOf(cluster, 'vulture'), {});
  });

  test('until it is offered, its credentials stay', async () => {
    const { cluster, external, password } = await released();
    const process = await startStack(cluster, external).settle(120_000);
    process.stop();
    assert.equal(external.things.get('db')?.password, password);
    assert.equal(cluster.get(managedKind, db)?.status?.bindingPhase, 'Released');
  });

  test('is not bound where it must not be updated, until that is allowed', async () => {
    const policies = ['Observe', 'Create', 'LateInitialize'] as const;
    const { cluster, external, password } = await released({ managementPolicies: policies });
    ask(cluster, 'second');
    offer(cluster);
    const process = startStack(cluster, external);
    await process.settle(120_000);
    process.stop();
    assert.deepEqual([phaseOf(cluster, 'second'), detailsOf(cluster, 'second')], ['Unbound', {}]);
    assert.equal(external.things.get('db')?.password, password);
    cluster.edit<Managed>(managedKind, db, (object) => ({
      ...object,
      spec: { ...object.spec, managementPolicies: ['*'] },
    }));
    assert.notEqual(await rebound(cluster, external), password);
  });

  test('gets new credentials once, also from a system that takes its time to change', async () => {
    const { cluster, external, password } = await released();
    external.observation = { ready: creating('changing') };
    ask(cluster, 'second');
    offer(cluster);
    const before = external.count('update');
    const process = await startStack(cluster, external).settle(300_000);
    assert.equal(external.count('update'), before + 1);
    assert.equal(phaseOf(cluster, 'second'), 'Unbound');
    external.observation = {};
    await process.settle(120_000);
    process.stop();
    assert.equal(external.count('update'), before + 1);
    assert.equal(phaseOf(cluster, 'second'), 'Bound');
    assert.notEqual(detailsOf(cluster, 'second').password, password);
  });

  test('a new password that could not be published is made anew', async () => {
    const { cluster, external, password } = await released();
    let refusals = 2;
    cluster.gate = ({ verb, kind, key }) => {
      if (verb === 'update' && kind === 'Secret' && key === 'system/src' && refusals-- > 0) throw forbidden();
    };
    const known = await rebound(cluster, external);
    assert.notEqual(known, password);
    assert.equal(known, external.things.get('db')?.password);
  });
});
