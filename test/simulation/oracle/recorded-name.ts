import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';

/** What is on record; an edit of the name has no effect. */
export function recordedName(managed: Managed): string {
  const recorded =
    managed.status?.externalIdentity ?? managed.metadata.annotations?.[annotationKeys.externalIdentity];
  const { name } = JSON.parse(recorded ?? '{}') as { readonly name?: string };
  return name ?? externalName(managed) ?? managed.metadata.name;
}
