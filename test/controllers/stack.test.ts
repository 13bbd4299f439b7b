import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { ManagedService } from '../../controllers/managed/setup.ts';
import { stackControllers } from '../../controllers/stack.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal, managedService, providerConfigKind, providerKind } from './external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  managedKind,
  otherManagedKind,
  otherService,
  resourceClass,
  service,
} from './objects.ts';

const serviceOfKind = (kind: typeof managedKind, providerConfig = providerConfigKind): ManagedService =>
  managedService(new FakeExternal(), { kind, providers: { provider: providerKind, providerConfig } });

const start = (claims: readonly ClaimService[], managed: readonly ManagedService[] = []) => {
  const cluster = new FakeCluster();
  let specs: readonly ControllerSpec[] = [];
  const process = new FakeProcess(cluster, (env) => {
    specs = stackControllers(env, [{ name: 'fcp', claims, managed: () => managed }]);
    return specs;
  });
  return { cluster, process, specs, names: specs.map(({ name }) => name) };
};

describe('the controllers of a stack', () => {
  test('are named for their kinds; kinds with one ProviderConfig share its controller', () => {
    const other = { ...providerConfigKind, group: 'ocp.crossplane.io' };
    const third = { ...managedKind, kind: 'BigDBInstance', plural: 'bigdbinstances' };
    const { names } = start(
      [service],
      [serviceOfKind(managedKind), serviceOfKind(third), serviceOfKind(otherManagedKind, other)],
    );
    assert.deepEqual(names.toSorted(), [
      'ambivalentdbinstance.database.ocp.crossplane.io',
      'bigdbinstance.database.fcp.crossplane.io',
      'binding.fancysqlinstance.database.crossplane.io',
      'defaulting.fancysqlinstance.database.crossplane.io',
      'favouritedbinstance.database.fcp.crossplane.io',
      'propagation.secret',
      'provider.fcp.crossplane.io',
      'providerconfig.fcp.crossplane.io',
      'providerconfig.ocp.crossplane.io',
      'scheduling.fancysqlinstance.database.crossplane.io',
    ]);
  });

  test('have few workers if they call only the API server', () => {
    const { specs } = start([service], [serviceOfKind(managedKind)]);
    assert.deepEqual(
      specs.map(({ name, mostWorkers }) => [name.split('.')[0], mostWorkers]),
      [
        ['favouritedbinstance', undefined],
        ['providerconfig', undefined],
        ['provider', undefined],
        ['scheduling', 3],
        ['defaulting', 3],
        ['binding', 3],
        ['propagation', 6],
      ],
    );
  });

  const others = {
    'another kind': { ...claimKind, kind: 'PlainSQLInstance', plural: 'plainsqlinstances' },
    'the same kind of another group': { ...claimKind, group: 'example.org' },
  };
  for (const [what, kind] of Object.entries(others)) {
    test(`a claim gets no class of a service for ${what}`, async () => {
      const { cluster, process } = start(
        [{ ...otherService, claim: kind }, service],
        [serviceOfKind(managedKind), serviceOfKind(otherManagedKind)],
      );
      cluster.put(kind, {
        ...claim({ classSelector: {} }),
        apiVersion: `${kind.group}/v1alpha1`,
        kind: kind.kind,
      });
      cluster.put(classKind, resourceClass('small'));
      await process.settle();
      const { spec, status } = cluster.get(kind, { namespace: 'team', name: 'orders' }) ?? {};
      assert.deepEqual(
        [spec?.classRef, status?.consideredKinds],
        [undefined, ['ambivalentdbinstanceclasses.v1alpha1.database.ocp.crossplane.io']],
      );
    });
  }
});
