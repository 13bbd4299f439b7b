/*
 *   managed resource, Secret, external resource ──▶ run/decide.ts ──decision──▶ run/act.ts: one call, then again
 *                                                        │ no call
 *   Result ◀── conditions and Events, once ◀── run/report.ts
 */

import { randomBytes as systemRandomBytes } from 'node:crypto';
import omit from 'lodash/omit.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { NameLimits } from '../../../apis/core/v1alpha1/name-limits.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isInterrupted, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Result } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { ConnectionPlaces } from '../connection/connection-places.ts';
import type { RandomBytes, SecretDetails } from '../credential.ts';
import { aboutManaged, logAct, logQuietAct } from '../log-changes.ts';
import { conclude } from '../outcome.ts';
import { failing, StepFailure } from '../step-failure.ts';
import type { ExternalConnector } from './connecting/external-client.ts';
import { createAbsenceTimes } from './recording/absence-times.ts';
import { creationRecords } from './recording/creation-record.ts';
import type { IdentityMarks } from './recording/identity.ts';
import { createOperationsUnderWay } from './recording/operations-under-way.ts';
import type { RunContext } from './run/act.ts';
import { acting } from './run/act.ts';
import { decideManaged } from './run/decide.ts';
import type { Call, Decision } from './run/decision.ts';
import { readFirst } from './run/decision.ts';
import type { Facts } from './run/facts.ts';
import { factsOf, isFinalised, making, withEvents } from './run/facts.ts';
import { cannotConfirm } from './run/failures.ts';
import { resultOf } from './run/next.ts';
import type { Report } from './run/report.ts';
import { reportOf } from './run/report.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs' | 'isObserveOnly'>;
  readonly managedResources: Resource<M>;
  readonly connector: ExternalConnector<M>;
  /** The name of the stack, for messages. */
  readonly stack?: string;
  readonly places: ConnectionPlaces;
  readonly secretDetails?: SecretDetails<M>;
  readonly randomBytes?: RandomBytes;
  /**
   * - `assigned`: the external system chooses the name. One annotation announces each creation, and another records
   *   its result. If the result is lost, the controller waits for an administrator ("cannot determine creation
   *   result"), because another attempt might create a second external resource.
   * - `deterministic`: the name is known before creation (`forProvider.name`, else the object's name), so that
   *   creations need no annotations. The external system must refuse a second resource of that name, and `create` must
   *   succeed if an earlier attempt created the resource.
   */
  readonly externalNames: 'deterministic' | 'assigned';
  /** Returns the managed resource with the referenced values filled in. Throws the reason if a value is missing. */
  resolveReferences?(managed: M, signal: AbortSignal): Promise<M>;
  /** Why no external resource can be created now. Undefined if nothing prevents the creation, which is the default. */
  uncreatable?(managed: M): string | undefined;
  /**
   * How long after its creation an external resource may be invisible to observations, in ms. During this time no
   * deletion is completed, and a resource with an assigned name is not created again. Default: 30 000 for assigned
   * names, else 0.
   */
  readonly creationGraceMs?: number;
  /**
   * For how many ms observations must find nothing before the controller creates the external resource again, or ends a
   * deletion that the external system did not acknowledge. Default: 5 000. Use 0 if one observation is proof enough.
   */
  readonly confirmAbsenceMs?: number;
  /** The immutable fields of `forProvider`, and those that identify the external resource. Default: none. */
  readonly marks?: IdentityMarks;
  /** Whether a loss of the external resource loses data, so that it is reported until it is acknowledged. Default: no. */
  readonly holdsData?: boolean;
  /** The limits for external names (see `fittingName`). Absent: the external system accepts any name. */
  readonly names?: NameLimits;
}

/** The maximum number of decisions in one run, against an endless loop. A creation needs about 20. */
const maxRounds = 50;

/**
 * Reconciles managed resources with an external system. A run decides and makes one call, and repeats this until a
 * decision has no call. The order of steps is that of crossplane-runtime v1.16 and docs/decision-tables.md. A conflict
 * (409) requeues the object, without a condition or an Event.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const service = options as unknown as ManagedReconcilerOptions<Managed>;
  const { env, managedResources } = service;
  const context = contextOf(service);
  const { absenceTimes, underWay } = context;

  return async (request, signal, log) => {
    const managed = managedResources.get(request);
    if (managed === undefined) {
      absenceTimes.forget(request);
      return { ...done, decision: 'ResourceGone' };
    }
    const { facts, decision } = await run(factsOf(context, managed, underWay.of(managed)), signal, log);
    const report = reportOf(facts, decision, env.clock.now());
    const decided = decision.name === undefined ? {} : { decision: decision.name };
    const ofRun = log.child(() => ({
      ...aboutManaged(managedResources.get(request) ?? managed),
      ...decided,
    }));
    return { ...(await write(facts, report, ofRun, signal)), ...decided };
  };

  /** Decides and acts until a decision has no call. Disconnects the external client in any case. */
  async function run(start: Facts, signal: AbortSignal, log: Logger): Promise<Ended> {
    const act = acting(context, signal, log);
    let facts = start;
    let decision: Decision = {};
    let undone: unknown;
    try {
      for (let round = 0; ; round += 1) {
        if (round === maxRounds) throw new Error('the decisions about a managed resource do not end');
        decision = decideManaged(facts);
        const { name, call } = decision;
        if (call === undefined) break;
        facts = { ...facts, did: { ...facts.did, decision: name } };
        try {
          // guard: otherwise a stale read creates or deletes an external resource
          const managed = await confirmed(facts, call, signal);
          if (managed === undefined) {
            decision = { name: 'ResourceGone' };
            break;
          }
          facts = { ...making(facts, call), managed };
          facts = await act(facts, call);
        } catch (error) {
          if (!(error instanceof StepFailure)) throw error;
          facts = { ...facts, failure: error };
          decision = { name, failure: error };
          if (signal.aborted) break;
        }
      }
    } finally {
      await facts.access?.external.disconnect?.().catch((error: unknown) => {
        if (!isInterrupted(error)) undone = error;
      });
    }
    if (undone === undefined) return { facts, decision };
    const reason = 'CannotDisconnectFromProvider';
    return { facts: withEvents(facts, { type: 'Warning', reason, message: messageOf(undone) }), decision };
  }

  /**
   * Reads the managed resource from the API server before a call that must not follow a stale read, unless the last answer
   * about it is younger than 5 s. Undefined: it does not exist any more. Throws a conflict if it, or its Secret, changed.
   */
  async function confirmed(facts: Facts, call: Call, signal: AbortSignal): Promise<Managed | undefined> {
    // With --observe-only, no such call is made.
    const wanted = facts.kind.isObserveOnly ? undefined : readFirst(call);
    if (wanted === undefined) return facts.managed;
    const failure = cannotConfirm(call);
    const confirming = managedResources.confirm(facts.managed, signal);
    const current = await failing('cannot get managed resource', confirming, failure);
    if (current === undefined || wanted === 'managed') return current;
    await failing('', facts.place.entry?.confirm(signal) ?? Promise.resolve(), failure);
    return current;
  }

  /** Writes the report of a run, and removes the annotations that had their effect. */
  async function write(
    facts: Facts,
    { desired, completed, events, used = [], next, failure }: Report,
    log: Logger,
    signal: AbortSignal,
  ): Promise<Result> {
    const { managed } = facts;
    for (const event of completed) {
      env.events.record(managed, event);
      logAct(log, event);
    }
    if (isFinalised(facts)) logQuietAct(log, 'RemovedFinalizer');
    if (failure?.isSilent) throw failure;
    const record = (object: Managed, event: EventFacts) => env.events.record(object, event);
    const audience = { objects: managedResources, what: 'managed resource', record, log };
    const { stored = managed, ofResult } = await conclude(
      audience,
      managed,
      { desired, events, failure },
      signal,
    );
    const annotations = omit(stored.metadata.annotations, used);
    const cleared = { ...stored, metadata: { ...stored.metadata, annotations } };
    const last = used.length === 0 ? stored : await managedResources.update(stored, cleared, signal);
    return { ...resultOf(next, last, env), ...ofResult };
  }
}

interface Ended {
  readonly facts: Facts;
  readonly decision: Decision;
}

function contextOf({
  externalNames,
  marks = { immutable: [], identity: [] },
  names,
  ...options
}: ManagedReconcilerOptions<Managed>): RunContext {
  const { env, managedResources } = options;
  const isAssigned = externalNames === 'assigned';
  return {
    secretDetails: {},
    randomBytes: systemRandomBytes,
    creationGraceMs: isAssigned ? 30_000 : 0,
    confirmAbsenceMs: 5_000,
    holdsData: false,
    uncreatable: () => undefined,
    ...options,
    isObserveOnly: env.isObserveOnly === true,
    identity: { isAssigned, marks, names },
    absenceTimes: createAbsenceTimes(env.clock),
    underWay: createOperationsUnderWay(),
    recordCreation: creationRecords(managedResources, env.clock),
  };
}
