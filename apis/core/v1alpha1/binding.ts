import type { Described } from '../schema.ts';
import type { Claim } from './claim.ts';
import { getCondition } from './condition.ts';
import type { bindingPhase } from './fields.ts';
import type { Managed } from './managed.ts';
import type { ObjectReference } from './reference.ts';

/** The phase of a claim or managed resource in the binding life cycle. */
export type BindingPhase = Described<typeof bindingPhase>;

/**
 * The phase after the external resource became usable: unset and Unbindable become Unbound; Bound and Released stay
 * (crossplane-runtime v0.2.3, SetBindable).
 */
export function setBindable(phase: BindingPhase | undefined): BindingPhase {
  return phase === 'Bound' || phase === 'Released' ? phase : 'Unbound';
}

/**
 * The message of the Event BoundManagedResource, for example `bound to FavouriteDBInstance cart: created from
 * FavouriteDBInstanceClass small in 0 s, ready in 31 s, bound in 0 s`. The times are those of the objects, so a restart
 * does not change them. They are in whole seconds. `createdFrom`: the class of a resource that was created for the
 * claim. Absent: another claim had the resource, or both come from a backup.
 */
export function boundMessage(
  { metadata }: Claim,
  managed: Managed,
  { createdFrom, now }: { readonly createdFrom?: ObjectReference | undefined; readonly now: Date },
): string {
  const ready = getCondition(managed.status?.conditions, 'Ready');
  const [begunMs = 0, createdMs = 0, readyMs = 0] = [
    metadata.creationTimestamp,
    managed.metadata.creationTimestamp,
    ready.lastTransitionTime,
  ].map((time) => Date.parse(time ?? ''));
  const bound = `bound to ${managed.kind} ${managed.metadata.name}`;
  if (Number.isNaN(begunMs + createdMs + readyMs)) return bound;
  const steps = [
    ...(createdFrom
      ? [{ what: `created from ${createdFrom.kind} ${createdFrom.name}`, atMs: createdMs }]
      : []),
    { what: 'ready', atMs: readyMs },
    { what: 'bound', atMs: now.getTime() },
  ];
  let sinceMs = begunMs;
  const described = steps.map(({ what, atMs }) => {
    const tookMs = Math.max(0, atMs - sinceMs);
    sinceMs += tookMs;
    return `${what} in ${Math.floor(tookMs / 1_000)} s`;
  });
  return `${bound}: ${described.join(', ')}`;
}
