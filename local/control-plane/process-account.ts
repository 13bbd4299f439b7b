import { join } from 'node:path';
import { kubeconfigOfAccount } from './account.ts';
import type { ControlPlane } from './control-plane.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
/** The rights of the process, with the stacks of the demo, and those of users. The Deployment and its services are not here. */
const manifests = [
  'base/00-namespace.yaml',
  'base/service-account.yaml',
  'base/cluster-role.yaml',
  'base/user-roles.yaml',
  'base/leader-election.yaml',
  'cluster-wide/bindings.yaml',
  'optional/demo-stacks.yaml',
];

/**
 * Creates the service account of the process with the rights that `deploy/` gives it. Returns a kubeconfig of this
 * account. `more` names more manifests of `deploy/`. Throws if one of the objects exists.
 */
export async function processKubeconfig(
  controlPlane: Pick<ControlPlane, 'kubectl' | 'kubeconfig'>,
  more: readonly string[] = [],
): Promise<string> {
  const files = [...manifests, ...more].flatMap((name) => ['-f', join(deploy, name)]);
  await controlPlane.kubectl(['create', '--validate=false', ...files]);
  return kubeconfigOfAccount(controlPlane, { namespace: 'crossplane-system', name: 'services-stack' });
}
