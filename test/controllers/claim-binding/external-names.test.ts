import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass } from '../objects.ts';

const orders = { namespace: 'team', name: 'orders' };

/** A class that allows these external names, and a claim with the given one. */
function worldOf(externalNames: 'Any' | 'Prefixed' | 'None', chosen?: string) {
  const cluster = new FakeCluster();
  const allow = (allowed: typeof externalNames) =>
    cluster.put(
      classKind,
      resourceClass(
        'small',
        {},
        { specTemplate: { writeConnectionSecretsToNamespace: 'system', externalNames: allowed } },
      ),
    );
  const choose = (name: string | undefined) => {
    const annotations = name === undefined ? {} : { [annotationKeys.externalName]: name };
    cluster.put(claimKind, claim({ classRef: classRef('small') }, { annotations }));
  };
  allow(externalNames);
  choose(chosen);
  const process = startStack(cluster, new FakeExternal());
  const found = () => cluster.get(claimKind, orders);
  const ready = () => getCondition(found()?.status?.conditions, 'Ready');
  return { cluster, process, allow, choose, found, ready };
}

test('a resource gets the external name of its claim, and no other annotation', async () => {
  const { cluster, process } = worldOf('Any');
  const given = Object.fromEntries(Object.values(annotationKeys).map((key) => [key, 'team-payroll']));
  cluster.put(claimKind, claim({ classRef: classRef('small') }, { annotations: given }));
  await process.settle();
  const [resource] = cluster.all(managedKind);
  const { [annotationKeys.externalName]: name, ...others } = resource?.metadata.annotations ?? {};
  assert.equal(name, 'team-payroll');
  assert.ok(!Object.values(others).includes('team-payroll'), JSON.stringify(others));
});

describe('a claim with an external name that its class does not allow', () => {
  test('creates and records nothing, and continues once the name is changed', async () => {
    const { cluster, process, choose, found, ready } = worldOf('Prefixed', 'payroll');
    await process.settle();
    assert.deepEqual([ready().status, ready().reason], ['False', 'ExternalNameNotAllowed']);
    assert.deepEqual(cluster.all(managedKind), []);
    assert.deepEqual([found()?.spec.resourceRef, found()?.metadata.finalizers ?? []], [undefined, []]);
    choose('team_payroll');
    await process.settle();
    assert.equal(found()?.status?.bindingPhase, 'Bound');
    assert.deepEqual(cluster.all(managedKind).map(externalName), ['team_payroll']);
  });

  test('continues once the class allows the name', async () => {
    const { process, allow, found } = worldOf('None', 'payroll');
    await process.settle();
    assert.equal(found()?.status?.bindingPhase, 'Unbound');
    allow('Any');
    await process.settle();
    assert.equal(found()?.status?.bindingPhase, 'Bound');
  });

  test('keeps its resource if the class forbids the name later', async () => {
    const { cluster, process, allow, ready } = worldOf('Any', 'payroll');
    await process.settle();
    allow('None');
    await process.settle();
    assert.equal(ready().status, 'True');
    assert.deepEqual(cluster.all(managedKind).map(externalName), ['payroll']);
  });
});

test('a claim that chooses no external name gets the name of its resource, whatever the class allows', async () => {
  for (const allowed of ['Prefixed', 'None'] as const) {
    const { cluster, process, found } = worldOf(allowed);
    await process.settle();
    assert.equal(found()?.status?.bindingPhase, 'Bound');
    assert.deepEqual(
      cluster.all(managedKind).map((each) => externalName(each) === each.metadata.name),
      [true],
    );
  }
});
