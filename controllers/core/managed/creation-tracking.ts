import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';

/** When a timestamp annotation was set, in epoch ms; undefined if absent or unparsable. */
function timeOf(object: KubernetesObject, key: string): number | undefined {
  const time = Date.parse(object.metadata.annotations?.[key] ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** RFC 3339 with second precision, as the annotations hold it. */
export const annotationTime = (now: Date): string => now.toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * Whether a creation was begun and its result never recorded: `pending` is later than `succeeded` and
 * `failed`. Equal seconds count as complete (crossplane-runtime v1.16, ExternalCreateIncomplete).
 */
export function isCreationIncomplete(object: KubernetesObject): boolean {
  const pending = timeOf(object, annotationKeys.externalCreatePending);
  if (pending === undefined) return false;
  const succeeded = timeOf(object, annotationKeys.externalCreateSucceeded) ?? Number.NEGATIVE_INFINITY;
  const failed = timeOf(object, annotationKeys.externalCreateFailed) ?? Number.NEGATIVE_INFINITY;
  return pending > Math.max(succeeded, failed);
}

/** Whether creation succeeded less than `graceMs` ago, so that an eventually consistent API may not show it. */
export function isInCreationGrace(object: KubernetesObject, graceMs: number, now: Date): boolean {
  const succeeded = timeOf(object, annotationKeys.externalCreateSucceeded);
  return succeeded !== undefined && now.getTime() - succeeded < graceMs;
}
