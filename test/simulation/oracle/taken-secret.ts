import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** The objects to check. */
export interface Objects {
  all(kind: Kind): readonly KubernetesObject[];
}

/** Where a secret is. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The secret there is at a place. */
export const secretAt = ({ namespace, name }: Place, objects: Objects): KubernetesObject | undefined =>
  objects.all(SecretKind).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);

/**
 * Whether a Secret has a controller that keeps it from an owner. A controller of a kind of the world must
 * exist. One of any other kind cannot be checked, and keeps its Secret.
 */
export function isTakenFrom(owner: KubernetesObject, place: Place, objects: Objects): boolean {
  const secret = secretAt(place, objects);
  const controller = secret && controllerOf(secret);
  if (controller === undefined || controller.uid === owner.metadata.uid) return false;
  const kind = [...claimKinds, ...managedKinds].find(
    (each) => each.kind === controller.kind && controller.apiVersion.startsWith(`${each.group}/`),
  );
  return kind === undefined || objects.all(kind).some(({ metadata }) => metadata.uid === controller.uid);
}
