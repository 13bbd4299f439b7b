/*
 *   claim, class, managed resource, Secrets ──observe.ts──▶ decide.ts ──decision──▶ act.ts: one call, then again
 *                                                              │ no call
 *   Result ◀── conditions and Events, once: outcome.ts ◀── report.ts
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { publishesToStoreAlone } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isNamespaceTerminating, isNotFound } from '../../runtime/client/errors.ts';
import type { Reconciler, Result } from '../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../runtime/controller/reconcile.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { reportClaimEvent } from '../claim/claim-events.ts';
import { otherProcessPatience } from '../claim/other-processes.ts';
import { aboutClaim, logQuietAct } from '../log-changes.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { acting } from './act.ts';
import type { BindingContext, RunMemory } from './context.ts';
import { newRun } from './context.ts';
import { decideBinding } from './decide.ts';
import type { BindingCall, BindingDecision, BindingFacts, BindingWait } from './decision.ts';
import { isCall } from './decision.ts';
import { observe } from './observe.ts';
import { orphanRelease } from './orphan-release.ts';
import type { Outcome } from './outcome.ts';
import { concludeBinding, failedOutcome, failureOf, reported, secretConflict } from './outcome.ts';
import { readingFirst } from './read-first.ts';
import { reportOf } from './report.ts';

/** The result with a delay of at most `delayMs`. A requeue has a delay of its own. */
function noLater(result: Result, delayMs: number | undefined): Result {
  if (delayMs === undefined || result.type === 'requeue') return result;
  return result.type === 'done'
    ? { ...result, type: 'after', delayMs }
    : { ...result, delayMs: Math.min(result.delayMs, delayMs) };
}

/** The maximum number of rounds (read, decide, call) in one run. A new claim needs six calls. */
const maxRounds = 16;
/** A secret store sends no events, so it is polled: often while a claim waits, and then at the poll interval. */
const storePollMs = 2_000;

/**
 * Binds a claim to a managed resource: provisions one from the claim's class or uses the one that the claim names,
 * copies the connection Secret, and releases the resource when the claim is deleted.
 *
 * A run reads the facts, decides and makes one API call, and repeats this until a decision has no call. After a crash
 * the next run continues. If a claim must wait for an object, a change of that object triggers the next run. A conflict
 * (409) is retried without a report (H13 in docs/decision-tables.md).
 */
export function claimBinding(context: BindingContext): Reconciler {
  const { env, claims } = context;
  const readFirst = readingFirst(context);
  const act = acting(context);
  const releaseOrphans = orphanRelease(context);
  const patienceMs = otherProcessPatience(env.clock);

  return async (request, signal, log) => {
    const claim = claims.get(request);
    const result =
      claim === undefined ? { ...done, decision: 'ClaimGone' } : await runFor(claim, signal, log);
    return noLater(result, await releaseOrphans(request, signal, log));
  };

  async function runFor(claim: Claim, signal: AbortSignal, log: Logger): Promise<Result> {
    const run = newRun();
    let last: BindingDecision | undefined;
    const stored = (): Claim => {
      const now = claims.get(objectKey(claim.metadata));
      return now !== undefined && now.metadata.uid === claim.metadata.uid ? now : claim;
    };
    const logOf = (decision = last?.name) => log.child(() => ({ ...aboutClaim(stored()), decision }));
    const ended = async (outcome: Outcome): Promise<Result> => {
      const result = await concludeBinding(context, logOf(), stored(), outcome, signal);
      return { ...result, ...(last && { decision: last.name }) };
    };
    try {
      for (let round = 0; round < maxRounds; round += 1) {
        const observed = await observe(context, stored(), run, signal);
        last = decideBinding(observed);
        if (!isCall(last)) return ended(outcomeOf(last, observed));
        const read = await readFirst(last, observed, run, signal);
        if (read === 'news') continue;
        if (read === 'gone') return ended({ result: done });
        const result = await called(last, observed, run, logOf(), signal);
        if (result !== undefined) return ended({ result });
      }
      return ended({ result: requeue });
    } catch (error) {
      if (!(error instanceof StepFailure) || error.isSilent || signal.aborted) throw error;
      return ended(failedOutcome(error));
    }
  }

  /** Performs the API call of a decision. Returns a result if the run ends with this call. */
  async function called(
    decision: BindingCall,
    observed: BindingFacts,
    run: RunMemory,
    log: Logger,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { what, facts } = failureOf(decision, observed);
    try {
      const events = await failing(what, act(decision, observed, run, signal, log), facts);
      for (const event of events) reportClaimEvent(env, log, observed.claim, event);
    } catch (error) {
      if (isNamespaceTerminating(error)) return done; // the claim is deleted next, which triggers the next run
      // A 404 of a creation means that a kind or namespace is missing. Any other 404: the cache is behind.
      const isCreation = decision.name === 'Create' || decision.name === 'CopySecret';
      if (isCreation || !isNotFound(error)) throw error;
      return decision.name === 'RemoveFinalizer' ? done : requeue;
    }
    if (wasDeleted(observed.claim)) run.service = observed.service;
    if (decision.name !== 'RemoveFinalizer') return undefined;
    logQuietAct(log, 'RemovedFinalizer');
    return done;
  }

  function outcomeOf(decision: BindingWait, observed: BindingFacts): Outcome {
    const { provisioning, correction, managed, secrets } = observed;
    const plan = correction ?? provisioning?.plan;
    if (decision.name === 'Incompatible' && plan instanceof StepFailure) return failedOutcome(plan);
    if (decision.name === 'SecretNotOwned') {
      // No event shows that a Secret of another owner was deleted, so the run is retried.
      return failedOutcome(new StepFailure('', secrets.obstacle ?? '', secretConflict));
    }
    const waitMs = decision.name === 'UnknownKind' ? patienceMs(observed.claim, decision.name) : 0;
    if (waitMs > 0) return { result: after(waitMs) };
    const now = env.clock.now();
    const report = reportOf(decision.name, observed, now);
    if (report === undefined) return { result: done };
    const outcome = reported(report, now);
    if (managed !== undefined && outcome.resourceEvent !== undefined)
      env.events.record(managed, outcome.resourceEvent);
    if (managed === undefined || !publishesToStoreAlone(managed)) return outcome;
    if (decision.name === 'CredentialNotApplied') return { ...outcome, result: after(storePollMs) };
    return secrets.isWanted ? { ...outcome, result: noLater(outcome.result, env.pollIntervalMs) } : outcome;
  }
}
