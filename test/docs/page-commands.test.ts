import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { V1Deployment } from '@kubernetes/client-node';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { commandsOf } from './code-blocks.ts';
import { projectRoot } from './project-copy.ts';

/** Commands of pages for administrators that need an API server, and no controllers. In the order of a cluster's life. */
const pages: readonly (readonly [page: string, ...starts: string[]])[] = [
  [
    'docs/backup.md',
    'kubectl create namespace crossplane-system',
    'kubectl -n crossplane-system create configmap services-stack',
  ],
  ['deploy/README.md', 'kubectl apply -f deploy/install.yaml'],
  [
    'docs/flags.md',
    'kubectl -n crossplane-system create secret generic services-stack-proxy',
    'kubectl -n crossplane-system set env',
  ],
  [
    'docs/backup.md',
    'kubectl -n crossplane-system scale deployment services-stack',
    'kubectl -n crossplane-system wait pod',
    'kubectl -n crossplane-system scale deployment,replicaset',
    'kubectl -n crossplane-system delete pods',
    'kubectl get managed -o custom-columns',
    'kubectl -n crossplane-system delete configmap services-stack',
    'kubectl -n crossplane-system rollout restart',
  ],
  [
    'deploy/README.md',
    'kubectl apply -f deploy/optional/demo-stacks.yaml',
    'kubectl -n crossplane-system create configmap services-stack',
    'kubectl -n crossplane-system rollout restart',
  ],
  ['docs/troubleshooting.md', 'kubectl get secrets -A -l'],
  ['docs/managed-resources.md', 'kubectl get managed -o custom-columns'],
  ['docs/upgrade.md', 'kubectl get claims -A'],
  [
    'docs/move-a-server.md',
    'kubectl -n postgresql-credentials patch secret demo-server',
    'kubectl annotate postgresqldatabases,postgresqlroles,postgresqlgrants',
    'kubectl -n mysql-credentials patch secret demo-server',
  ],
  ['docs/tenancy.md', 'kubectl -n team-shop create quota'],
  [
    'docs/deletion.md',
    'kubectl patch providerconfigs',
    'kubectl apply -f examples/postgresql/00-provider.yaml',
    'kubectl create clusterrolebinding services-stack-claims-everywhere',
    'kubectl wait namespace team-a',
    'kubectl delete clusterrolebinding services-stack-claims-everywhere',
  ],
];

describe('commands of pages for administrators, on an API server', () => {
  let controlPlane: ControlPlane;

  before(async () => {
    controlPlane = await startControlPlane({ withDefinitions: true });
    // The server of the guide, and its objects.
    for (const file of globSync('examples/{postgresql,mysql}/*.yaml', { cwd: projectRoot }).toSorted())
      await controlPlane.kubectl(['apply', '-f', join(projectRoot, file)]);
  });
  after(() => controlPlane?.stop());

  for (const [page, ...starts] of pages) {
    for (const start of starts) {
      test(`${page}: ${start}`, async () => {
        const commands = commandsOf(readFileSync(join(projectRoot, page), 'utf8'));
        const found = commands.filter((command) => command.startsWith(start));
        assert.equal(found.length, 1, found.join('\n'));
        // kubectl refuses a second restart within a second.
        if (start.endsWith('rollout restart')) await setTimeout(1_100);
        const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
        const options = { cwd: projectRoot, env };
        await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', found.join('\n')], options);
      });
    }
  }

  test('the commands had the effects that the pages name', async () => {
    const get = ['-n', 'crossplane-system', 'get'];
    const answer = await controlPlane.kubectl([...get, 'deployment', 'services-stack', '-o', 'json']);
    const { spec } = JSON.parse(answer) as V1Deployment;
    assert.equal(spec?.replicas, 0);
    const names = spec.template.spec?.containers[0]?.env?.map(({ name }) => name) ?? [];
    const missing = ['HTTPS_PROXY', 'NO_PROXY'].filter((name) => !names.includes(name));
    assert.deepEqual(missing, []);
    const output = ['-o', 'jsonpath={.data.SERVICES_STACK_STACKS}'];
    const stacks = await controlPlane.kubectl([...get, 'configmap', 'services-stack', ...output]);
    assert.equal(stacks, 'postgresql,mysql,aws,gcp,fcp,ocp');
  });
});
