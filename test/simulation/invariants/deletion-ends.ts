import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf, ObservedWorld, StoredObject } from '../invariant.ts';
import { claimKinds, isManagedKind, kindOf } from '../kinds.ts';
import { isLedAsBefore } from '../oracle/leads-as-before.ts';

/** Faults that a user must fix. Until then a deletion waits, and reports it. */
const obstacles: readonly RegExp[] = [
  // Credentials that were not corrected.
  /refused the token \(401/,
  /there are no credentials for|check the access key in the credentials of the provider/,
  /put a valid key of that service account into the provider's secret/,
  // It is not known whether anything was published there.
  /^cannot (get|unpublish) connection details: StoreConfig \S+ of spec\.publishConnectionDetailsTo does not exist/,
  // A system refuses: a network that is used, a role that owns a database.
  /(is used by|it owns database|has dependencies)/,
  /^cannot determine creation result/,
  /the provider connects to/,
  /paused/i,
  // The claim or its class protects it from deletion.
  /waits because spec\.deletionProtection is true/,
  /in use by \d+ managed resources?/,
  /unsupported value/,
  // Its external resource is not known until it is corrected.
  /^malformed, and not reconciled/,
  // A claim that names what no process handles, as where no rule forbids the edit.
  /so that no controller removes the finalizer/,
];

/** The classes of errors with which no connection begins. */
const unconnected: readonly string[] = ['CredentialsUnreadable', 'DependencyNotFound'];

function isHeldUp({ status }: StoredObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(
    ({ message = '', error }) =>
      unconnected.includes(error?.class ?? '') || obstacles.some((obstacle) => obstacle.test(message)),
  );
}

/** Its provider leads to another system, where the resource need not exist. */
const isLedAstray = (world: ObservedWorld, object: StoredObject): boolean =>
  isManagedKind(object) && !isLedAsBefore(world, object as unknown as Managed);

/** The one that a controller of its kind removes. */
function finalizerOf(object: StoredObject): string | undefined {
  if (isManagedKind(object)) return finalizerNames.managed;
  if (claimKinds.includes(kindOf(object))) return finalizerNames.claim;
  return ['Provider', 'ProviderConfig', 'StoreConfig'].includes(object.kind)
    ? finalizerNames.inUse
    : undefined;
}

/** Its author gave it a finalizer that no controller of its kind removes. */
const isHeldByOthers = (object: StoredObject): boolean =>
  object.metadata.finalizers?.some((finalizer) => finalizer !== finalizerOf(object)) === true;

/** Its definition refuses every write: an Event reports it, if it could be written. */
const isUnwritable = ({ planted, scenario }: ObservedWorld, { metadata }: StoredObject): boolean =>
  planted.has(metadata.uid) && scenario.isLoose !== true;

export const deletionEnds: InvariantOf = (world) => ({
  name: 'a deleted object ends, or reports what it waits for',
  atRest: () =>
    world.cluster
      .objects()
      .filter(
        (object) =>
          object.metadata.deletionTimestamp !== undefined &&
          !isHeldUp(object) &&
          !isHeldByOthers(object) &&
          !isUnwritable(world, object) &&
          !isLedAstray(world, object),
      )
      .map(({ kind, metadata }) => `${kind} ${objectKeyText(metadata)} is still being deleted`),
});
