import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { isRogues, rogue } from '../simulation/workload/attacks.ts';

type Tracked = ObjectMeta & { readonly managedFields?: unknown };

/**
 * The objects of others in the cluster, as they are stored, by kind and key. Counts of users have no owner,
 * and are left out.
 */
export const othersObjects = (objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    objects
      .filter((object) => object.kind !== 'Event' && !isRogues(object))
      .map((object) => {
        const { status: _, ...unused } = object as KubernetesObject & { status?: object };
        // Servers of today note there when the status was written last.
        const { resourceVersion: _v, managedFields: _f, ...metadata } = object.metadata as Tracked;
        const key = `${object.apiVersion} ${object.kind} ${objectKeyText(object.metadata)}`;
        return [key, ['Provider', 'ProviderConfig'].includes(object.kind) ? { ...unused, metadata } : object];
      }),
  );

/** Passwords, tokens and all that secrets of others hold. */
export const othersSecrets = (objects: readonly KubernetesObject[]): readonly string[] =>
  objects
    .filter(({ kind, metadata }) => kind === 'Secret' && metadata.namespace !== rogue)
    .flatMap((secret) => {
      const { password, credentials, uri } = decodeDetails(secret as Secret);
      return [password, credentials, uri].filter((value) => value !== undefined);
    });

/** The secrets that the tenant has read. The tenant may read everything in its namespace, and Events. */
export function learnt(objects: readonly KubernetesObject[], secrets: readonly string[]): readonly string[] {
  const visible = objects
    .filter(({ kind, metadata }) => kind === 'Event' || metadata.namespace === rogue)
    .map((object) => JSON.stringify(object.kind === 'Secret' ? decodeDetails(object as Secret) : object));
  return secrets.filter((secret) =>
    visible.some((text) => text.includes(JSON.stringify(secret).slice(1, -1))),
  );
}
