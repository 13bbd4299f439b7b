import { parse, stringify } from 'yaml';
import type { ControlPlane } from './control-plane.ts';

/** Nothing renews this token, as a kubelet does for a pod. Without this request the API server limits it to an hour. */
const yearSeconds = 365 * 24 * 3600;

/** A kubeconfig of a service account, with a token from the API server. */
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
