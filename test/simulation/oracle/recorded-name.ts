import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';

/**
 * The recorded name, because an edit of the name has no effect. Without one, the requested name. Of an
 * address, the last part.
 */
export function recordedName(managed: Managed): string {
  const { metadata, spec } = managed;
  const wanted = (spec.forProvider as { readonly name?: string } | undefined)?.name;
  return lastPartOf(nameOnRecord(managed)) ?? lastPartOf(externalName(managed)) ?? (wanted || metadata.name);
}

/** Undefined: it stands for nothing yet. */
export function nameOnRecord({ metadata, status }: Managed): string | undefined {
  return nameIn(status?.externalIdentity ?? metadata.annotations?.[annotationKeys.externalIdentity]);
}

/** A user may have written any text. */
function nameIn(recorded: string | undefined): string | undefined {
  try {
    const { name } = JSON.parse(recorded ?? '{}') ?? {};
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Of an address its last part: the name of what is found there. Other names stay. */
export function lastPartOf(name: string | undefined): string | undefined {
  return name !== undefined && /^https?:/.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name;
}
