import type { RequestOptions } from 'node:https';
import { Agent, request } from 'node:https';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { kubeConfigOf } from '../cluster/stack-harness.ts';

/** Node's own HTTP client, which checks, repeats and counts nothing: the floor of the benchmark does not include ours. */
export interface BareClient {
  create<T extends KubernetesObject>(kind: Kind<T>, object: T): Promise<T>;
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: object,
    options?: { readonly subresource?: 'status' },
  ): Promise<T>;
  delete(kind: Kind, key: ObjectKey): Promise<void>;
  /** The pages of a list, one after the other. The number of its objects. */
  list(kind: Kind, pageSize: number, fieldSelector?: string): Promise<number>;
  close(): void;
}

interface Page {
  readonly items?: readonly unknown[];
  readonly metadata: { readonly continue?: string };
}

/** A client with the administrator's credentials. */
export async function bareClient({ kubeconfig, server }: ControlPlane): Promise<BareClient> {
  const { ca, cert, key } = await credentialsIn(kubeconfig);
  const agent = new Agent({ ca, cert, key, keepAlive: true });

  const ask = (method: string, path: string, body?: object, type = 'application/json'): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type };
      const sent = request(`${server}${path}`, { method, agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if ((answer.statusCode ?? 500) < 300) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });

  return {
    create: async <T extends KubernetesObject>(kind: Kind<T>, object: T) =>
      (await ask('POST', pathOf(kind, object.metadata.namespace), object)) as T,
    patch: async <T extends KubernetesObject>(
      kind: Kind<T>,
      { namespace, name }: ObjectKey,
      patch: object,
      { subresource }: { readonly subresource?: 'status' } = {},
    ) => {
      const path = `${pathOf(kind, namespace)}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
      return (await ask('PATCH', path, patch, 'application/merge-patch+json')) as T;
    },
    async delete(kind, { namespace, name }) {
      await ask('DELETE', `${pathOf(kind, namespace)}/${name}`);
    },
    async list(kind, pageSize, fieldSelector) {
      let count = 0;
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({
          limit: String(pageSize),
          ...(fieldSelector !== undefined && { fieldSelector }),
          ...(token !== '' && { continue: token }),
        });
        const page = (await ask('GET', `${pathOf(kind)}?${query}`)) as Page;
        count += page.items?.length ?? 0;
        token = page.metadata.continue || undefined;
      }
      return count;
    },
    close: () => agent.destroy(),
  };
}

async function credentialsIn(kubeconfig: string): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await kubeConfigOf(kubeconfig).applyToHTTPSOptions(options);
  return options;
}

function pathOf(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.plural}`;
}
