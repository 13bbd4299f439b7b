import type { Kind } from '../../apis/core/v1alpha1/kind.ts';

/** `FancySQLInstance.database.crossplane.io`. */
export const kindLabel = ({ kind, group }: Kind): string => `${kind}.${group}`;
/** As client-go prints it, and Crossplane labels with. */
export const gvkLabel = ({ group, version, kind }: Kind): string => `${group}/${version}, Kind=${kind}`;
