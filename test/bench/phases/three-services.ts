import { customResourceDefinition } from '../../../apis/crd.ts';
import { allStacks } from '../../../app/stacks.ts';
import type { CustomResourceDefinition } from '../../../runtime/client/install-crds.ts';
import { CustomResourceDefinitionKind } from '../../../runtime/client/install-crds.ts';
import { budgets } from '../budgets.ts';
import { deleteClaims } from '../claims.ts';
import { listed } from '../cost.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import type { Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { sum } from '../statistics.ts';
import { thirdStack } from '../third-stack.ts';
import { bindAtOnce } from './at-once.ts';

/** All claims at once, while three services can serve each of them. The stack must not be running. */
export async function threeServices(scene: Scene, count: number): Promise<readonly Figure[]> {
  const { cluster } = scene.fixture;
  for (const definition of thirdStack.definitions) {
    const object = customResourceDefinition(definition) as CustomResourceDefinition;
    await scene.client.create(CustomResourceDefinitionKind, object);
  }
  const stacks = [...allStacks, thirdStack].map(({ name }) => name).join(',');
  const stack = await scene.start({
    program: 'test/bench/three-services.ts',
    // The account of the process has no rights to the kinds of the third stack.
    flags: ['--stacks', stacks, '--kubeconfig', cluster.controlPlane.kubeconfigPath],
  });
  const { cost, writes } = await bindAtOnce(scene, stack, { prefix: 'three', count, spec: { classRef } });
  await deleteClaims(scene);
  await stack.end();
  const name = 'a claim kind with three services';
  return [
    figure(`${name}: runs per claim`, cost.runs / count, 'count', {
      limit: budgets.runsPerClaim,
      note: listed(cost.reasons, count),
    }),
    figure(`${name}: writes per claim`, sum(Object.values(writes)) / count, 'count', {
      limit: budgets.writesWithClassRef,
    }),
    figure(`${name}: process CPU for each`, (cost.stackSeconds * 1000) / count, 'ms'),
  ];
}
