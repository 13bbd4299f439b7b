import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';

/** What is on record; an edit of the name has no effect. Of an address, its last part. */
export function recordedName(managed: Managed): string {
  const recorded =
    managed.status?.externalIdentity ?? managed.metadata.annotations?.[annotationKeys.externalIdentity];
  const { name } = JSON.parse(recorded ?? '{}') as { readonly name?: string };
  return lastPartOf(name) ?? lastPartOf(externalName(managed)) ?? managed.metadata.name;
}

/** Of an address its last part: the name of what is found there. Other names stay. */
export function lastPartOf(name: string | undefined): string | undefined {
  return name !== undefined && /^https?:/.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name;
}
