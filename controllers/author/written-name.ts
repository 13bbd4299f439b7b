import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isNowhere } from '../../clients/cloud-error.ts';
import { ExternalError } from '../../clients/external-error.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { Observation } from '../managed/connecting/external-client.ts';
import { isCreationFailed } from '../managed/recording/creation-tracking.ts';

/** The answer of `observe` if the external resource does not exist. `problem`: the reason not to create one either. */
export const nothingThere = (problem?: string): Observation<never> => ({
  exists: false,
  isUpToDate: false,
  ...(problem !== undefined && { uncreatable: problem }),
});

/**
 * The reason not to create a resource for a managed resource whose external name leads to nothing. The external system
 * would have assigned this name, so a user wrote it to adopt an existing resource, and does not want a new one.
 * Undefined if there is no name, or if a creation of ours is recorded. For {@link nothingThere}.
 */
export function writtenNameProblem(managed: Managed, noun: string): string | undefined {
  const name = externalName(managed);
  const isOurs = managed.metadata.annotations?.[annotationKeys.externalCreateSucceeded] !== undefined;
  if (name === undefined || isOurs) return undefined;
  return `there is no ${noun} "${name}"; ${advice.correctWrittenName}, or ${advice.removeWrittenName(noun)}`;
}

/**
 * The answer of `observe` if the named external resource, a `noun`, does not exist. The problem is one of these: {@link
 * writtenNameProblem}; fields that a creation lacks ({@link lackOf}); or a failed creation that cannot succeed on
 * another attempt. In the last case `looking` throws {@link Ambiguous}, or finds that the place does not exist, and
 * nothing is written for another attempt. Before the first attempt, `looking` is not called.
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
 * The result of `looking` after a creation. It is `nothing` if no name is recorded, the creation is recorded as failed,
 * and its place does not exist. Then the user can correct the place, or delete the managed resource.
 */
export const leftBy = <T>(managed: Managed, looking: Promise<T>, nothing: T): Promise<T> =>
  looking.catch((error: unknown) => {
    if (externalName(managed) === undefined && isNowhere(error) && isCreationFailed(managed)) return nothing;
    throw error;
  });

/** Several resources have the tags of one managed resource. */
export class Ambiguous extends ExternalError {
  constructor(managed: Managed, noun: string, ids: readonly string[]) {
    super(
      `${noun}s ${ids.toSorted().join(', ')} all carry the tags of ${managed.metadata.name}; ${advice.nameRightOne}`,
      { errorClass: 'Conflict', advice: { kinds: ['ChooseExternalName'] } },
    );
  }
}
