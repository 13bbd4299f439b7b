import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { timestamp } from '../../../apis/core/v1alpha1/timestamp.ts';
import { refusedCreation } from '../../external-identity.ts';

const secondMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

/** The time in an annotation, in epoch ms. `never` if the annotation is absent or malformed. */
function timeOf(object: KubernetesObject, key: string): number {
  const time = Date.parse(object.metadata.annotations?.[key] ?? '');
  return Number.isNaN(time) ? never : time;
}

/** The recorded end of the last creation, in epoch ms. `never` if none is recorded. */
const lastResult = (object: KubernetesObject): number =>
  Math.max(
    timeOf(object, annotationKeys.externalCreateSucceeded),
    timeOf(object, annotationKeys.externalCreateFailed),
  );

/** The start time to record for a creation. Always later than the last recorded end, even if the clock was set back. */
export const pendingTime = (object: KubernetesObject, now: Date): string =>
  timestamp(new Date(Math.max(now.getTime(), lastResult(object) + secondMs)));

/** The end time to record for a creation. Never earlier than its start. */
export const resultTime = (object: KubernetesObject, now: Date): string =>
  timestamp(new Date(Math.max(now.getTime(), timeOf(object, annotationKeys.externalCreatePending))));

/** Whether a creation was started without a recorded result (crossplane-runtime v1.16, ExternalCreateIncomplete). */
export function isCreationIncomplete(object: KubernetesObject): boolean {
  return timeOf(object, annotationKeys.externalCreatePending) > lastResult(object);
}

export const isCreationFailed = (object: KubernetesObject): boolean =>
  timeOf(object, annotationKeys.externalCreateFailed) >
  timeOf(object, annotationKeys.externalCreateSucceeded);

export const isCreationRecorded = (object: KubernetesObject): boolean =>
  timeOf(object, annotationKeys.externalCreateSucceeded) > never && !isCreationFailed(object);

/** Whether a creation was started, or the external resource was found. Each creation first writes an annotation. */
export const wasCreationBegun = ({ metadata, status }: Managed): boolean =>
  status?.externalIdentity !== undefined ||
  status?.bindingPhase !== undefined ||
  [
    annotationKeys.externalIdentity,
    annotationKeys.externalCreatePending,
    annotationKeys.externalCreateSucceeded,
    annotationKeys.externalCreateFailed,
  ].some((key) => metadata.annotations?.[key] !== undefined);

const again = '/again';

type Mark = Readonly<Record<string, string>>;

/**
 * The annotation that a creation writes first, and again if it fails. It has the UID of the object: a restored object has
 * another one, so that it did not create its external resource. `/again` replaces an external resource that was lost.
 * `isRefused`: whether the external system refused the creation. Default: as recorded for the same spec.
 */
export function creationMark(
  managed: Managed,
  isRefused: boolean = markOf(managed) === refusedText(managed),
): Mark {
  const { uid = '' } = managed.metadata;
  const begun = wasReady(managed) ? `${uid}${again}` : uid;
  return {
    [annotationKeys.externalCreation]: isRefused && !wasReady(managed) ? refusedText(managed) : begun,
  };
}

const markOf = ({ metadata }: Managed): string | undefined =>
  metadata.annotations?.[annotationKeys.externalCreation];

const refusedText = ({ metadata: { uid = '', generation = 0 } }: Managed): string =>
  `${uid}${refusedCreation}${generation}`;

/** Whether Ready was True before. The binding phase is set when it is True for the first time. */
const wasReady = ({ status }: Managed): boolean =>
  status?.bindingPhase !== undefined || getCondition(status?.conditions, 'Ready').status === 'True';

/** Whether this object created its external resource, which has not equalled the spec since then. */
export function isCreationUnfinished(managed: Managed): boolean {
  const [owner] = (markOf(managed) ?? '/').split('/');
  return owner === managed.metadata.uid && (isCreatedAgain(managed) || !wasReady(managed));
}

/** Whether the mark of a creation must be removed once the external resource has equalled the spec. */
export const isCreatedAgain = (managed: Managed): boolean => markOf(managed)?.endsWith(again) === true;
