import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../apis/core/v1alpha1/meta.ts';
import type { ConditionError } from './error-class.ts';

/** In Ready of an external resource that was lost and exists again. */
export const dataLost = { class: 'DataLost' } as const satisfies ConditionError;

/** Whether a loss is recorded. The record is in an annotation, because a backup has no status. */
export const isLossNoted = ({ metadata }: Managed): boolean =>
  metadata.annotations?.[annotationKeys.externalLost] !== undefined;

const afterRename = '/renamed';

/** The record of a loss: its time. Or the external resource was renamed, and an administrator asked for an empty one. */
export const lossAt = (time: Date, isRenamed: boolean): Readonly<Record<string, string>> => ({
  [annotationKeys.externalLost]: `${time.toISOString()}${isRenamed ? afterRename : ''}`,
});

/**
 * The message about an external resource with data that was lost and exists again, or was renamed and replaced. Undefined
 * if there is none, or if an administrator acknowledged it.
 */
export function lossOf(managed: Managed): string | undefined {
  const record = managed.metadata.annotations?.[annotationKeys.externalLost];
  if (record === undefined) return undefined;
  const name = externalName(managed);
  const what = name === undefined ? 'external resource' : `external resource "${name}"`;
  if (record.endsWith(afterRename)) {
    const how = advice.acknowledgeLoss(managed, 'the renamed one');
    return `${what} was renamed, and an empty one was created; ${how}`;
  }
  return `${what} was lost and exists again, perhaps without its data; ${advice.acknowledgeLoss(managed)}`;
}
