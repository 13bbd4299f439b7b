import type { KubernetesObject } from './kind.ts';

/**
 * The time of the last change outside of the status, in epoch ms. NaN: the object was changed, and records no time, for
 * example because a controller dropped `managedFields` (docs/decisions/0051).
 */
export function changedAtMs({ metadata }: KubernetesObject): number {
  const { generation = 1, deletionTimestamp } = metadata;
  const { managedFields = [] } = metadata as {
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
  if (managedFields.length === 0 && generation > 1 && deletionTimestamp === undefined) return Number.NaN;
  const times = [
    metadata.creationTimestamp,
    deletionTimestamp,
    ...managedFields.map(({ time, subresource }) => (subresource === undefined ? time : undefined)),
  ].map((time) => Date.parse(time ?? ''));
  return Math.max(...times.filter((time) => !Number.isNaN(time)), Number.NEGATIVE_INFINITY);
}
