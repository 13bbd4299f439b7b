import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ControllerManager } from '../../local/control-plane/controller-manager.ts';
import { startControllerManager } from '../../local/control-plane/controller-manager.ts';
import { controllerManagerSupport } from '../../local/control-plane/controller-manager-binary.ts';
import type { FancySQLFixture } from '../cluster/fancysql-fixture.ts';
import { favouriteClassRef, startFancySQL } from '../cluster/fancysql-fixture.ts';
import type { StackProcess } from '../cluster/stack-harness.ts';
import { eventually } from '../cluster/stack-harness.ts';
import { codeBlocks } from './code-blocks.ts';
import { projectRoot } from './project-copy.ts';

const [, chapter = ''] = readFileSync(join(projectRoot, 'docs/uninstall.md'), 'utf8').split(
  '\n## Remove everything',
);
const commands = (codeBlocks(chapter)[0]?.content ?? '').trim().split('\n');
const namespace = 'crossplane-system';

const support = await controllerManagerSupport();

/** Does the part of the namespace controller that ends a deletion, if no controllers of Kubernetes can be had. */
async function endNamespace({ cluster }: FancySQLFixture): Promise<void> {
  await eventually(`namespace ${namespace} is being deleted`, async () => {
    const found = await cluster.kubectl(['get', 'namespace', namespace, '-o', 'json']);
    const object = JSON.parse(found) as KubernetesObject;
    if (object.metadata.deletionTimestamp === undefined) return false;
    const path = `/api/v1/namespaces/${namespace}/finalize`;
    const finalized = JSON.stringify({ ...object, spec: { finalizers: [] } });
    await cluster.kubectl(['replace', '--raw', path, '-f', '-'], finalized);
    return true;
  });
}

describe('the commands of docs/uninstall.md that remove everything', () => {
  let fixture: FancySQLFixture;
  let stack: StackProcess;
  let manager: ControllerManager | undefined;
  const kubectl = (...args: readonly string[]) => fixture.cluster.kubectl(args);
  const crds = () => kubectl('get', 'crd', '-o', 'name');

  before(async () => {
    fixture = await startFancySQL();
    if (support.by !== 'none') manager = await startControllerManager(support, fixture.cluster.controlPlane);
    await fixture.favouriteClass('small');
    await kubectl('apply', '-f', join(projectRoot, 'deploy/install.yaml'));
    stack = fixture.cluster.startProcess(['--stacks', 'fcp,ocp', '--poll-interval', '2s']);
  });
  after(async () => {
    await stack?.end('SIGKILL');
    await manager?.stop();
    await fixture?.stop();
  });

  test('end, and delete the objects, the databases, the process and the definitions', async () => {
    await fixture.claim('team-a', 'orders', { classRef: favouriteClassRef('small') });
    await fixture.bound('team-a', 'orders');
    await fixture.managed('by-hand');
    await eventually('both databases exist', async () => fixture.favourite.instances().length === 2);
    assert.equal(commands.length, 5);
    for (const command of commands) {
      const [program, ...args] = command.split(' ');
      assert.equal(program, 'kubectl');
      const isProcess = args.includes('deploy/install.yaml');
      await Promise.all([
        kubectl(...args.map((arg) => (arg.includes('/') ? join(projectRoot, arg) : arg))),
        // Kubernetes does this for the pods of a Deployment that is deleted.
        ...(isProcess ? [stack.end('SIGTERM')] : []),
        ...(isProcess && manager === undefined ? [endNamespace(fixture)] : []),
      ]);
    }
    assert.deepEqual([fixture.favourite.instances(), await crds()], [[], '']);
    await assert.rejects(kubectl('get', 'namespace', namespace), /not found/);
  });
});
