import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';

/** What somebody must do something about; until then a deletion waits, and says so. */
const obstacles: readonly RegExp[] = [
  /^connect failed: /,
  // A system refuses: a network that is used, a role that owns a database.
  /^delete failed: .*(is used by|it owns database)/,
  /^cannot determine creation result/,
  /the provider leads to/,
  /paused/i,
  /in use by \d+ managed resources?/,
  /unsupported value/,
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
