/*
 *   managed resource, Secret, external resource ──▶ run/decide.ts ──decision──▶ run/act.ts: one call, then again
 *                                                        │ no call
 *   Result ◀── conditions and Events, once ◀── run/report.ts
 */

import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { withAnnotations } from '../../apis/core/v1alpha1/meta.ts';
import { isInterrupted, messageOf } from '../../runtime/client/errors.ts';
import type { Reconciler, Result } from '../../runtime/controller/reconcile.ts';
import { done } from '../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import { aboutManaged, logAct, logQuietAct } from '../log-changes.ts';
import { conclude } from '../outcome.ts';
import { failing, StepFailure } from '../step-failure.ts';
import type { ManagedReconcilerOptions } from './options.ts';
import { act } from './run/act.ts';
import type { Run } from './run/context.ts';
import { contextOf } from './run/context.ts';
import { decideManaged } from './run/decide.ts';
import type { Call, Decision } from './run/decision.ts';
import type { Facts } from './run/facts.ts';
import { factsOf, isFinalised, withEvents } from './run/facts.ts';
import { resultOf } from './run/next.ts';
import type { Report } from './run/report.ts';
import { reportOf } from './run/report.ts';
import { confirmationOf, making } from './run/steps.ts';

/** The maximum number of decisions in one run, against an endless loop. A creation needs about 20. */
const maxRounds = 50;

/**
 * Reconciles managed resources with an external system. A run decides and makes one call, and repeats this until a
 * decision has no call. The order of steps is that of crossplane-runtime v1.16 and docs/decision-tables.md. A conflict
 * (409) requeues the object, without a condition or an Event.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const service = options as unknown as ManagedReconcilerOptions<Managed>;
  const context = contextOf(service);
  const { env, managedResources, memory } = context;

  return async (request, signal, log) => {
    const managed = managedResources.get(request);
    if (managed === undefined) {
      memory.forget(request);
      return { ...done, decision: 'ResourceGone' };
    }
    const run: Run = { ...context, signal, log };
    const { facts, decision } = await carryOut(run, factsOf(context, managed, memory.operationOf(managed)));
    const report = reportOf(facts, decision, env.clock.now());
    const decided = decision.name === undefined ? {} : { decision: decision.name };
    const runLog = log.child(() => ({
      ...aboutManaged(managedResources.get(request) ?? managed),
      ...decided,
    }));
    return { ...(await writeReport({ ...run, log: runLog }, facts, report)), ...decided };
  };
}

/** Decides and acts until a decision has no call. Disconnects the external client in any case. */
async function carryOut(
  run: Run,
  start: Facts,
): Promise<{ readonly facts: Facts; readonly decision: Decision }> {
  let facts = start;
  let decision: Decision = {};
  try {
    for (let round = 0; ; round += 1) {
      if (round === maxRounds) throw new Error('the decisions about a managed resource do not end');
      decision = decideManaged(facts);
      const { name, call } = decision;
      if (call === undefined) break;
      facts = { ...facts, did: { ...facts.did, decision: name } };
      try {
        // guard: otherwise a stale read creates or deletes an external resource
        const managed = await confirmed(run, facts, call);
        if (managed === undefined) {
          decision = { name: 'ResourceGone' };
          break;
        }
        facts = { ...making(facts, call), managed };
        facts = await act(run, facts, call);
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        facts = { ...facts, failure: error };
        if (!run.signal.aborted) continue;
        decision = { name, failure: error };
        break;
      }
    }
  } finally {
    await facts.access?.external.disconnect?.().catch((error: unknown) => {
      if (isInterrupted(error)) return;
      facts = withEvents(facts, warning('CannotDisconnectFromProvider', messageOf(error)));
    });
  }
  return { facts, decision };
}

/**
 * Reads from the API server what a call needs, unless the last answer about it is younger than 5 s. Returns the managed
 * resource, or undefined if it does not exist any more. Throws a conflict if it, or its Secret, changed.
 */
async function confirmed(
  { managedResources, isObserveOnly, signal }: Run,
  { managed, place }: Facts,
  call: Call,
): Promise<Managed | undefined> {
  // With --observe-only, no such call is made.
  const confirmation = isObserveOnly ? undefined : confirmationOf(call);
  if (confirmation === undefined) return managed;
  const { reads } = confirmation;
  const failure = { ...confirmation.failure, reportsConflicts: false }; // the next run reads what changed
  const current = reads.includes('managed')
    ? await failing('cannot get managed resource', managedResources.confirm(managed, signal), failure)
    : managed;
  if (current !== undefined && reads.includes('place'))
    await failing('', place.entry?.confirm(signal) ?? Promise.resolve(), failure);
  return current;
}

/** Writes the report of a run, and removes the annotations that had their effect. */
async function writeReport(
  { env, managedResources, log, signal }: Run,
  facts: Facts,
  { desired, completed, events, used = [], next, failure }: Report,
): Promise<Result> {
  const { managed } = facts;
  const record = (object: Managed, event: EventFacts) => env.events.record(object, event);
  for (const event of completed) {
    record(managed, event);
    logAct(log, event);
  }
  if (isFinalised(facts)) logQuietAct(log, 'RemovedFinalizer');
  if (failure?.isSilent) throw failure;
  const audience = { objects: managedResources, what: 'managed resource', record, log };
  const conclusion = { desired, events, failure };
  const { stored = managed, runResult } = await conclude(audience, managed, conclusion, signal);
  const cleared = withAnnotations(stored, Object.fromEntries(used.map((key) => [key, undefined])));
  const last = await managedResources.update(stored, cleared, signal);
  return { ...resultOf(next, last, env), ...runResult };
}
