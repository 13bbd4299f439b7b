import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { createKnownFailures } from '../../../runtime/controller/known-failures.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import { wasBoundToAnother } from '../claim/holdings.ts';
import { isServed } from '../claim/is-served.ts';
import { rightfulClaim } from '../claim/rightful-claim.ts';
import type { ClaimService } from '../claim-service.ts';
import { managedNaming } from '../indexes.ts';
import { aboutManaged, logAct } from '../story.ts';
import type { OrphanDecision } from './decide-orphan.ts';
import { decideOrphan } from './decide-orphan.ts';
import { cannotUnbind } from './ending.ts';
import type { HandOvers } from './hand-overs.ts';
import { wasHandedOver, wasHandedOverNow } from './handed-to.ts';
import type { ReleaseOptions } from './release.ts';
import { deleteSecrets, part } from './release.ts';
import type { UnansweredCreations } from './unanswered-creations.ts';

export interface OrphanOptions extends ReleaseOptions {
  readonly env: Pick<Environment, 'clock' | 'events' | 'claimNamespaces'>;
  readonly service: ClaimService;
  readonly creations: Pick<UnansweredCreations, 'isOf'>;
  readonly handOvers: Pick<HandOvers, 'of' | 'forget'>;
  /** The managed resource that names a claim, UID included. */
  heldBy(claim: Claim): Managed | undefined;
}

/**
 * Lets go of the managed resources of one kind that name a claim of this key which is gone. What the store lacks is
 * looked for at the API server before anything is done. Costs nothing where every resource has its claim.
 */
export function orphanRelease(
  options: OrphanOptions,
): (key: Request, signal: AbortSignal, log: Pick<Logger, 'child' | 'warn'>) => Promise<void> {
  const { env, service, claims, managedResources, secrets, creations, handOvers, heldBy } = options;

  const decide = (
    resource: Managed,
    claim: Claim | undefined,
    isHandedOver = wasHandedOver(options, resource, resource.spec.claimRef ?? {}),
  ): OrphanDecision => {
    const former = { isHandedOver, isLate: creations.isOf(resource) };
    const decision = decideOrphan(service, resource, claim, former);
    const isIdle = decision.act === 'nothing' || decision.name === 'NotBoundHere';
    return isIdle
      ? decision
      : decideOrphan(service, resource, claim, { ...former, holder: holderOf(resource) });
  };

  /** The same; before it is offered to others, the API server is asked whether its password is known. */
  async function asked(
    resource: Managed,
    claim: Claim | undefined,
    signal: AbortSignal,
  ): Promise<OrphanDecision> {
    const decision = decide(resource, claim);
    if (decision.act !== 'free') return decision;
    const looking = wasHandedOverNow(options, resource, resource.spec.claimRef ?? {}, signal);
    return decide(resource, claim, await annotate('cannot get connection secret', looking));
  }

  /** The claim that has it: its UID is the one that the claimRef names, or it is on record for it, which has nothing else. */
  function holderOf(resource: Managed): Claim | undefined {
    const isNamed = (claim: Claim): boolean =>
      claim.metadata.uid === resource.spec.claimRef?.uid && !wasBoundToAnother(resource, claim);
    const named = claims.store.all().find(isNamed);
    if (named !== undefined) return named;
    const rightful = rightfulClaim(claims.store, resource);
    return rightful === undefined || heldBy(rightful) === undefined ? rightful : undefined;
  }

  /** Those that wait for somebody to say what becomes of them, of which each look tells again. */
  const waiting = createKnownFailures(env.clock);

  return async (key, signal, log) => {
    // Another process may look after claims that this one does not see.
    if (!isServed(env, key)) return;
    const seen = claims.get(key);
    const strays = managedNaming(managedResources.store, key).filter(
      (one) => decide(one, seen).act !== 'nothing',
    );
    if (strays.length === 0) return;
    const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));
    for (const resource of strays) {
      const decision = await asked(resource, claim, signal);
      if (decision.act === 'nothing') continue;
      if (decision.act !== 'tell') {
        await part(options, decision, signal);
        await deleteSecrets(secrets, resource.spec.claimRef ?? {}, cannotUnbind, signal);
        handOvers.forget(resource.spec.claimRef?.uid);
      }
      const { message } = decision;
      const lost: EventFacts = { type: 'Warning', reason: 'ClaimNotFound', message };
      env.events.record(resource, lost);
      const ofRun = log.child(() => aboutManaged(resource));
      if (decision.act !== 'tell') logAct(ofRun, lost);
      else if (waiting.met(resource.metadata, message) !== undefined) {
        ofRun.warn('managed resource without its claim', { message });
      }
    }
  };
}
