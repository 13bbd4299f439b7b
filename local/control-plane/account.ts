import { parse, stringify } from 'yaml';
import type { ControlPlane } from './control-plane.ts';

/** A kubelet renews the token of a pod. No one renews this one, and the API server gives one hour without a request. */
const yearSeconds = 365 * 24 * 3600;

/** A kubeconfig of a service account, with a token that the API server gives out for it, as a kubelet gets it for a pod. */
export async function kubeconfigOfAccount(
  { kubectl, kubeconfig }: Pick<ControlPlane, 'kubectl' | 'kubeconfig'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { expirationSeconds: yearSeconds };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const answer = await kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(request));
  const { token } = (JSON.parse(answer) as { readonly status: { readonly token: string } }).status;
  const admin = parse(kubeconfig) as { readonly users: readonly { readonly name: string }[] };
  return stringify({ ...admin, users: admin.users.map((user) => ({ name: user.name, user: { token } })) });
}
