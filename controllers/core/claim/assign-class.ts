/*
 *   a claim without a class, and all classes ──▶ decide.ts of claim-scheduling/ ──▶ its classRef,
 *                                                or of claim-defaulting/            or why there is none
 */

import pick from 'lodash/pick.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { notReady, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Result } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';
import { is, stays, those, triggersIn } from '../../../runtime/controller/triggers.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Peers } from '../claim-service.ts';
import { aboutClaim, logAct, logConditions } from '../story.ts';
import { recordClaimEvent } from './claim-events.ts';
import { claimNamespaces } from './claim-namespaces.ts';
import type { ClaimFacts } from './claim-status.ts';
import { withClaimStatus } from './claim-status.ts';
import type { Candidates } from './class-choice.ts';
import type { AssignmentFacts, ClassDecision } from './class-decision.ts';
import type { ClaimNamespace } from './may-claim.ts';
import { restrictsNamespaces, whyNotFor } from './may-claim.ts';
import { unfitness } from './misfit.ts';
import { ownedResources } from './owned-resources.ts';

/** What scheduling and defaulting share: the kinds at stake and the decision. */
export interface ClassAssignment {
  readonly claim: Kind<Claim>;
  readonly peers: Peers;
  readonly decide: (facts: AssignmentFacts) => ClassDecision;
  /** Whether an unassigned claim is this controller's business; it narrows what a class event wakes. */
  readonly concerns: (claim: Claim) => boolean;
  /** The Event of a success. */
  readonly eventReason: string;
}

/** Writes the decided class, or why there is none, to the claim. Peers are settled by the API server's 409. */
export function assignClass(env: Environment, assignment: ClassAssignment): Reconciler {
  const claims = env.resource(assignment.claim);
  const classes = new Map(assignment.peers.all.map((peer) => [peer, env.resource(peer.class).store]));
  const namespaces = claimNamespaces(env);
  const candidates = (namespace: ClaimNamespace | undefined): readonly Candidates[] =>
    assignment.peers.working().map((peer) => ({
      kind: peer.class,
      classes: classes.get(peer)?.all() ?? [],
      unfitness: (claim, offered) => unfitness(peer, claim, offered),
      isForbidden: (offered) => whyNotFor(namespace, offered) !== undefined,
    }));
  /** It takes a store, or a request, that nobody needs who says nothing of namespaces. */
  const namespaceOf = async (claim: Claim | undefined, signal: AbortSignal) => {
    const isAsked =
      claim !== undefined &&
      assignment.concerns(claim) &&
      [...classes.values()].some((store) => store.all().some(restrictsNamespaces));
    if (!isAsked) return undefined;
    const namespace = namespaces.of(claim.metadata.namespace ?? '', signal);
    return annotate('cannot get the namespace of the claim', namespace);
  };
  const ownedBy = ownedResources(env, assignment.peers.all);
  return async (request, signal, log) => {
    const claim = claims.get(request);
    const namespace = await namespaceOf(claim, signal);
    const decision = assignment.decide({
      claim,
      isHolding: claim !== undefined && ownedBy(claim).length > 0,
      candidates: candidates(namespace),
    });
    const ended: Result = { ...done, decision: decision.name };
    if (claim === undefined || decision.act === 'nothing') return ended;
    if (decision.act === 'report') {
      const facts: ClaimFacts = {
        conditions: [notReady(decision.reason, decision.message), reconcileSuccess()],
        bindingPhase: 'Unbound',
        ...pick(decision, 'consideredKinds'),
      };
      const reported = withClaimStatus(claim, facts, env.clock.now());
      const writing = claims.updateStatus(claim, reported, signal);
      const { status } = await annotate('cannot update resource claim status', writing);
      logConditions(
        log.child(() => ({ ...aboutClaim(claim), decision: decision.name })),
        { before: claim.status?.conditions, after: status?.conditions },
      );
      // Each time: an Event is gone after an hour. The recorder bounds how often it is sent.
      recordClaimEvent(env, claim, { type: 'Warning', reason: decision.reason, message: decision.message });
      return ended;
    }
    const assigned = { ...claim, spec: { ...claim.spec, classRef: decision.classRef } };
    await annotate('cannot update resource claim', claims.update(claim, assigned, signal));
    const chosen: EventFacts = {
      type: 'Normal',
      reason: assignment.eventReason,
      message: decision.message,
    };
    recordClaimEvent(env, assigned, chosen);
    logAct(
      log.child(() => ({ ...aboutClaim(assigned), decision: decision.name })),
      chosen,
    );
    return ended;
  };
}

/** A claim's own changes, and any change of a class for every claim that still waits for one. */
export function assignmentTriggers(
  env: Environment,
  { claim, peers, concerns }: ClassAssignment,
): readonly Trigger[] {
  const wokenBy = triggersIn(env);
  const { store } = env.resource(claim);
  const waiting = () => those(store.all(), concerns);
  const offered = peers.all.map((peer) => env.resource(peer.class).store);
  return [
    wokenBy(store).when(stays, is(concerns)).itself('the claim changed'),
    ...peers.all.map((peer) =>
      wokenBy(env.resource(peer.class).store)
        .sharedByMany()
        .through(waiting, 'a class that it might be given changed'),
    ),
    claimNamespaces(env).trigger(concerns, { claims: store, offered }),
  ];
}
