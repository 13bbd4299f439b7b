/*
 *   claim, class, managed resource, secrets ──read──▶ decide.ts ──decision──▶ act: provision.ts, bind.ts,
 *                                                                       propagate.ts, release.ts
 *                                                                              │
 *   Result ◀── conditions and Events, once: ending.ts ◀──── an Ending ─────────┘
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { refuseMalformed } from '../../../apis/core/v1alpha1/well-formed.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isAlreadyExists, mayBeDone } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { ClaimNamespaces } from '../claim/claim-namespaces.ts';
import { wasBound } from '../claim/claim-status.ts';
import { isRestored, wasBoundToAnother } from '../claim/holdings.ts';
import type { ClaimNamespace } from '../claim/may-claim.ts';
import { restrictsNamespaces } from '../claim/may-claim.ts';
import { provisionedNames } from '../claim/provisioned-name.ts';
import { rightfulOther } from '../claim/rightful-claim.ts';
import type { ClaimService, Peers } from '../claim-service.ts';
import { claimKeyOf, claimsOfManaged } from '../indexes.ts';
import type { FailureFacts } from '../step-failure.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { withBindingMetadata, withBound, withClaimReference, withResourceReference } from './bind.ts';
import { isMeantFor } from './claim-reference.ts';
import type { BindingDecision, BindingInput } from './decide.ts';
import { decideBinding, isConcerned } from './decide.ts';
import { nameRestored } from './edits.ts';
import type { Ending, Happened } from './ending.ts';
import {
  cannotBind,
  cannotConfigure,
  cannotCreate,
  cannotPropagate,
  cannotRead,
  cannotRefresh,
  cannotUnbind,
  conclude,
  createdEvent,
  failed,
  finalised,
  leftBehind,
  newlyBound,
  quiet,
  reported,
  stillBound,
  unboundEvent,
} from './ending.ts';
import { createHandOvers } from './hand-overs.ts';
import { wasHandedOver, wasHandedOverNow } from './handed-to.ts';
import { orphanRelease } from './orphan-release.ts';
import type { HandingOver } from './propagate.ts';
import { keepsItsSecret, propagateConnection, removeStaleTargets } from './propagate.ts';
import { provisionedManaged, withRecordedResource } from './provision.ts';
import { finalise, part } from './release.ts';
import { createUnansweredCreations } from './unanswered-creations.ts';

export interface ClaimBindingOptions {
  readonly env: Pick<Environment, 'events' | 'clock' | 'log' | 'claimNamespaces'>;
  readonly service: ClaimService;
  readonly peers: Peers;
  readonly claims: Resource<Claim>;
  readonly classes: Resource<Class>;
  readonly managedResources: Resource<Managed>;
  readonly secrets: Resource<Secret>;
  readonly namespaces: ClaimNamespaces;
  /** The managed resource that names a claim, of whatever kind. */
  readonly heldBy: (claim: Claim) => Managed | undefined;
}

/**
 * Satisfies a claim with a managed resource: provisions one from the claim's class or takes the one it names,
 * binds the two, hands over the connection secret, and lets go when the claim is deleted. Every wait is ended
 * by an event of the object waited for. Conflicts are thrown and put back silently (H13).
 */
export function claimBinding(options: ClaimBindingOptions): Reconciler {
  const { env, service, peers, claims, classes, managedResources, secrets, namespaces, heldBy } = options;

  const creations = createUnansweredCreations(env.clock);
  const handOvers = createHandOvers();
  const records = { secrets, handOvers };
  const releaseOrphans = orphanRelease({ ...options, creations, handOvers });

  return async (request, signal, log) => {
    const result = await reconcile(request, signal, log);
    await releaseOrphans(request, signal, log);
    return result;
  };

  async function reconcile(request: Request, signal: AbortSignal, log: Logger): Promise<Result> {
    const claim = claims.get(request);
    const telling = (step: Promise<Ending>): Promise<Ending> =>
      step.catch((error: unknown) => {
        if (!(error instanceof StepFailure) || claim === undefined) throw error;
        // What the run has written before it failed is in the store; or by then a new claim of that name.
        const stored = claims.get(request);
        const isSame = stored?.metadata.uid === claim.metadata.uid;
        return failed((isSame ? stored : undefined) ?? claim, error, error.isSilent || signal.aborted);
      });
    return conclude({ ...options, log }, await telling(run()), signal);

    async function run(): Promise<Ending> {
      const input = await read(claim, signal);
      const decision = await asked(input, decided(input), signal);
      if (claim === undefined) return { ...quiet(), decision: decision.name };
      const ending = await telling(act(decision, claim, signal));
      const restored = nameRestored(claim, ending.claim, input.held);
      const happened = [...(restored === undefined ? [] : [restored]), ...(ending.happened ?? [])];
      return { ...ending, happened, decision: decision.name };
    }
  }

  function decided(input: BindingInput): BindingDecision {
    try {
      return decideBinding(input);
    } catch (error) {
      throw new StepFailure('cannot tell whether the claim can be served', error, cannotBind);
    }
  }

  /**
   * The same; or, at the moment of binding, what follows from the namespace as the API server has it at that moment, and
   * before a resource is free for others, from its secret as it is there.
   */
  async function asked(
    input: BindingInput,
    decision: BindingDecision,
    signal: AbortSignal,
  ): Promise<BindingDecision> {
    const { metadata } = input.claim ?? {};
    if (decision.act === 'free' && metadata !== undefined) {
      const looking = wasHandedOverNow(records, decision.managed, metadata, signal);
      const isHandedOver = await failing('cannot get connection secret', looking, cannotUnbind);
      return decided({ ...input, isHandedOver });
    }
    if (decision.act !== 'bind' || !restrictsNamespaces(decision.managed)) return decision;
    const { namespace = '' } = metadata ?? {};
    return decided({ ...input, namespace: await knownOf(namespaces.now(namespace, signal)) });
  }

  function knownOf(namespace: Promise<ClaimNamespace>): Promise<ClaimNamespace> {
    return failing('cannot get the namespace of the claim', namespace, cannotRead);
  }

  async function read(claim: Claim | undefined, signal: AbortSignal): Promise<BindingInput> {
    const held = claim && heldBy(claim);
    const managed = claim && (await managedOf(claim, held, signal));
    const resourceClass = claim && classOf(claim);
    const isBound = claim?.status?.bindingPhase === 'Bound' && managed?.status?.bindingPhase === 'Bound';
    const isAsked = claim !== undefined && !isBound && [managed, resourceClass].some(restrictsNamespaces);
    const { namespace = '' } = claim?.metadata ?? {};
    return {
      service,
      peers: peers.working(),
      claim,
      held,
      managed,
      ...(claim && managed && besides(claim, managed)),
      resourceClass,
      namespace: isAsked ? await knownOf(namespaces.of(namespace, signal)) : undefined,
      isHandedOver: claim !== undefined && wasHandedOver(records, managed, claim.metadata),
    };
  }

  /** What is known of other claims that may have a managed resource. */
  function besides(claim: Claim, managed: Managed): Pick<BindingInput, 'rightful' | 'isDisputed'> {
    const wasAnothers = (other: Claim): boolean =>
      other.metadata.uid !== claim.metadata.uid && wasBound(other);
    return {
      rightful: rightfulOther(claims.store, managed, claim),
      isDisputed: claimsOfManaged(claims.store, referenceTo(managed)).some(wasAnothers),
    };
  }

  async function act(decision: BindingDecision, claim: Claim, signal: AbortSignal): Promise<Ending> {
    switch (decision.act) {
      case 'report':
        tellManaged(claim, decision.ofManaged);
        return reported(claim, decision, env.clock.now());
      case 'record':
        configured(claim, decision.resourceClass); // what does not go together stays editable
        return create(await record(claim, signal), decision.resourceClass, signal);
      case 'create':
        return createRecorded(claim, decision.resourceClass, signal);
      case 'recall':
        return recall(claim, decision.managed, signal);
      case 'bind':
        return bind(claim, decision.managed, signal);
      case 'refresh':
        return refresh(claim, decision.managed, signal);
      case 'release':
      case 'free': {
        const found = await part(options, decision, signal);
        const happened = [unboundEvent(decision, found)];
        creations.letGo(claim);
        await finalise({ ...options, handOvers }, claim, { ...cannotUnbind, known: happened }, signal);
        handOvers.forget(claim.metadata.uid);
        return finalised(claim, happened);
      }
      case 'finalise':
        if (decision.name === 'NotOwned' && !isLetGo(claim)) tellManaged(claim, leftBehind(claim));
        creations.letGo(claim);
        await finalise({ ...options, handOvers }, claim, cannotUnbind, signal);
        handOvers.forget(claim.metadata.uid);
        return finalised(claim);
      case 'nothing':
        return quiet();
    }
  }

  /** An earlier run has parted from what it had, and was kept from the last step, or the store does not have that yet. */
  function isLetGo({ spec: { resourceRef } }: Claim): boolean {
    const { spec, status } = managedResources.get({ name: resourceRef?.name ?? '' }) ?? {};
    return spec?.claimRef === undefined && status?.bindingPhase === 'Released';
  }

  /** Tells the managed resource that is on record for a claim, whatever it names. */
  function tellManaged(claim: Claim, event: EventFacts | undefined): void {
    const resource = managedResources.get({ name: claim.spec.resourceRef?.name ?? '' });
    if (event === undefined || resource === undefined || !isMeantFor(resource, claim)) return;
    // Whoever looks for a claim that is not there tells it, too.
    const { claimRef } = resource.spec;
    const named = claimKeyOf(claimRef);
    const there = named && claims.get(named);
    const isTaken =
      there !== undefined && claimsOfManaged(claims.store, referenceTo(resource)).includes(there);
    const isSought = claimRef?.uid !== undefined && there?.metadata.uid !== claimRef.uid && !isTaken;
    if (named === undefined || !isSought) env.events.record(resource, event);
  }

  function classOf(claim: Claim): Class | undefined {
    return classes.get({ name: claim.spec.classRef?.name ?? '' });
  }

  /** Absence decides (to create, to let go), so it is confirmed by the API server, not by the store alone. */
  async function managedOf(
    claim: Claim,
    held: Managed | undefined,
    signal: AbortSignal,
  ): Promise<Managed | undefined> {
    const name = claim.spec.resourceRef?.name;
    if (held !== undefined || name === undefined || !isConcerned(service, claim, held)) return held;
    return failing('cannot get managed resource', managedResources.find({ name }, signal), cannotRead);
  }

  async function record(claim: Claim, signal: AbortSignal): Promise<Claim> {
    const isFree = (name: string): boolean => managedResources.get({ name }) === undefined;
    const name = claim.spec.resourceRef?.name ?? provisionedNames(claim).find(isFree);
    if (name === undefined) {
      throw new StepFailure('', 'every name this claim may give its managed resource is taken', cannotCreate);
    }
    const recorded = claims.update(claim, withRecordedResource(service, claim, name), signal);
    return failing('cannot update resource claim', recorded, cannotCreate);
  }

  /**
   * What an earlier run has recorded, if the API server has the claim as it is here: no write of this run would tell that
   * the claim has gone, and what it had with it, nor that it was bound meanwhile, to what has gone since.
   */
  async function createRecorded(claim: Claim, resourceClass: Class, signal: AbortSignal): Promise<Ending> {
    const { metadata } = claim;
    const fetching = claims.fetch(objectKey(metadata), signal);
    const stored = await failing('cannot get resource claim', fetching, cannotCreate);
    if (stored?.metadata.uid !== metadata.uid) return quiet();
    // An answer that is older than what is known changes nothing: to ask again at once would never end.
    const isSame = claims.get(objectKey(metadata))?.metadata.resourceVersion === metadata.resourceVersion;
    return isSame ? create(claim, resourceClass, signal) : { result: after(0) };
  }

  async function create(claim: Claim, resourceClass: Class, signal: AbortSignal): Promise<Ending> {
    const wanted = configured(claim, resourceClass);
    try {
      await failing('cannot create managed resource', managedResources.create(wanted, signal), cannotCreate);
    } catch (error) {
      if (mayBeDone(error)) creations.note(claim);
      if (!isAlreadyExists(error)) throw error;
      // Ours after a crash, or somebody else's: read, and decided about at once.
      const existing = managedResources.fetch({ name: wanted.metadata.name }, signal);
      await failing('cannot get managed resource', existing, cannotCreate);
      return { result: after(0) };
    }
    return quiet(claim, [createdEvent(wanted, resourceClass)]);
  }

  function configured(claim: Claim, resourceClass: Class): Managed {
    try {
      refuseMalformed(resourceClass, 'it');
      return provisionedManaged(service, claim, resourceClass);
    } catch (error) {
      const what = `cannot configure managed resource from ${resourceClass.kind} ${resourceClass.metadata.name}`;
      throw new StepFailure(what, error, cannotConfigure);
    }
  }

  async function recall(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Ending> {
    const recalled = claims.update(claim, withResourceReference(claim, resource), signal);
    return quiet(await failing('cannot update resource claim', recalled, cannotRefresh));
  }

  async function bind(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Ending> {
    const [updated, referring] = await refer(claim, resource, cannotBind, signal);
    const handingOver: HandingOver = (wasMarked, copy) => handOvers.during(updated, wasMarked, copy);
    const happened = await propagate(updated, referring, signal, handingOver);
    const phased = managedResources.updateStatus(referring, withBound(referring, updated), signal);
    const facts = { ...cannotBind, known: happened };
    const bound = await failing('cannot update managed resource status', phased, facts);
    handOvers.forget(updated.metadata.uid);
    return { ...newlyBound(updated, bound), happened };
  }

  /** Keeps the secret, the references and the status of a bound claim true. */
  async function refresh(claim: Claim, resource: Managed, signal: AbortSignal): Promise<Ending> {
    const [updated, healed] = await refer(claim, resource, cannotRefresh, signal);
    // The secret of one that is being deleted goes before it does: nothing is handed over any more.
    const isGoing = wasDeleted(healed);
    const happened = isGoing ? [] : await propagate(updated, healed, signal);
    if (healed.status?.bindingPhase === 'Bound' && (isRestored(healed) || wasBoundToAnother(healed, claim))) {
      const bound = managedResources.updateStatus(healed, withBound(healed, updated), signal);
      await failing('cannot update managed resource status', bound, { ...cannotRefresh, known: happened });
    }
    const hasCopy = !isGoing || (await keepsItsSecret(secrets, updated, signal));
    return { ...stillBound(updated, healed, hasCopy), happened };
  }

  /** The claim has its finalizer and the external name, and the managed resource names the claim. */
  async function refer(
    claim: Claim,
    resource: Managed,
    facts: FailureFacts<Happened>,
    signal: AbortSignal,
  ): Promise<readonly [Claim, Managed]> {
    const update = claims.update(claim, withBindingMetadata(claim, resource), signal);
    const updated = await failing('cannot update resource claim', update, facts);
    const referring = managedResources.update(resource, withClaimReference(resource, updated), signal);
    return [updated, await failing('cannot update managed resource', referring, facts)];
  }

  /** What stands in the way of the secret keeps a claim from becoming Bound, or Ready if it is. */
  async function propagate(
    claim: Claim,
    resource: Managed,
    signal: AbortSignal,
    handingOver?: HandingOver,
  ): Promise<Happened> {
    const happened = await failing('', removeStaleTargets(secrets, claim, resource, signal), cannotPropagate);
    const step = propagateConnection(secrets, claim, resource, signal, handingOver);
    await failing('', step, { ...cannotPropagate, known: happened });
    return happened;
  }
}
