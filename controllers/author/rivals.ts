import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { isObserver } from '../management-policies.ts';
import { providerOf } from '../provider/provider-choice.ts';

/** Finds an older resource for the same place, such as a second grant to one user: the two would undo each other. */
export type RivalFinder<M extends Managed> = (managed: M) => M | undefined;

const index = 'place';

const ageOf = ({ metadata }: Managed): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;

/**
 * A {@link RivalFinder} for resources that are found by fields, not by a name. `placeOf` returns the values of these
 * fields; the provider counts, too.
 */
export function rivalFinder<M extends Managed>(
  env: Pick<Environment, 'resource'>,
  kind: Kind<M>,
  placeOf: (managed: M) => readonly (string | undefined)[],
): RivalFinder<M> {
  const { store } = env.resource<M>(kind);
  const keyOf = (managed: M): string => {
    const { kind: providerKind, name } = providerOf(managed);
    return JSON.stringify([providerKind, name, ...placeOf(managed)]);
  };
  store.addIndex(index, (managed) => [keyOf(managed)]);
  return (managed) =>
    store
      .byIndex(index, keyOf(managed))
      .filter((other) => other.metadata.name !== managed.metadata.name)
      .filter((other) => !wasDeleted(other) && !isObserver(other) && ageOf(other) < ageOf(managed))
      .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))[0];
}
