import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { describeReference, referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { isServed } from '../claim/claim-namespaces.ts';
import { managedNaming, secretsOfClaim } from '../indexes.ts';
import { aboutManaged, logAct } from '../log-changes.ts';
import type { BindingContext } from './context.ts';
import type { OrphanDecision } from './decide-orphan.ts';
import { decideOrphan } from './decide-orphan.ts';
import { withPhase } from './desired.ts';

/**
 * Releases the managed resources whose `claimRef` names a claim of this kind that does not exist. If there are any, the
 * claim is first read from the API server, because the cache may lack it.
 */
export function orphanRelease({ env, services, claims, secrets, resourcesOf }: BindingContext) {
  function decide(managed: Managed, claim: Claim | undefined, deleted: ReadonlySet<Secret> = new Set()) {
    const controlled = secretsOfClaim(secrets.store, managed.spec.claimRef ?? {});
    return decideOrphan({ managed, claim, secrets: controlled.filter((secret) => !deleted.has(secret)) });
  }

  return async (key: Request, signal: AbortSignal, log: Pick<Logger, 'child'>): Promise<void> => {
    // The cache has no claims of a namespace that this process does not serve, so they would wrongly count as deleted.
    if (!isServed(env, key)) return;
    const current = claims.get(key);
    const naming = services
      .ready()
      .flatMap((service) => managedNaming(env.resource(service.managed).store, key))
      .filter(({ spec }) => referenceIsOfKind(spec.claimRef, claims.kind));
    const orphans = naming.filter((one) => !isFinal(decide(one, current)));
    if (orphans.length === 0) return;
    // guard: otherwise a claim that the cache does not show yet loses its resource
    const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));
    for (const orphan of orphans) await release(orphan, claim, signal, log);
  };

  async function release(
    managed: Managed,
    claim: Claim | undefined,
    signal: AbortSignal,
    log: Pick<Logger, 'child'>,
  ): Promise<void> {
    const deleted = new Set<Secret>(); // the cache may still have these Secrets
    let decision = decide(managed, claim);
    while (decision.name === 'DeleteSecret') {
      await annotate('cannot delete connection secret', secrets.delete(decision.secret, signal));
      deleted.add(decision.secret);
      decision = decide(managed, claim, deleted);
    }
    if (isFinal(decision)) return;
    if (decision.name === 'DeleteResource') {
      await annotate('cannot delete managed resource', resourcesOf(managed).delete(managed, signal));
    }
    if (decision.name === 'Release') {
      const releasing = resourcesOf(managed).updateStatus(managed, withPhase(managed, 'Released'), signal);
      await annotate('cannot update managed resource status', releasing);
    }
    const event = eventOf(managed, decision);
    env.events.record(managed, event);
    const orphanLog = log.child(() => aboutManaged(managed));
    logAct(orphanLog, event);
  }
}

function eventOf({ spec: { claimRef = {} } }: Managed, { name }: OrphanDecision): EventFacts {
  const claim = `${describeReference(claimRef)} (UID ${claimRef.uid})`;
  const result = name === 'DeleteResource' ? 'this resource is deleted' : 'this resource is Released';
  const message =
    name === 'ClaimMissing'
      ? `${claim}, which spec.claimRef names, does not exist; ${advice.removeClaimRef}`
      : `${claim}, to which it was bound, no longer exists: ${result}`;
  return { type: 'Warning', reason: 'ClaimNotFound', message };
}

/** Whether the decision needs neither a call nor an Event. */
const isFinal = ({ name }: OrphanDecision): boolean =>
  name === 'NotBound' || name === 'HasClaim' || name === 'StatusFromBackup';
