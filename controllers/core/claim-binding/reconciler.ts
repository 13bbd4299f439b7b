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
import { boundConditions, decideBinding, isConcerned } from './decide.ts';
import { propagateConnection } from './propagate.ts';
import { provisionedManaged, withRecordedResource } from './provision.ts';
import { provisionedNames } from './provisioned-name.ts';

/** How long a just created managed resource may take before its claim's status says that it is awaited. */
const quietMs = 300;

export interface ClaimBindingOptions {
  readonly env: Pick<Environment, 'events' | 'now' | 'log'>;
  readonly service: ClaimService;
  readonly peers: readonly ClaimService[];
  readonly claims: Resource<Claim>;
  readonly classes: Resource<Class>;
  readonly managed: Resource<Managed>;
  readonly secrets: Resource<Secret>;
}

/**
 * Satisfies a claim with a managed resource: provisions one from the claim's class or takes the one it names,
 * binds the two, hands over the connection secret, and lets go when the claim is deleted. Every wait is ended
 * by an event of the object waited for.
 */
export function claimBinding(options: ClaimBindingOptions): Reconciler {
  const { env, service, peers, claims, classes, managed, secrets } = options;

  return async (request, signal) => {
    const claim = claims.get(request);
    const input = { service, peers, claim, managed: undefined, resourceClass: classOf(claim) };
    const decision = decideBinding({ ...input, managed: await managedOf(claim, signal) });
    return claim === undefined ? done : act(decision, claim, signal);
  };

  /** Carries a decision out; after a step that changed what was decided upon, decides again. */
  async function act(decision: BindingDecision, claim: Claim, signal: AbortSignal): Promise<Result> {
    switch (decision.act) {
      case 'nothing':
        return done;
      case 'report':
        await report(claim, decision.facts, decision.event, signal);
        return done;
      case 'record':
        return create(await record(claim, signal), decision.resourceClass, signal);
      case 'create':
        return create(claim, decision.resourceClass, signal);
      case 'bind':
        return bind(claim, await required(claim, signal), signal);
      case 'refresh':
        return refresh(claim, await required(claim, signal), signal);
      case 'release':
        await release(claim, await required(claim, signal), decision.reclaim, signal);
        return finalise(claim, signal);
      case 'finalise':
        return finalise(claim, signal);
    }
  }

  function classOf(claim: Claim | undefined): Class | undefined {
    const name = claim?.spec.classRef?.name;
    return name === undefined ? undefined : classes.get({ name });
  }

  /** Absence decides (to create, to let go), so it is confirmed by the API server, not by the store alone. */
  async function managedOf(claim: Claim | undefined, signal: AbortSignal): Promise<Managed | undefined> {
    const name = claim?.spec.resourceRef?.name;
    if (claim === undefined || name === undefined || !isConcerned(service, claim)) return undefined;
    return (
      managed.get({ name }) ??
      (await annotate('cannot get managed resource', managed.fetch({ name }, signal)))
    );
  }

  async function required(claim: Claim, signal: AbortSignal): Promise<Managed> {
    const found = await managedOf(claim, signal);
    if (found === undefined) throw new Error('managed resource vanished while it was reconciled');
    return found;
  }

  async function record(claim: Claim, signal: AbortSignal): Promise<Claim> {
    const name = provisionedNames(claim).find((candidate) => managed.get({ name: candidate }) === undefined);
    if (name === undefined) throw new Error('every name this claim may give its managed resource is taken');
    return annotate(
      'cannot update resource claim',
      claims.update(claim, withRecordedResource(service, claim, name), signal),
    );
  }

  async function create(claim: Claim, resourceClass: Class, signal: AbortSignal): Promise<Result> {
    let wanted: Managed;
    try {
      wanted = provisionedManaged(service, claim, resourceClass);
    } catch (error) {
      const message = `cannot configure managed resource from ${resourceClass.kind} ${resourceClass.metadata.name}: ${messageOf(error)}`;
      return fail(claim, 'CannotConfigureManagedResource', message, creating, done, signal); // K8: its class's or claim's next event wakes us
    }
    try {
      await managed.create(wanted, signal);
    } catch (error) {
      if (isAlreadyExists(error)) {
        await managed.fetch({ name: wanted.metadata.name }, signal); // ours after a crash, or somebody else's
        return after(0);
      }
      if (isConflict(error)) throw error;
      const message = `cannot create managed resource: ${messageOf(error)}`;
      return fail(claim, 'CannotCreateManagedResource', message, creating, requeue, signal);
    }
    env.events.record(claim, {
      type: 'Normal',
      reason: 'CreatedManagedResource',
      message: `created ${wanted.kind} ${wanted.metadata.name} from ${resourceClass.kind} ${resourceClass.metadata.name}`,
    });
    return after(quietMs);
  }

  async function bind(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const claimed = await annotate(
      'cannot update resource claim',
      claims.update(claim, withBindingMetadata(claim, resource), signal),
    );
    let bound = await annotate(
      'cannot update managed resource',
      managed.update(resource, withClaimReference(resource, claimed), signal),
    );
    const failed = await propagate(claimed, bound, signal);
    if (failed !== undefined) return failed;
    bound = await annotate(
      'cannot update managed resource status',
      managed.updateStatus(bound, withPhase(bound, 'Bound'), signal),
    );
    const facts: ClaimFacts = { conditions: boundConditions(bound), bindingPhase: 'Bound' };
    await report(
      claimed,
      facts,
      {
        type: 'Normal',
        reason: 'BoundManagedResource',
        message: `bound to ${bound.kind} ${bound.metadata.name}`,
      },
      signal,
    );
    return done;
  }

  /** K15: already bound. Keeps the secret, the references and the status true. */
  async function refresh(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Result> {
    const claimed = await annotate(
      'cannot update resource claim',
      claims.update(claim, withBindingMetadata(claim, resource), signal),
    );
    const healed = await annotate(
      'cannot update managed resource',
      managed.update(resource, withClaimReference(resource, claimed), signal),
    );
    const failed = await propagate(claimed, healed, signal);
    if (failed !== undefined) return failed;
    await report(claimed, { conditions: boundConditions(healed), bindingPhase: 'Bound' }, undefined, signal);
    return done;
  }

  /** K12: what stands in the way of the secret keeps a claim from becoming Bound, or Ready if it is. */
  async function propagate(
    claim: Claim,
    resource: Managed,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    try {
      await propagateConnection(secrets, claim, resource, signal);
      return undefined;
    } catch (error) {
      if (isConflict(error)) throw error;
      return fail(claim, 'CannotPropagateConnectionDetails', messageOf(error), binding, requeue, signal);
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
        await annotate('cannot delete managed resource', managed.delete(resource, signal));
        return;
      }
      const released = await annotate(
        'cannot update managed resource status',
        managed.updateStatus(resource, withPhase(resource, 'Released'), signal),
      );
      const target = `${claim.metadata.namespace}/${claim.spec.writeConnectionSecretToRef?.name}`;
      await withdraw(resource, target, signal);
      const leave = Object.entries(propagationAnnotations(released));
      const dropped = leave.flatMap(([key, value]) => (value === target ? [key] : []));
      await annotate(
        'cannot update managed resource',
        managed.update(released, withoutClaim(released, dropped), signal),
      );
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) {
        const message = messageOf(error);
        await fail(claim, 'CannotUnbindManagedResource', message, deleting, requeue, signal);
      }
      throw error;
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
    await annotate('cannot update connection secret', secrets.update(source, withdrawn, signal));
  }

  /** The claim's secret goes with it, also where no garbage collector runs; then the claim may go. */
  async function finalise(claim: Claim, signal: AbortSignal): Promise<Result> {
    for (const secret of secretsControlledBy(secrets.store, claim.metadata.uid)) {
      await annotate('cannot delete connection secret', secrets.delete(secret, signal));
    }
    const finalizers = withoutFinalizer(claim, finalizerNames.claim);
    const finalised = { ...claim, metadata: { ...claim.metadata, finalizers } };
    try {
      await annotate('cannot update resource claim', claims.update(claim, finalised, signal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return done;
  }

  async function fail(
    claim: Claim,
    reason: string,
    message: string,
    ready: (message: string) => ConditionFacts,
    result: Result,
    signal: AbortSignal,
  ): Promise<Result> {
    const conditions = [ready(message), reconcileError(message)];
    await report(claim, { conditions }, { type: 'Warning', reason, message }, signal);
    return result;
  }

  /** Writes the claim's status if it changes; the event tells of a change, never of a repetition. */
  async function report(
    claim: Claim,
    facts: ClaimFacts,
    event: EventFacts | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const reported = withClaimStatus(claim, facts, env.now());
    const written = await annotate(
      'cannot update resource claim status',
      claims.updateStatus(claim, reported, signal),
    );
    const isNews = !isEqual(sayings(claim), sayings(written));
    if (event !== undefined && isNews) env.events.record(claim, event);
  }
}

const sayings = ({ status }: Claim) => [
  status?.bindingPhase,
  status?.conditions?.map(({ type, reason, message }) => [type, reason, message]),
];
