import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf, Seen, StoredObject } from '../invariant.ts';
import { isManagedKind } from '../kinds.ts';
import { isLedAsBefore } from '../oracle/leads-as-before.ts';

/** What somebody must do something about; until then a deletion waits, and says so. */
const obstacles: readonly RegExp[] = [
  /^connect failed: /,
  // Credentials that nobody has put right.
  /refused the token \(401/,
  /there are no credentials for|check the access key in the credentials of the provider/,
  /put a valid key of that service account into the provider's secret/,
  // Nobody knows whether anything was published there.
  /^cannot (get|unpublish) connection details: StoreConfig \S+ does not exist/,
  // A system refuses: a network that is used, a role that owns a database.
  /^delete failed: .*(is used by|it owns database|has dependencies)/,
  /^cannot determine creation result/,
  /the provider connects to/,
  /paused/i,
  /in use by \d+ managed resources?/,
  /unsupported value/,
  // A claim that names what no process handles, as where no rule forbids the edit.
  /no controller here handles, so that no controller removes/,
];

function isHeldUp({ status }: StoredObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(({ message = '' }) => obstacles.some((obstacle) => obstacle.test(message)));
}

/** Its provider leads elsewhere, where nobody has to be. */
const isLedAstray = (world: Seen, object: StoredObject): boolean =>
  isManagedKind(object) && !isLedAsBefore(world, object as unknown as Managed);

export const deletionEnds: InvariantOf = (world) => ({
  name: 'what is deleted goes, or says what it waits for',
  atRest: () =>
    world.cluster
      .objects()
      .filter(
        (object) =>
          object.metadata.deletionTimestamp !== undefined && !isHeldUp(object) && !isLedAstray(world, object),
      )
      .map(({ kind, metadata }) => `${kind} ${objectKeyText(metadata)} is still being deleted`),
});
