import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';

/** What somebody must do something about; until then a deletion waits, and says so. */
const obstacles: readonly RegExp[] = [
  /^connect failed: /,
  // Credentials that nobody has put right.
  /refused the token \(401/,
  // Nobody knows whether anything was published there.
  /^cannot (get|unpublish) connection details: StoreConfig \S+ does not exist/,
  // A system refuses: a network that is used, a role that owns a database.
  /^delete failed: .*(is used by|it owns database|has dependencies)/,
  /^cannot determine creation result/,
  /the provider leads to/,
  /paused/i,
  /in use by \d+ managed resources?/,
  /unsupported value/,
  // A claim that names what no process handles, as where no rule forbids the edit.
  /no controller here handles, so that nobody lets go of it/,
];

function isHeldUp({ status }: StoredObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(({ message = '' }) => obstacles.some((obstacle) => obstacle.test(message)));
}

export const deletionEnds: InvariantOf = ({ cluster }) => ({
  name: 'what is deleted goes, or says what it waits for',
  atRest: () =>
    cluster
      .objects()
      .filter((object) => object.metadata.deletionTimestamp !== undefined && !isHeldUp(object))
      .map(({ kind, metadata }) => `${kind} ${objectKeyText(metadata)} is still being deleted`),
});
