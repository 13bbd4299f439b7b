import { throwError } from 'rxjs';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { ApiError } from '../runtime/client/errors.ts';
import { isForbidden, messageOf, secretsRefused } from '../runtime/client/errors.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';

const isSecret = (kind: Pick<Kind, 'group' | 'version' | 'plural'>): boolean =>
  kindKey(kind) === kindKey(SecretKind);

interface Place {
  readonly namespace?: string | undefined;
}

/**
 * A client that never requests a Secret of another namespace, also if an object names one. It refuses such a request
 * as RBAC would, and sends nothing. Without `namespaces` every namespace is allowed. The error of a refusal, also of a read
 * by RBAC, has the namespace as data. A write may also be refused by a quota or a policy, and no code tells these apart.
 */
export function withinSecretNamespaces(
  client: KubernetesClient,
  namespaces: readonly string[] | undefined,
): KubernetesClient {
  /** Why not; undefined: it may be asked. */
  const refusal = (
    kind: Pick<Kind, 'group' | 'version' | 'plural'>,
    { namespace }: Place,
  ): ApiError | undefined => {
    if (!isSecret(kind) || namespaces === undefined) return undefined;
    if (namespace !== undefined && namespaces.includes(namespace)) return undefined;
    const whose = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
    return secretsRefused(
      `the secrets of ${whose} are left alone: add it to --secret-namespaces, and its Role`,
      {
        namespace,
        isExcluded: true,
      },
    );
  };
  const written = async <T>(kind: Kind, place: Place, ask: () => Promise<T>): Promise<T> => {
    const no = refusal(kind, place);
    if (no !== undefined) throw no;
    return ask();
  };
  const read = async <T>(kind: Kind, place: Place, ask: () => Promise<T>): Promise<T> => {
    try {
      return await written(kind, place, ask);
    } catch (error) {
      if (!isSecret(kind) || !isForbidden(error) || refusal(kind, place) !== undefined) throw error;
      throw secretsRefused(messageOf(error), { namespace: place.namespace, isExcluded: false });
    }
  };

  return {
    serverVersion: (signal) => client.serverVersion(signal),
    serves: (kind, signal) => client.serves(kind, signal),
    get: (kind, key, ...rest) => read(kind, key, () => client.get(kind, key, ...rest)),
    list: (kind, options, ...rest) => read(kind, options, () => client.list(kind, options, ...rest)),
    watch(kind, options) {
      const no = refusal(kind, options);
      return no === undefined ? client.watch(kind, options) : throwError(() => no);
    },
    create: (kind, object, ...rest) =>
      written(kind, object.metadata, () => client.create(kind, object, ...rest)),
    patch: (kind, key, ...rest) => written(kind, key, () => client.patch(kind, key, ...rest)),
    apply: (kind, key, ...rest) => written(kind, key, () => client.apply(kind, key, ...rest)),
    replace: (kind, object, ...rest) =>
      written(kind, object.metadata, () => client.replace(kind, object, ...rest)),
    delete: (kind, key, ...rest) => written(kind, key, () => client.delete(kind, key, ...rest)),
  };
}
