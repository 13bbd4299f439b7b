import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { binding, creating, reconcileError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isAlreadyExists, isConflict, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { recordClaimEvent } from '../claim/claim-events.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { isRestored } from '../claim/holdings.ts';
import type { ClaimService } from '../claim-service.ts';
import { secretsControlledBy } from '../indexes.ts';
import { withBindingMetadata, withBound, withClaimReference, withResourceReference } from './bind.ts';
import type { BindingDecision } from './decide.ts';
import { boundConditions, decideBinding, describeUnserved, isConcerned, quietMs } from './decide.ts';
import type { Parting } from './decide-deleted.ts';
import { orphanRelease } from './orphan-release.ts';
import { propagateConnection } from './propagate.ts';
import { provisionedManaged, withRecordedResource } from './provision.ts';
import { provisionedNames } from './provisioned-name.ts';
import { finalise, part } from './release.ts';
import { claimReporter } from './report.ts';
import type { FailureFacts } from './step.ts';
import { cannotBind, cannotCreate, cannotRefresh, failing, StepFailure } from './step.ts';

export interface ClaimBindingOptions {
  readonly env: Pick<Environment, 'events' | 'now' | 'log' | 'claimNamespace'>;
  readonly service: ClaimService;
  readonly peers: readonly ClaimService[];
  readonly claims: Resource<Claim>;
  readonly classes: Resource<Class>;
  readonly managed: Resource<Managed>;
  readonly secrets: Resource<Secret>;
  /** The managed resource that names a claim, of whatever kind. */
  readonly heldBy: (claim: Claim) => Managed | undefined;
}

/**
 * Satisfies a claim with a managed resource: provisions one from the claim's class or takes the one it names,
 * binds the two, hands over the connection secret, and lets go when the claim is deleted. Every wait is ended
 * by an event of the object waited for. Conflicts are thrown and put back silently (H13).
 */
export function claimBinding(options: ClaimBindingOptions): Reconciler {
  const { env, service, peers, claims, classes, managed, secrets, heldBy } = options;

  const report = claimReporter(options);
  const releaseOrphans = orphanRelease(options);

  return async (request, signal, log) => {
    const claim = claims.get(request);
    const result = claim === undefined ? done : await reconcile(request, claim, signal);
    await releaseOrphans(request, signal, log);
    return result;
  };

  async function reconcile(request: Request, claim: Claim, signal: AbortSignal): Promise<Result> {
    try {
      const held = heldBy(claim);
      const found = await managedOf(claim, held, signal);
      const isHandedOver = secretsControlledBy(secrets.store, claim.metadata.uid).length > 0;
      const resourceClass = classOf(claim);
      const input = { service, peers, claim, managed: found, resourceClass, held, isHandedOver };
      return await act(decideBinding(input), claim, signal);
    } catch (error) {
      if (isConflict(error) || signal.aborted || !(error instanceof StepFailure)) throw error;
      const { message, ready, reason, result } = error;
      const conditions = [...(ready === undefined ? [] : [ready(message)]), reconcileError(message)];
      // What the pass has written before it failed is in the store.
      await report(
        claims.get(request) ?? claim,
        { conditions },
        { type: 'Warning', reason, message },
        signal,
      );
      return result;
    }
  }

  /** Carries a decision out. */
  async function act(decision: BindingDecision, claim: Claim, signal: AbortSignal): Promise<Result> {
    switch (decision.act) {
      case 'nothing':
        return done;
      case 'report': {
        const waitMs = (decision.notBeforeMs ?? 0) - env.now().getTime();
        if (waitMs > 0 && waitMs <= quietMs) return after(waitMs); // else the clocks disagree
        await report(claim, decision.facts, decision.event, signal);
        return done;
      }
      case 'record':
        configured(claim, decision.resourceClass); // what does not go together stays editable
        return create(await record(claim, signal), decision.resourceClass, signal);
      case 'create':
        return create(claim, decision.resourceClass, signal);
      case 'recall':
        return recall(claim, decision.managed, signal);
      case 'bind':
        return bind(claim, decision.managed, signal);
      case 'refresh':
        return refresh(claim, decision.managed, signal);
      case 'release':
      case 'free':
        await part(options, decision, signal);
        recordClaimEvent(env, claim, unboundEvent(decision));
        await finalise(options, claim, signal);
        return done;
      case 'finalise':
        await finalise(options, claim, signal);
        return done;
    }
  }

  function classOf(claim: Claim): Class | undefined {
    const name = claim.spec.classRef?.name;
    return name === undefined ? undefined : classes.get({ name });
  }

  /** Absence decides (to create, to let go), so it is confirmed by the API server, not by the store alone. */
  async function managedOf(
    claim: Claim,
    held: Managed | undefined,
    signal: AbortSignal,
  ): Promise<Managed | undefined> {
    const name = claim.spec.resourceRef?.name;
    if (held !== undefined || name === undefined || !isConcerned(service, claim, held)) return held;
    return (
      managed.get({ name }) ??
      (await failing('cannot get managed resource', managed.fetch({ name }, signal), {
        reason: 'CannotGetManagedResource',
      }))
    );
  }

  async function record(claim: Claim, signal: AbortSignal): Promise<Claim> {
    const name = provisionedNames(claim).find((candidate) => managed.get({ name: candidate }) === undefined);
    if (name === undefined) {
      const message = 'every name this claim may give its managed resource is taken';
      throw new StepFailure(message, undefined, cannotCreate);
    }
    const recorded = claims.update(claim, withRecordedResource(service, claim, name), signal);
    return failing('cannot update resource claim', recorded, cannotCreate);
  }

  async function create(claim: Claim, resourceClass: Class, signal: AbortSignal): Promise<Result> {
    const wanted = configured(claim, resourceClass);
    try {
      await failing('cannot create managed resource', managed.create(wanted, signal), cannotCreate);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Ours after a crash, or somebody else's.
      const existing = managed.fetch({ name: wanted.metadata.name }, signal);
      await failing('cannot get managed resource', existing, cannotCreate);
      return after(0);
    }
    recordClaimEvent(env, claim, {
      type: 'Normal',
      reason: 'CreatedManagedResource',
      message: `created ${wanted.kind} ${wanted.metadata.name} from ${resourceClass.kind} ${resourceClass.metadata.name}`,
    });
    return done; // its own events wake us
  }

  function configured(claim: Claim, resourceClass: Class): Managed {
    try {
      return provisionedManaged(service, claim, resourceClass);
    } catch (error) {
      const message = `cannot configure managed resource from ${resourceClass.kind} ${resourceClass.metadata.name}: ${messageOf(error)}`;
      // The next event of its class or claim wakes us.
      const facts = { reason: 'CannotConfigureManagedResource', ready: creating, result: done };
      throw new StepFailure(message, error, facts);
    }
  }

  /** Its own event wakes us. */
  async function recall(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const recalled = claims.update(claim, withResourceReference(claim, resource), signal);
    await failing('cannot update resource claim', recalled, cannotRefresh);
    return done;
  }

  async function bind(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const [claimed, referring] = await refer(claim, resource, cannotBind, signal);
    await propagate(claimed, referring, signal);
    const phased = managed.updateStatus(referring, withBound(referring), signal);
    const bound = await failing('cannot update managed resource status', phased, cannotBind);
    const unserved = describeUnserved(claimed, bound);
    const message = `bound to ${bound.kind} ${bound.metadata.name}`;
    const event: EventFacts = { type: 'Normal', reason: 'BoundManagedResource', message };
    await report(claimed, boundFacts(bound, unserved), event, signal);
    if (unserved !== undefined) recordClaimEvent(env, claimed, unservedEvent(unserved));
    return done;
  }

  /** K15: already bound. Keeps the secret, the references and the status true. */
  async function refresh(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const [claimed, healed] = await refer(claim, resource, cannotRefresh, signal);
    // The secret of one that is being deleted goes before it does.
    if (!wasDeleted(healed)) await propagate(claimed, healed, signal);
    if (healed.status?.bindingPhase === 'Bound' && isRestored(healed)) {
      const bound = managed.updateStatus(healed, withBound(healed), signal);
      await failing('cannot update managed resource status', bound, cannotRefresh);
    }
    const unserved = describeUnserved(claimed, healed);
    const event = unserved === undefined ? undefined : unservedEvent(unserved);
    await report(claimed, boundFacts(healed, unserved), event, signal);
    return done;
  }

  /** The claim has its finalizer and the external name, and the managed resource names the claim. */
  async function refer(
    claim: Claim,
    resource: Managed,
    facts: FailureFacts,
    signal: AbortSignal,
  ): Promise<readonly [Claim, Managed]> {
    const claiming = claims.update(claim, withBindingMetadata(claim, resource), signal);
    const claimed = await failing('cannot update resource claim', claiming, facts);
    const referring = managed.update(resource, withClaimReference(resource, claimed), signal);
    return [claimed, await failing('cannot update managed resource', referring, facts)];
  }

  /** K12: what stands in the way of the secret keeps a claim from becoming Bound, or Ready if it is. */
  async function propagate(claim: Claim, resource: Managed, signal: AbortSignal): Promise<void> {
    try {
      await propagateConnection(secrets, claim, resource, signal);
    } catch (error) {
      const facts = { reason: 'CannotPropagateConnectionDetails', ready: binding };
      throw new StepFailure(messageOf(error), error, facts);
    }
  }
}

const boundFacts = (managed: Managed, unserved: string | undefined): ClaimFacts => ({
  conditions: boundConditions(managed, unserved),
  bindingPhase: 'Bound',
  hasSecret: unserved === undefined,
});

function unboundEvent({ managed, ...parting }: Parting): EventFacts {
  const what = `${managed.kind} ${managed.metadata.name}`;
  const isDeleted = parting.act === 'release' && parting.reclaim === 'Delete';
  const message =
    parting.act === 'free'
      ? `gave back ${what}, to which it was never bound`
      : `unbound from ${what}, which is ${isDeleted ? 'deleted' : 'Released'}`;
  return { type: 'Normal', reason: 'UnboundManagedResource', message };
}

const unservedEvent = (message: string): EventFacts => ({
  type: 'Warning',
  reason: 'CannotPropagateConnectionDetails',
  message,
});
