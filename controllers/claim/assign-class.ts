/*
 *   a claim without a class, and all classes ──▶ decide.ts of claim-scheduling/ ──▶ its classRef,
 *                                                or of claim-defaulting/            or a report why there is no class
 */

import pick from 'lodash/pick.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { notReady, reconcileSuccess } from '../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { completeReference } from '../../apis/core/v1alpha1/reference.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Reconciler } from '../../runtime/controller/reconcile.ts';
import { after, done } from '../../runtime/controller/reconcile.ts';
import { exists, is, those, triggersIn } from '../../runtime/controller/triggers.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import type { ClaimKind } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import type { QuietAct } from '../log-changes.ts';
import { aboutClaim, logConditions, logQuietAct } from '../log-changes.ts';
import { stackReadyTrigger } from '../stack-ready.ts';
import { reportClaimEvent } from './claim-events.ts';
import { claimNamespaces } from './claim-namespaces.ts';
import type { ClaimFacts } from './claim-status.ts';
import { withClaimStatus } from './claim-status.ts';
import type { ClassDecision, ClassFacts } from './decide-class.ts';
import { whyNotSuitable } from './incompatible.ts';
import { restrictsNamespaces, whyNotFor } from './may-claim.ts';
import { otherProcessPatience } from './other-processes.ts';
import { ownedResources } from './owned-resources.ts';
import { previousResources } from './previous-resources.ts';

/** The parts that differ between scheduling (by `classSelector` or a name) and defaulting (the default class). */
export interface ClassAssignment {
  readonly controller: 'scheduling' | 'defaulting';
  readonly decide: (facts: ClassFacts) => ClassDecision;
  /** Whether this controller handles a claim without a complete `classRef`. */
  readonly needsClass: (claim: Claim) => boolean;
  /** The name of the log line about an assigned class. */
  readonly change: QuietAct;
}

/**
 * The controller that writes or completes the `classRef` of the claims of one kind, or reports in the status why there is
 * no class. If several processes write, the API server rejects all but the first with a 409.
 */
export function classAssignment(
  env: Environment,
  { claim: claimKind, services }: ClaimKind,
  { controller, decide, needsClass, change }: ClassAssignment,
): ControllerSpec {
  const events = env.events.from(eventSources[controller](claimKind));
  const claims = env.resource(claimKind);
  const stores = services.all.map((service) => env.resource(service.class).store);
  const namespaces = claimNamespaces(env);
  const ownedBy = ownedResources(env, services.all);
  const previousOf = previousResources(env, services.all);
  const patienceMs = otherProcessPatience(env.clock);
  const isWaiting = (claim: Claim) =>
    completeReference(claim.spec.classRef) === undefined && needsClass(claim);

  async function namespaceOf(claim: Claim | undefined, signal: AbortSignal) {
    const isNeeded = stores.some((store) => store.all().some(restrictsNamespaces));
    if (claim === undefined || !isWaiting(claim) || !isNeeded) return undefined;
    const reading = namespaces.of(claim.metadata.namespace ?? '', signal);
    return annotate('cannot get the namespace of the claim', reading);
  }

  const reconcile: Reconciler = async (request, signal, log) => {
    const claim = claims.get(request);
    const namespace = await namespaceOf(claim, signal);
    const decision = decide({
      claim,
      isHolding: claim !== undefined && ownedBy(claim).length > 0,
      returnable: claim && previousOf(claim).returnable[0],
      namespaceProblem: namespace !== undefined && 'problem' in namespace ? namespace.problem : undefined,
      candidates: services.ready().map((service) => ({
        kind: service.class,
        classes: env.resource(service.class).store.all(),
        whyNotSuitable: (one, offered) => whyNotSuitable(service, one, offered),
        isForbidden: (offered) => whyNotFor(namespace, offered) !== undefined,
      })),
    });
    const ended = { ...done, decision: decision.name };
    if (claim === undefined || decision.act === 'nothing') return ended;
    const { message } = decision;
    const logOf = (about: Claim) => log.child(() => ({ ...aboutClaim(about), decision: decision.name }));
    if (decision.act === 'report') {
      const waitMs = decision.name === 'InvalidClassSelector' ? 0 : patienceMs(claim, decision.name);
      if (waitMs > 0) return { ...after(waitMs), decision: decision.name };
      const facts: ClaimFacts = {
        conditions: [notReady(decision.reason, message), reconcileSuccess()],
        bindingPhase: 'Unbound',
        ...pick(decision, 'consideredKinds'),
      };
      const writing = claims.updateStatus(claim, withClaimStatus(claim, facts, env.clock.now()), signal);
      const { status } = await annotate('cannot update resource claim status', writing);
      logConditions(logOf(claim), { before: claim.status?.conditions, after: status?.conditions });
      // The API server deletes an Event after an hour, so record it at each run. The recorder limits the rate.
      const event = warning(decision.reason, decision.eventMessage);
      reportClaimEvent({ events }, logOf(claim), claim, event);
      return ended;
    }
    const assigned = {
      ...claim,
      spec: { ...claim.spec, classRef: { ...decision.classRef, ...claim.spec.classRef } },
    };
    await annotate('cannot update resource claim', claims.update(claim, assigned, signal));
    logQuietAct(logOf(assigned), decision.isOfReturnable ? 'KeptResource' : change, { message });
    return ended;
  };

  const wokenBy = triggersIn(env);
  return {
    name: controllerNames[controller](claimKind),
    sort: `claim ${controller}`,
    objects: claims.store,
    about: (request) => aboutClaim(claims.get(request)),
    triggers: [
      wokenBy(claims.store).when(exists, is(isWaiting)).itself('the claim changed'),
      wokenBy(...stores)
        .sharedByMany()
        .through(() => those(claims.store.all(), isWaiting), 'a class that may serve it changed'),
      namespaces.trigger(isWaiting, { claims: claims.store, offered: stores }),
      stackReadyTrigger(services, () =>
        those(claims.store.all(), isWaiting).map(({ metadata }) => objectKey(metadata)),
      ),
    ],
    reconcile,
  };
}
