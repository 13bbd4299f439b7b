import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isNowhere } from '../../clients/cloud-error.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { Observation } from '../core/managed/connecting/external-client.ts';
import { isCreationFailed } from '../core/managed/recording/creation-tracking.ts';

/** What `observe` answers of what is not there; `problem`: why nothing is to be created, either. */
export const nothingThere = (problem?: string): Observation<never> => ({
  exists: false,
  isUpToDate: false,
  ...(problem !== undefined && { uncreatable: problem }),
});

/**
 * Why nothing is to be created for a managed resource that names something that is not there, by a name that the external
 * system would have assigned: somebody wrote it down to have that taken over, and means no new one. What we are on record to
 * have made ourselves is no such thing, nor is no name: undefined. For {@link nothingThere}.
 */
export function writtenNameProblem(managed: Managed, noun: string): string | undefined {
  const name = externalName(managed);
  const isOurs = managed.metadata.annotations?.[annotationKeys.externalCreateSucceeded] !== undefined;
  if (name === undefined || isOurs) return undefined;
  return `there is no ${noun} "${name}"; correct the annotation ${annotationKeys.externalName}, or remove it to have a ${noun} created`;
}

/**
 * What `observe` answers where nothing is there of what the external system names, a `noun`: {@link writtenNameProblem}, what
 * a creation lacks ({@link lackOf}), or why one that failed before cannot succeed still, as {@link Ambiguous} that `looking`
 * throws, or that there is no such place, so that nothing is written for another attempt. Nobody looks for that before a
 * first one.
 */
export async function nothingOf(
  managed: Managed,
  noun: string,
  looking: () => Promise<unknown>,
  lack?: string,
): Promise<Observation<never>> {
  return nothingThere(writtenNameProblem(managed, noun) ?? lack ?? (await standingProblem(managed, looking)));
}

async function standingProblem(
  managed: Managed,
  looking: () => Promise<unknown>,
): Promise<string | undefined> {
  const hasFailed = managed.metadata.annotations?.[annotationKeys.externalCreateFailed] !== undefined;
  if (!hasFailed || externalName(managed) !== undefined || wasDeleted(managed)) return undefined;
  return looking().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Ambiguous || isNowhere(error)) return messageOf(error);
      throw error;
    },
  );
}

/**
 * What `looking` finds of a creation; `nothing` if that has left no name, is on record as one that failed, and was to be in a
 * place that there is not: who was wrong about the place can correct it, or give it up.
 */
export const leftBy = <T>(managed: Managed, looking: Promise<T>, nothing: T): Promise<T> =>
  looking.catch((error: unknown) => {
    if (externalName(managed) === undefined && isNowhere(error) && isCreationFailed(managed)) return nothing;
    throw error;
  });

/** Several things are marked as those of one managed resource. */
export class Ambiguous extends Error {
  override readonly name = 'Ambiguous';

  constructor(managed: Managed, noun: string, ids: readonly string[]) {
    super(
      `${noun}s ${ids.toSorted().join(', ')} all carry the tags of ${managed.metadata.name}; put the id of the right one into the annotation ${annotationKeys.externalName}`,
    );
  }
}
