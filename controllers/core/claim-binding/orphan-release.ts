import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { describeReference, referenceIsOfKind } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import { isServed } from '../claim/is-served.ts';
import type { ClaimService } from '../claim-service.ts';
import { managedNaming, secretsOfClaim } from '../indexes.ts';
import { aboutManaged, logAct } from '../story.ts';
import type { OrphanDecision } from './decide-orphan.ts';
import { decideOrphan } from './decide-orphan.ts';
import { withPhase } from './desired.ts';

export interface OrphanOptions {
  readonly env: Pick<Environment, 'events' | 'claimNamespaces'>;
  readonly service: ClaimService;
  readonly claims: Resource<Claim>;
  readonly managedResources: Resource<Managed>;
  readonly secrets: Resource<Secret>;
}

/** So many calls one orphan may need: its claim's Secrets, then the resource. */
const maxRounds = 4;

/**
 * Releases the managed resources of one kind whose `claimRef` names the claim of a key, if that claim does not exist. The
 * API server is asked for the claim before anything is done. Costs nothing where every resource has its claim.
 */
export function orphanRelease(
  options: OrphanOptions,
): (key: Request, signal: AbortSignal, log: Pick<Logger, 'child'>) => Promise<void> {
  const { env, service, claims, managedResources, secrets } = options;

  const decide = (managed: Managed, claim: Claim | undefined, deleted?: ReadonlySet<string | undefined>) =>
    decideOrphan({
      managed,
      claim,
      secrets: secretsOfClaim(secrets.store, managed.spec.claimRef ?? {}).filter(
        ({ metadata }) => deleted?.has(metadata.uid) !== true,
      ),
    });

  return async (key, signal, log) => {
    // Another process may look after claims that this one does not see.
    if (!isServed(env, key)) return;
    const seen = claims.get(key);
    const naming = managedNaming(managedResources.store, key).filter(({ spec }) =>
      referenceIsOfKind(spec.claimRef, service.claim),
    );
    const orphans = naming.filter((one) => !isOver(decide(one, seen)));
    if (orphans.length === 0) return;
    const claim = await annotate('cannot get resource claim', claims.fetch(key, signal));
    for (const orphan of orphans) await release(orphan, claim, signal, log);
  };

  async function release(
    managed: Managed,
    claim: Claim | undefined,
    signal: AbortSignal,
    log: Pick<Logger, 'child'>,
  ): Promise<void> {
    const deleted = new Set<string | undefined>();
    for (let round = 0; round < maxRounds; round += 1) {
      const decision = decide(managed, claim, deleted);
      if (isOver(decision)) return;
      await act(managed, decision, signal);
      if (decision.name !== 'DeleteSecret') {
        tell(managed, decision, log);
        return;
      }
      deleted.add(decision.secret.metadata.uid);
    }
  }

  async function act(managed: Managed, decision: OrphanDecision, signal: AbortSignal): Promise<void> {
    switch (decision.name) {
      case 'DeleteSecret':
        return annotate('cannot delete connection secret', secrets.delete(decision.secret, signal));
      case 'DeleteResource':
        return annotate('cannot delete managed resource', managedResources.delete(managed, signal));
      case 'Release': {
        const releasing = managedResources.updateStatus(managed, withPhase(managed, 'Released'), signal);
        await annotate('cannot update managed resource status', releasing);
      }
    }
  }

  function tell(managed: Managed, { name }: OrphanDecision, log: Pick<Logger, 'child'>): void {
    const { claimRef = {} } = managed.spec;
    const gone = `${describeReference(claimRef)} (UID ${claimRef.uid})`;
    const result = name === 'DeleteResource' ? 'this resource is deleted' : 'this resource is Released';
    const message =
      name === 'ClaimMissing'
        ? `${gone}, which spec.claimRef names, does not exist; if a backup brings it back, wait; else remove spec.claimRef, or delete this resource`
        : `${gone}, to which it was bound, no longer exists: ${result}`;
    const event = { type: 'Warning', reason: 'ClaimNotFound', message } as const;
    env.events.record(managed, event);
    logAct(
      log.child(() => aboutManaged(managed)),
      event,
    );
  }
}

/** Nothing is done, and nothing is reported. */
const isOver = ({ name }: OrphanDecision): boolean =>
  name === 'NotBound' || name === 'HasClaim' || name === 'StatusFromBackup';
