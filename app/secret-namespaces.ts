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
 * A client that never requests a Secret of another namespace, even if an object names one. It refuses such a request as RBAC
 * would, and sends nothing. Without `namespaces` every namespace is allowed. The error of a refusal, also of a read that RBAC
 * refuses, has the namespace as data. A write may also be refused by a quota or a policy, and no code tells these apart.
 */
export function withinSecretNamespaces(
  client: KubernetesClient,
  namespaces: readonly string[] | undefined,
): KubernetesClient {
  /** The error of a request that is not allowed. Undefined: it is allowed. */
  const refusal = (
    kind: Pick<Kind, 'group' | 'version' | 'plural'>,
    { namespace }: Place,
  ): ApiError | undefined => {
    if (!isSecret(kind) || namespaces === undefined) return undefined;
    if (namespace !== undefined && namespaces.includes(namespace)) return undefined;
    const whose = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
    return secretsRefused(
      `the secrets of ${whose} are left alone: add it to --secret-namespaces, and its Role`,
      { namespace, isExcluded: true },
    );
  };
  const allowed = async <T>(kind: Kind, place: Place, request: () => Promise<T>): Promise<T> => {
    const refused = refusal(kind, place);
    if (refused !== undefined) throw refused;
    return request();
  };
  const read = <T>(kind: Kind, place: Place, request: () => Promise<T>): Promise<T> =>
    allowed(kind, place, () =>
      request().catch((error: unknown) => {
        if (!isSecret(kind) || !isForbidden(error)) throw error;
        throw secretsRefused(messageOf(error), { namespace: place.namespace, isExcluded: false });
      }),
    );

  return {
    serverVersion: (signal) => client.serverVersion(signal),
    serves: (kind, signal) => client.serves(kind, signal),
    get: (kind, key, ...rest) => read(kind, key, () => client.get(kind, key, ...rest)),
    list: (kind, options, ...rest) => read(kind, options, () => client.list(kind, options, ...rest)),
    watch(kind, options) {
      const refused = refusal(kind, options);
      return refused === undefined ? client.watch(kind, options) : throwError(() => refused);
    },
    create: (kind, object, ...rest) =>
      allowed(kind, object.metadata, () => client.create(kind, object, ...rest)),
    patch: (kind, key, ...rest) => allowed(kind, key, () => client.patch(kind, key, ...rest)),
    apply: (kind, key, ...rest) => allowed(kind, key, () => client.apply(kind, key, ...rest)),
    replace: (kind, object, ...rest) =>
      allowed(kind, object.metadata, () => client.replace(kind, object, ...rest)),
    delete: (kind, key, ...rest) => allowed(kind, key, () => client.delete(kind, key, ...rest)),
  };
}
