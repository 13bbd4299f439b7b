import min from 'lodash/min.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { describeReference, referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { normal, warning } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { isServed } from '../claim/claim-namespaces.ts';
import { managedNaming, secretsOfClaim } from '../indexes.ts';
import { aboutManaged, logAct } from '../log-changes.ts';
import type { BindingContext } from './context.ts';
import type { OrphanDecision } from './decide-orphan.ts';
import { decideOrphan } from './decide-orphan.ts';
import { withReleased } from './desired.ts';
import { expiryTimes } from './expiry-times.ts';
import { retainedText } from './retained-text.ts';

/**
 * Releases the managed resources whose `claimRef` names a claim of this kind that does not exist, and deletes kept ones at
 * their date. If there are any, the claim is first read from the API server, because the cache may lack it. Returns the
 * milliseconds until the next date, or undefined without one.
 */
export function orphanRelease({ env, services, claims, secrets, resourcesOf }: BindingContext) {
  const expiries = expiryTimes(env.clock);

  function decide(managed: Managed, claim: Claim | undefined, deleted: ReadonlySet<Secret> = new Set()) {
    const controlled = secretsOfClaim(secrets.store, managed.spec.claimRef ?? {});
    const isExpired = expiries.remainingMs(managed) === 0;
    const remaining = controlled.filter((secret) => !deleted.has(secret));
    return decideOrphan({ managed, claim, secrets: remaining, isExpired });
  }

  return async (
    key: Request,
    signal: AbortSignal,
    log: Pick<Logger, 'child'>,
  ): Promise<number | undefined> => {
    // The cache has no claims of a namespace that this process does not serve, so they would wrongly count as deleted.
    if (!isServed(env, key)) return undefined;
    const current = claims.get(key);
    const naming = services
      .ready()
      .flatMap((service) => managedNaming(env.resource(service.managed).store, key))
      .filter(({ spec }) => referenceIsOfKind(spec.claimRef, claims.kind));
    const orphans = naming.filter((one) => !isFinal(decide(one, current)));
    if (orphans.length === 0) return min(naming.map(expiries.remainingMs));
    // guard: otherwise a claim that the cache does not show yet loses its resource
    const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));
    let hasWritten = false;
    for (const orphan of orphans) hasWritten = (await release(orphan, claim, signal, log)) || hasWritten;
    // guard: otherwise a claim that waits for the release waits for ever, because a run's own writes wake nothing
    if (hasWritten) return 0;
    return min(naming.map(expiries.remainingMs));
  };

  async function release(
    managed: Managed,
    claim: Claim | undefined,
    signal: AbortSignal,
    log: Pick<Logger, 'child'>,
  ): Promise<boolean> {
    const deleted = new Set<Secret>(); // the cache may still have these Secrets
    let decision = decide(managed, claim);
    while (decision.name === 'DeleteSecret') {
      await annotate('cannot delete connection secret', secrets.delete(decision.secret, signal));
      deleted.add(decision.secret);
      decision = decide(managed, claim, deleted);
    }
    if (isFinal(decision)) return deleted.size > 0;
    if (decision.name === 'DeleteResource' || decision.name === 'DeleteExpired') {
      await annotate('cannot delete managed resource', resourcesOf(managed).delete(managed, signal));
    }
    if (decision.name === 'Release') {
      // The namespace of a claim that vanished is not known: another one may have its name now.
      const released = withReleased(managed, decision.isClaimRestored ? undefined : { now: env.clock.now() });
      const releasing = resourcesOf(managed).updateStatus(managed, released, signal);
      await annotate('cannot update managed resource status', releasing);
    }
    const event = eventOf(managed, decision);
    env.events.record(managed, event);
    const orphanLog = log.child(() => aboutManaged(managed));
    logAct(orphanLog, event);
    return decision.name !== 'ClaimMissing';
  }
}

function eventOf(managed: Managed, { name }: OrphanDecision): EventFacts {
  const { spec, status } = managed;
  const { claimRef = {} } = spec;
  if (name === 'DeleteExpired') {
    const message = `it was kept until ${status?.deleteAt}, and no claim took it back: it is deleted${retainedText(managed)}`;
    return normal('DeletedExpiredResource', message);
  }
  const claim = `${describeReference(claimRef)} (UID ${claimRef.uid})`;
  const result =
    name === 'DeleteResource'
      ? `this resource is deleted${retainedText(managed)}`
      : 'this resource is Released';
  const message =
    name === 'ClaimMissing'
      ? `${claim}, which spec.claimRef names, does not exist; ${advice.removeClaimRef}`
      : `${claim}, to which it was bound, no longer exists: ${result}`;
  return warning('ClaimNotFound', message);
}

/** Whether the decision needs neither a call nor an Event. */
const isFinal = ({ name }: OrphanDecision): boolean =>
  name === 'NotBound' || name === 'HasClaim' || name === 'StatusFromBackup';
