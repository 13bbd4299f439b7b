import isMatch from 'lodash/isMatch.js';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { ownerUidLabel } from '../../../controllers/connection/store-place.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

const ours: readonly string[] = Object.values(finalizerNames);

const foreignFinalizers = (object: KubernetesObject | undefined): readonly string[] =>
  (object?.metadata.finalizers ?? []).filter((finalizer) => !ours.includes(finalizer));

const ownerKinds: readonly string[] = [...claimKinds, ...managedKinds].map(({ kind }) => kind);

/** Managed resources, and the secrets of ours: nothing else is a process's to delete. */
const isOurs = ({ kind, ...object }: KubernetesObject): boolean =>
  managedKinds.some((each) => each.kind === kind) ||
  (kind === 'Secret' &&
    (ownerKinds.includes(controllerOf({ kind, ...object })?.kind ?? '') || isInStore(object.metadata)));

/** In a secret store, a label tells the owner. */
const isInStore = ({ labels }: KubernetesObject['metadata']): boolean =>
  labels?.[ownerUidLabel] !== undefined;

/** Processes remove no finalizer of others, and delete nothing but managed resources and secrets of ours. */
export const othersStay: InvariantOf = () => ({
  name: 'finalizers, objects and Secrets of other owners are not changed',
  changed({ by, before, after }) {
    if (!isProcess(by) || before === undefined) return [];
    const what = `${before.kind} ${objectKeyText(before.metadata)}`;
    const remaining = foreignFinalizers(after);
    const isDeletion =
      before.metadata.deletionTimestamp === undefined &&
      (after === undefined || after.metadata.deletionTimestamp !== undefined);
    const isWrite =
      before.kind === 'Secret' && !isOurs(before) && !isAdopted(before, after as Secret | undefined);
    return [
      ...foreignFinalizers(before)
        .filter((finalizer) => !remaining.includes(finalizer))
        .map((finalizer) => `${by} removes ${finalizer} from ${what}`),
      ...(isDeletion && !isOurs(before) ? [`${by} deletes ${what}`] : []),
      ...(isWrite && !isDeletion ? [`${by} writes ${what}, which nothing of ours controls`] : []),
    ];
  },
});

/**
 * A connection Secret without a controller may be taken over; by a claim only if it is a copy already, or
 * loses nothing.
 */
function isAdopted(before: Secret, after: Secret | undefined): boolean {
  if (before.type !== 'connection.crossplane.io/v1alpha1' || after === undefined || !isOurs(after))
    return false;
  const isClaims = claimKinds.some(({ kind }) => kind === controllerOf(after)?.kind);
  const isCopy = before.metadata.annotations?.['from.propagate.crossplane.io/name'] !== undefined;
  return !isClaims || isCopy || isMatch(after.data ?? {}, before.data ?? {});
}
