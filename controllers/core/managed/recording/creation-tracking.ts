import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import { timestamp } from '../../../../apis/core/v1alpha1/timestamp.ts';

const secondMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

/** When a timestamp annotation was set, in epoch ms; never if it is absent or unparsable. */
function timeOf(object: KubernetesObject, key: string): number {
  const time = Date.parse(object.metadata.annotations?.[key] ?? '');
  return Number.isNaN(time) ? never : time;
}

/** When the last finished creation ended, in epoch ms. */
const lastResult = (object: KubernetesObject): number =>
  Math.max(
    timeOf(object, annotationKeys.externalCreateSucceeded),
    timeOf(object, annotationKeys.externalCreateFailed),
  );

/** The mark of a creation that begins now: always later than the last result, if need be ahead of the clock. */
export const pendingTime = (object: KubernetesObject, now: Date): string =>
  timestamp(new Date(Math.max(now.getTime(), lastResult(object) + secondMs)));

/** The mark of a creation that ends now: never earlier than the mark of its beginning. */
export const resultTime = (object: KubernetesObject, now: Date): string =>
  timestamp(new Date(Math.max(now.getTime(), timeOf(object, annotationKeys.externalCreatePending))));

/** A creation was begun and its result never recorded (crossplane-runtime v1.16, ExternalCreateIncomplete). */
export function isCreationIncomplete(object: KubernetesObject): boolean {
  return timeOf(object, annotationKeys.externalCreatePending) > lastResult(object);
}

/** The last creation is recorded as failed. */
export const isCreationFailed = (object: KubernetesObject): boolean =>
  timeOf(object, annotationKeys.externalCreateFailed) >
  timeOf(object, annotationKeys.externalCreateSucceeded);

/** The last creation is recorded as succeeded. */
export const isCreationRecorded = (object: KubernetesObject): boolean =>
  timeOf(object, annotationKeys.externalCreateSucceeded) > never && !isCreationFailed(object);

/** A time that is further ahead was written before the clock was set back, and does not count. */
const isWithin = (graceMs: number, timeMs: number, now: Date): boolean =>
  Math.abs(now.getTime() - timeMs) < graceMs;

/** A creation succeeded less than `graceMs` ago: an eventually consistent API may not show it yet. */
export function isInCreationGrace(object: KubernetesObject, graceMs: number, now: Date): boolean {
  return isWithin(graceMs, timeOf(object, annotationKeys.externalCreateSucceeded), now);
}

/** The same without annotations: creating again does no harm, so that only a deletion waits. */
export function isBeingCreated(managed: Managed, graceMs: number, now: Date): boolean {
  if (!wasDeleted(managed)) return false;
  const ready = getCondition(managed.status?.conditions, 'Ready');
  if (ready.reason !== undefined && ready.reason !== 'Creating') return false;
  const since = Date.parse(ready.lastTransitionTime ?? managed.metadata.creationTimestamp ?? '');
  return isWithin(graceMs, since, now);
}

/** A creation was begun, or the external resource was observed. Creations record the identity first. */
export const wasCreationBegun = ({ metadata, status }: Managed): boolean =>
  status?.externalIdentity !== undefined ||
  status?.bindingPhase !== undefined ||
  [
    annotationKeys.externalIdentity,
    annotationKeys.externalCreatePending,
    annotationKeys.externalCreateSucceeded,
    annotationKeys.externalCreateFailed,
  ].some((key) => metadata.annotations?.[key] !== undefined);
