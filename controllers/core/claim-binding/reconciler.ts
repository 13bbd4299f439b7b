import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { binding, creating, deleting, reconcileError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationAnnotations } from '../../../apis/core/v1alpha1/secret.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { annotate, isAlreadyExists, isConflict, isNotFound, messageOf } from '../../../runtime/errors.ts';
import type { EventFacts } from '../../../runtime/event-recorder.ts';
import type { Reconciler, Result } from '../../../runtime/reconcile.ts';
import { after, done, requeue } from '../../../runtime/reconcile.ts';
import type { Resource } from '../../../runtime/resource.ts';
import type { ClaimFacts } from '../claim-status.ts';
import { withClaimStatus } from '../claim-status.ts';
import { secretsControlledBy } from '../indexes.ts';
import type { ClaimService } from '../managed-service.ts';
import { withBindingMetadata, withClaimReference, withoutClaim, withPhase } from './bind.ts';
import type { BindingDecision } from './decide.ts';
import { boundConditions, decideBinding, isConcerned, quietMs } from './decide.ts';
import { propagateConnection } from './propagate.ts';
import { provisionedManaged, withRecordedResource } from './provision.ts';
import { provisionedNames } from './provisioned-name.ts';

export interface ClaimBindingOptions {
  readonly env: Pick<Environment, 'events' | 'now' | 'log'>;
  readonly service: ClaimService;
  readonly peers: readonly ClaimService[];
  readonly claims: Resource<Claim>;
  readonly classes: Resource<Class>;
  readonly managed: Resource<Managed>;
  readonly secrets: Resource<Secret>;
}

/** A step that failed as steps may: reported on the claim, then tried again as `result` says. */
class StepFailure extends Error {
  readonly reason: string;
  /** Absent: Ready stays as it is. */
  readonly ready: ((message: string) => ConditionFacts) | undefined;
  readonly result: Result;
  constructor(message: string, cause: unknown, { reason, ready, result = requeue }: FailureFacts) {
    super(message, { cause });
    this.reason = reason;
    this.ready = ready;
    this.result = result;
  }
}

interface FailureFacts {
  /** The reason of the Event. */
  readonly reason: string;
  readonly ready?: (message: string) => ConditionFacts;
  readonly result?: Result;
}

/** Awaits a step; its failure is `what: cause`. Conflicts stay conflicts. */
async function failing<T>(what: string, step: Promise<T>, facts: FailureFacts): Promise<T> {
  try {
    return await annotate(what, step);
  } catch (error) {
    throw new StepFailure(messageOf(error), error, facts);
  }
}

const cannotBind: FailureFacts = { reason: 'CannotBindManagedResource', ready: binding };
const cannotRefresh: FailureFacts = { reason: 'CannotBindManagedResource' };
const cannotUnbind: FailureFacts = { reason: 'CannotUnbindManagedResource', ready: deleting };
const cannotCreate: FailureFacts = { reason: 'CannotCreateManagedResource', ready: creating };

/**
 * Satisfies a claim with a managed resource: provisions one from the claim's class or takes the one it names,
 * binds the two, hands over the connection secret, and lets go when the claim is deleted. Every wait is ended
 * by an event of the object waited for. Conflicts are thrown and put back silently (H13).
 */
export function claimBinding(options: ClaimBindingOptions): Reconciler {
  const { env, service, peers, claims, classes, managed, secrets } = options;

  return async (request, signal) => {
    const claim = claims.get(request);
    if (claim === undefined) return done;
    try {
      const found = await managedOf(claim, signal);
      const input = { service, peers, claim, managed: found, resourceClass: classOf(claim) };
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
  };

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
        return create(await record(claim, signal), decision.resourceClass, signal);
      case 'create':
        return create(claim, decision.resourceClass, signal);
      case 'bind':
        return bind(claim, decision.managed, signal);
      case 'refresh':
        return refresh(claim, decision.managed, signal);
      case 'release':
        await release(claim, decision.managed, decision.reclaim, signal);
        return finalise(claim, signal);
      case 'finalise':
        return finalise(claim, signal);
    }
  }

  function classOf(claim: Claim): Class | undefined {
    const name = claim.spec.classRef?.name;
    return name === undefined ? undefined : classes.get({ name });
  }

  /** Absence decides (to create, to let go), so it is confirmed by the API server, not by the store alone. */
  async function managedOf(claim: Claim, signal: AbortSignal): Promise<Managed | undefined> {
    const name = claim.spec.resourceRef?.name;
    if (name === undefined || !isConcerned(service, claim)) return undefined;
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
    env.events.record(claim, {
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

  async function bind(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const [claimed, referring] = await refer(claim, resource, cannotBind, signal);
    await propagate(claimed, referring, signal);
    const phased = managed.updateStatus(referring, withPhase(referring, 'Bound'), signal);
    const bound = await failing('cannot update managed resource status', phased, cannotBind);
    const facts: ClaimFacts = { conditions: boundConditions(bound), bindingPhase: 'Bound' };
    const message = `bound to ${bound.kind} ${bound.metadata.name}`;
    await report(claimed, facts, { type: 'Normal', reason: 'BoundManagedResource', message }, signal);
    return done;
  }

  /** K15: already bound. Keeps the secret, the references and the status true. */
  async function refresh(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const [claimed, healed] = await refer(claim, resource, cannotRefresh, signal);
    await propagate(claimed, healed, signal);
    await report(claimed, { conditions: boundConditions(healed), bindingPhase: 'Bound' }, undefined, signal);
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

  /**
   * Delete: the managed resource goes; its own controller shows it Released while that lasts. Retain: it is
   * marked Released while it still names the claim, and only then lets go of it, so that a crash in between
   * leaves work that is found again.
   */
  async function release(claim: Claim, resource: Managed, reclaim: 'Delete' | 'Retain', signal: AbortSignal) {
    try {
      if (reclaim === 'Delete') {
        await failing('cannot delete managed resource', managed.delete(resource, signal), cannotUnbind);
        return;
      }
      const phased = managed.updateStatus(resource, withPhase(resource, 'Released'), signal);
      const released = await failing('cannot update managed resource status', phased, cannotUnbind);
      const target = `${claim.metadata.namespace}/${claim.spec.writeConnectionSecretToRef?.name}`;
      await withdraw(resource, target, signal);
      const leave = Object.entries(propagationAnnotations(released));
      const dropped = leave.flatMap(([key, value]) => (value === target ? [key] : []));
      const freed = managed.update(released, withoutClaim(released, dropped), signal);
      await failing('cannot update managed resource', freed, cannotUnbind);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The source secret no longer allows propagation to the target. */
  async function withdraw(resource: Managed, target: string, signal: AbortSignal): Promise<void> {
    const key = resource.spec.writeConnectionSecretToRef;
    const source = key === undefined ? undefined : secrets.get(key);
    if (source === undefined) return;
    const kept = Object.entries(source.metadata.annotations ?? {}).filter(
      ([name, value]) => !(value === target && name in propagationAnnotations(source)),
    );
    const withdrawn = { ...source, metadata: { ...source.metadata, annotations: Object.fromEntries(kept) } };
    const update = secrets.update(source, withdrawn, signal);
    await failing('cannot update connection secret', update, cannotUnbind);
  }

  /** The claim's secret goes with it, also where no garbage collector runs; then the claim may go. */
  async function finalise(claim: Claim, signal: AbortSignal): Promise<Result> {
    for (const secret of secretsControlledBy(secrets.store, claim.metadata.uid)) {
      await failing('cannot delete connection secret', secrets.delete(secret, signal), cannotUnbind);
    }
    const finalizers = withoutFinalizer(claim, finalizerNames.claim);
    const finalised = { ...claim, metadata: { ...claim.metadata, finalizers } };
    try {
      const update = claims.update(claim, finalised, signal);
      await failing('cannot update resource claim', update, cannotUnbind);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return done;
  }

  /**
   * Writes the claim's status if it changes; the event tells of a change, never of a repetition. A claim that
   * is gone needs none.
   */
  async function report(
    claim: Claim,
    facts: ClaimFacts,
    event: EventFacts | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const reported = withClaimStatus(claim, facts, env.now());
    try {
      const written = await annotate(
        'cannot update resource claim status',
        claims.updateStatus(claim, reported, signal),
      );
      const isNews = !isEqual(sayings(claim), sayings(written));
      if (event !== undefined && isNews) env.events.record(claim, event);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

const sayings = ({ status }: Claim) => [
  status?.bindingPhase,
  status?.conditions?.map(({ type, reason, message }) => [type, reason, message]),
];
