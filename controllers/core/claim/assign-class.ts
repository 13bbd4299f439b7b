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
import type { Peers } from '../claim-service.ts';
import { recordClaimEvent } from './claim-events.ts';
import { choiceRecord } from './claim-record.ts';
import { claimResource } from './claim-resource.ts';
import type { ClaimFacts } from './claim-status.ts';
import { withClaimStatus } from './claim-status.ts';
import type { Candidates } from './class-choice.ts';
import type { AssignmentFacts, ClassDecision } from './class-decision.ts';
import { holdings } from './holdings.ts';
import { unfitness } from './misfit.ts';

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
  const claims = claimResource(env, assignment.claim);
  const classes = new Map(assignment.peers.all.map((peer) => [peer, env.resource(peer.class).store]));
  const candidates = (): readonly Candidates[] =>
    assignment.peers.working().map((peer) => ({
      kind: peer.class,
      classes: classes.get(peer)?.all() ?? [],
      unfitness: (claim, offered) => unfitness(peer, claim, offered),
    }));
  const heldBy = holdings(env, assignment.peers.all);
  return async (request, signal) => {
    const claim = claims.get(request);
    const decision = assignment.decide({
      claim,
      isHolding: (claim && heldBy(claim)) !== undefined,
      candidates: candidates(),
    });
    const ended: Result = { ...done, row: decision.row };
    if (claim === undefined || decision.act === 'nothing') return ended;
    if (decision.act === 'report') {
      const facts: ClaimFacts = {
        conditions: [notReady(decision.reason, decision.message), reconcileSuccess()],
        bindingPhase: 'Unbound',
        ...pick(decision, 'consideredKinds'),
      };
      const reported = withClaimStatus(claim, facts, env.clock.now());
      await annotate('cannot update resource claim status', claims.updateStatus(claim, reported, signal));
      // Each time: an Event is gone after an hour. The recorder bounds how often it is sent.
      recordClaimEvent(env, claim, { type: 'Warning', reason: decision.reason, message: decision.message });
      return ended;
    }
    const annotations = { ...claim.metadata.annotations, ...choiceRecord(claim) };
    const metadata = { ...claim.metadata, annotations };
    const assigned = { ...claim, metadata, spec: { ...claim.spec, classRef: decision.classRef } };
    await annotate('cannot update resource claim', claims.update(claim, assigned, signal));
    const { message } = decision;
    recordClaimEvent(env, assigned, { type: 'Normal', reason: assignment.eventReason, message });
    return ended;
  };
}

/** A claim's own changes, and any change of a class for every claim that still waits for one. */
export function assignmentTriggers(
  env: Environment,
  { claim, peers, concerns }: ClassAssignment,
): readonly Trigger[] {
  const wokenBy = triggersIn(env);
  const { store } = claimResource(env, claim);
  const waiting = () => those(store.all(), concerns);
  return [
    wokenBy(store).when(stays, is(concerns)).itself('the claim changed'),
    ...peers.all.map((peer) =>
      wokenBy(env.resource(peer.class).store).through(waiting, 'a class that it might be given changed'),
    ),
  ];
}
