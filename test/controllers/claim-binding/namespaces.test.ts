import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { available, getCondition, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  resourceRef,
} from '../objects.ts';

const orders = { namespace: 'team', name: 'orders' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const namespaceSelector = { matchLabels: { stage: 'live' } };
const inCredentials = { writeConnectionSecretToRef: { namespace: 'system', name: 'db' } };
const byClass = claim({ ...conn, classRef: classRef('small') });
const byName = claim({ ...conn, resourceRef: resourceRef('db') });
const byLabels = claim({ ...conn, classSelector: { matchLabels: { size: 'small' } } });
const byHand = managed({ ...inCredentials, namespaceSelector });

interface World {
  readonly stage?: string;
  readonly class?: object;
  readonly managed?: Managed;
}

/** A namespace `team`, a class that only namespaces of the stage `live` may claim, and a claim. */
function worldOf(subject: Claim, { stage = 'test', ...given }: World = {}) {
  const cluster = new FakeCluster();
  const label = (to: string) => {
    const metadata = { name: 'team', labels: { stage: to } };
    cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
  };
  label(stage);
  const template = given.class ?? { namespaceSelector };
  const specTemplate = { writeConnectionSecretsToNamespace: 'system', ...template };
  cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
  cluster.put(claimKind, subject);
  if (given.managed !== undefined) cluster.put(managedKind, given.managed);
  const external = new FakeExternal();
  const status = () => cluster.get(claimKind, orders)?.status;
  const ready = () => getCondition(status()?.conditions, 'Ready');
  const process = startStack(cluster, external);
  const warnings = () => {
    const all = process.events.filter(({ type }) => type === 'Warning');
    return all.map(({ reason, message }) => `${reason}: ${message}`);
  };
  return { cluster, external, label, status, ready, warnings, process };
}

const classRefusal =
  'FavouriteDBInstanceClass small may not be claimed from namespace team: specTemplate.namespaceSelector does not select it';
const resourceRefusal =
  'FavouriteDBInstance db may not be claimed from namespace team: spec.namespaceSelector does not select it';

describe('a claim in a namespace that its selector does not allow', () => {
  const reserved = managed({ ...byHand.spec, claimRef: { ...claimRef(), uid: undefined } as object });
  const noMatch =
    'NoMatchingClass: no resource class can serve the claim and matches spec.classSelector size=small; 1 of them may not be claimed from namespace team';
  const refused: Record<string, readonly [Claim, warning: string, Managed?]> = {
    'the class that the claim names': [byClass, `NamespaceNotAllowed: ${classRefusal}`],
    'the resource that the claim names': [byName, `NamespaceNotAllowed: ${resourceRefusal}`, byHand],
    'the resource whose claimRef names the claim': [
      byName,
      `NamespaceNotAllowed: ${resourceRefusal}`,
      reserved,
    ],
    'the class that the claim selects by labels': [byLabels, noMatch],
  };
  for (const [what, [subject, warning, resource]] of Object.entries(refused)) {
    test(`${what}: the claim reports that its namespace is not allowed, and is bound once the namespace has the labels`, async () => {
      const given = resource === undefined ? {} : { managed: resource };
      const { cluster, label, status, ready, warnings, process } = worldOf(subject, given);
      await process.settle();
      assert.deepEqual(warnings(), [warning]);
      const shown = [status()?.bindingPhase, ready().status, ready().reason];
      assert.deepEqual(shown, ['Unbound', 'False', warning.split(':')[0]]);
      // The Event does not count the classes.
      assert.equal(warning.endsWith(ready().message?.replace(/ \(matching: [^)]*\)/, '') ?? '?'), true);
      assert.equal(cluster.all(managedKind).length, resource === undefined ? 0 : 1);
      assert.equal(cluster.get(managedKind, { name: 'db' })?.spec.claimRef?.uid, undefined);
      assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
      label('live');
      await process.settle();
      assert.equal(status()?.bindingPhase, 'Bound');
      assert.ok(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }));
    });
  }

  test('a claim in a deleted namespace reports at once that it is not allowed', async () => {
    const { cluster, ready, process } = worldOf(byClass);
    await process.settle();
    cluster.delete(NamespaceKind, { name: 'team' });
    await process.settle();
    const message =
      'FavouriteDBInstanceClass small may be claimed from namespaces that specTemplate.namespaceSelector selects, and the labels of namespace team are not known: it does not exist';
    assert.equal(ready().message, message);
  });

  test('a claim gets the same message, whichever claim owns the resource', async () => {
    const spec = { ...byHand.spec, claimRef: claimRef({ namespace: 'rivals', uid: 'rival-uid' }) };
    const foreign = managed(spec, { status: { bindingPhase: 'Bound' } });
    const { warnings, process } = worldOf(byName, { managed: foreign });
    await process.settle();
    const refusals = warnings().filter((reported) => reported.startsWith('NamespaceNotAllowed'));
    assert.deepEqual(refusals, [`NamespaceNotAllowed: ${resourceRefusal}`]);
  });
});

test('a provisioned resource has the namespace selector of its class', async () => {
  const { cluster, status, process } = worldOf(byClass, { stage: 'live' });
  await process.settle();
  assert.equal(status()?.bindingPhase, 'Bound');
  assert.deepEqual(cluster.all(managedKind)[0]?.spec.namespaceSelector, namespaceSelector);
});

test('a Bound claim stays Bound when labels and selectors change', async () => {
  const world = worldOf(byName, { stage: 'live', managed: byHand });
  const { cluster, label, status, ready, warnings, process } = world;
  await process.settle();
  assert.equal(status()?.bindingPhase, 'Bound');
  cluster.takeWrites();
  label('test');
  const other = { namespaceSelector: { matchLabels: { stage: 'none' } } };
  cluster.set(managedKind, { name: 'db' }, { spec: other });
  await process.settle();
  assert.deepEqual([status()?.bindingPhase, ready().status, warnings()], ['Bound', 'True', []]);
  const writes = ['updateStatus FavouriteDBInstance db']; // its observedGeneration
  assert.deepEqual(cluster.takeWrites(), writes);
});

test('a namespace label that was removed before binding does not count', async () => {
  const { cluster, label, status, warnings, process } = worldOf(byName, { stage: 'live', managed: byHand });
  process.hold(NamespaceKind); // the store does not hear of it
  cluster.gate = ({ verb, kind }) => {
    const { bindingPhase } = cluster.get(managedKind, { name: 'db' })?.status ?? {};
    if (verb === 'get' && kind === 'Namespace' && bindingPhase === 'Unbound') label('test');
  };
  await process.settle();
  assert.equal(status()?.bindingPhase, 'Unbound');
  assert.deepEqual(warnings(), [`NamespaceNotAllowed: ${resourceRefusal}`]);
});

test('the namespace is checked again before a provisioned resource is bound', async () => {
  const { cluster, external, label, status, warnings, process } = worldOf(byClass, { stage: 'live' });
  external.ready = unavailable('starting');
  await process.settle();
  assert.equal(cluster.all(managedKind).length, 1);
  label('test');
  external.ready = available();
  await process.settle(120_000);
  assert.equal(status()?.bindingPhase, 'Unbound');
  assert.match(warnings().at(-1) ?? '', /^NamespaceNotAllowed: .* may not be claimed from namespace team/);
  assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
});

test('a namespace that cannot be read is not allowed, and the message names the missing permission', async () => {
  const { cluster, status, ready, process } = worldOf(byName, { stage: 'live', managed: byHand });
  process.hold(NamespaceKind);
  cluster.gate = ({ kind }) => {
    if (kind === 'Namespace') throw forbidden('namespaces "team" is forbidden: User cannot get resource');
  };
  await process.settle();
  assert.equal(status()?.bindingPhase, 'Unbound');
  const message = ready().message ?? '';
  assert.match(message, /the labels of namespace team are not known: namespaces "team" is forbidden/);
});

test('a claim needs no read of its namespace while no class has a namespace selector', async () => {
  const { cluster, status, process } = worldOf(byClass, { class: {} });
  cluster.withdraw(NamespaceKind, { isDenied: true });
  await process.settle();
  const reads = cluster.calls.filter(({ kind }) => kind === 'Namespace');
  assert.deepEqual([status()?.bindingPhase, reads], ['Bound', []]);
});
