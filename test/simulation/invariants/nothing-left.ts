import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

const ours = [...claimKinds, ...managedKinds];

/** The UID of a Secret's owner; a Secret in a secret store has no owner, but a label. */
const ownerUid = (secret: Secret): string =>
  controllerUid(secret) ??
  (secret.type === connectionSecretType ? secret.metadata.labels?.['secret.crossplane.io/owner-uid'] : '') ??
  '';

const scopeOf = (config: KubernetesObject): string => (config as StoreConfig).spec.defaultScope;

/**
 * When a process removed the finalizer of a claim or managed resource, its Secrets were deleted before. A process may also
 * delete an object whose finalizers a user has just removed: then the Secrets may stay (a known limit).
 */
export const nothingLeft: InvariantOf = ({ cluster }) => {
  /** By UID: claims and managed resources whose finalizer a process removed. */
  const finalised = new Map<string, string>();
  /** UIDs of Secrets that a user made, with any owner; or that were created later, by a request that was under way all the while. */
  const late = new Set<string>();
  /** Namespaces that a StoreConfig named once. */
  const formerScopes = new Set<string>();
  return {
    name: 'no Secret of a deleted object remains',
    changed({ by, kind, before, after }) {
      const hadFinalizer = (before?.metadata.finalizers ?? []).length > 0;
      if (after === undefined && hadFinalizer && isProcess(by) && ours.includes(kind)) {
        finalised.set(before?.metadata.uid ?? '', `${kind.kind} ${before?.metadata.name}`);
      }
      if (kind.kind === StoreConfigKind.kind && before !== undefined) {
        const [was, is] = [scopeOf(before), after && scopeOf(after)];
        if (was !== is) formerScopes.add(was);
      }
      const isCreated = kind.kind === 'Secret' && before === undefined && after !== undefined;
      const isForged = !isProcess(by);
      if (isCreated && (isForged || finalised.has(ownerUid(after as Secret))))
        late.add(after.metadata.uid ?? '');
      return [];
    },
    atRest: () =>
      cluster.all(SecretKind).flatMap((secret) => {
        const { uid = '', namespace = '' } = secret.metadata;
        const owner = finalised.get(ownerUid(secret));
        const isForgotten = controllerUid(secret) === undefined && formerScopes.has(namespace);
        return owner === undefined || late.has(uid) || isForgotten
          ? []
          : [`secret ${objectKeyText(secret.metadata)} is still there, and ${owner} is gone`];
      }),
  };
};
