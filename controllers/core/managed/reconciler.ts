import { setTimeout as sleepFor } from 'node:timers/promises';
import { reconcileError, reconcileSuccess, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { messageOf } from '../../../runtime/errors.ts';
import type { Reconciler, Result } from '../../../runtime/reconcile.ts';
import { after, done, requeue } from '../../../runtime/reconcile.ts';
import type { Resource } from '../../../runtime/resource.ts';
import { createAbsences } from './absences.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import { createOperationTracker } from './async-operations.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';
import { create } from './create.ts';
import { creationRecorder } from './creation-recorder.ts';
import type { Sleep } from './critical-annotations.ts';
import { decideFirst, decideNext } from './decide.ts';
import type { ExternalClient, ExternalConnector } from './external-client.ts';
import { observe, withAnnotations } from './external-steps.ts';
import { keep } from './keep.ts';
import { awaitOperation, recordOutcome } from './operation-steps.ts';
import type { Pass } from './pass.ts';
import { failing, isSilent, PassFailure } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { passReporter } from './pass-reporter.ts';
import { pollDelayMs } from './poll.ts';
import { finalise, remove, reportDeletion } from './remove.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'now' | 'random' | 'log' | 'pollIntervalMs'>;
  readonly managed: Resource<M>;
  readonly connector: ExternalConnector<M>;
  readonly publisher: ConnectionPublisher;
  /**
   * - `assigned`: the external system names the resource. Every creation is announced by an annotation before and
   *   recorded by another after it; one whose result nobody recorded waits for a human ("cannot determine
   *   creation result"), because trying again might make a second resource.
   * - `deterministic`: the name is known before creation (`forProvider.name`, else the object's name). That saves
   *   the extra writes and is safe only if the external system itself refuses a second resource of that name, and
   *   `create` takes what a lost attempt made for success.
   */
  readonly externalNames: 'deterministic' | 'assigned';
  /** The managed resource with its references resolved; throws what keeps them from it. */
  resolveReferences?(managed: M, signal: AbortSignal): Promise<M>;
  /**
   * How long an external system may not show what it just created; milliseconds. Default: 30 000 for assigned names;
   * 0 for deterministic ones, where only deletion would wait. Set it for an eventually consistent system.
   */
  readonly creationGraceMs?: number;
  /**
   * For how long looks must find nothing, milliseconds, before what was there is created again, or forgotten without a
   * deletion that the external system has acknowledged. Default: 5 000; 0 where neither loses anything.
   */
  readonly confirmAbsenceMs?: number;
  /** Operations that outlive a pass; default: a tracker of its own, whose end wakes nobody. */
  readonly operations?: OperationTracker;
  /**
   * What is to be on record, as annotations, before anything is made: which provider is used, where that is not clear
   * from the spec. `connect` is given the managed resource with it. Throws what keeps the provider from being used.
   */
  providerRecord?(managed: M): Readonly<Record<string, string>>;
  /** Between attempts to record a creation; default: real time. */
  readonly sleep?: Sleep;
}

const missing = 'external resource does not exist';

/**
 * Reconciles managed resources with an external system, in the order of crossplane-runtime v1.16's
 * reconciler (docs/decision-tables.md, rows 1–31). Conflicts are thrown and put back silently.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const { managed, operations = createOperationTracker() } = options;
  const context = contextOf({ ...options, operations });
  const { reporter, absences } = context;

  return async (request, signal) => {
    const found = managed.get(request);
    const operation = found && operations.get(found);
    if (operation === undefined) operations.forget(request); // of one that had the name before
    if (found === undefined) absences.forget(request);
    const first = decideFirst(found, operation);
    if (found === undefined || first.act === 'nothing') return done;
    const pass: Pass<M> = { current: found, known: {}, signal };
    try {
      switch (first.act) {
        case 'pause':
          return await reporter.reportPause(pass, first.message);
        case 'refuse':
          return await reporter.refuse(pass, first.row, first.message);
        case 'awaitOperation':
          return await awaitOperation(context, pass, operation?.type ?? 'update');
        case 'orphan':
          return await finalise(context, pass);
        case 'connect':
          return await withExternal(options, context, pass, operation);
      }
    } catch (error) {
      if (isSilent(error) || !(error instanceof PassFailure)) throw error;
      return await reporter.fail(pass, error);
    } finally {
      if (pass.isSettledRecorded === true) operations.forget(request, pass.settled);
    }
  };
}

/** Rows 9 and 10, then what the external system calls for. */
async function withExternal<M extends Managed>(
  { connector, providerRecord, resolveReferences }: ManagedReconcilerOptions<M>,
  context: PassContext<M>,
  pass: Pass<M>,
  operation: TrackedOperation | undefined,
): Promise<Result> {
  if (!wasDeleted(pass.current) && resolveReferences !== undefined) {
    pass.current = await failing(resolveReferences(pass.current, pass.signal), {
      prefix: 'cannot resolve references: ',
      eventReason: 'CannotResolveResourceReferences',
    });
  }
  pass.known = await failing(context.publisher.known(pass.current, pass.signal), {
    eventReason: 'CannotPublishConnectionDetails',
  });
  pass.before = pass.known;
  if (operation !== undefined) {
    pass.settled = operation;
    await recordOutcome(context, pass, operation);
  }
  const connect = async (): Promise<ExternalClient<M>> => {
    pass.providerRecord = providerRecord?.(pass.current) ?? {};
    return connector.connect(withAnnotations(pass.current, pass.providerRecord), pass.signal);
  };
  const external = await failing(connect(), {
    step: 'connect',
    eventReason: 'CannotConnectToProvider',
  });
  try {
    return await reconcileExternal(context, pass, external);
  } finally {
    await external.disconnect?.().catch((error: unknown) => {
      context.reporter.event(pass, 'Warning', 'CannotDisconnectFromProvider', messageOf(error));
    });
  }
}

/** Rows 11 to 31: observe, decide, act. */
async function reconcileExternal<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
): Promise<Result> {
  const observed = await observe(context, pass, external);
  pass.absentForMs = context.absences.note(pass.current, observed.exists);
  const decision = context.decide(pass, observed);
  switch (decision.act) {
    case 'reportMissing':
      return reportMissing(context, pass);
    case 'awaitExistence':
      return awaitExistence(context, pass);
    case 'delete':
      return remove(context, pass, external);
    case 'awaitDeletion':
      return reportDeletion(context, pass, observed);
    case 'finalise':
      return finalise(context, pass);
    case 'lookAgain': // which nothing but time wakes
      return after(context.confirmAbsenceMs - pass.absentForMs);
    case 'create':
      return create(context, pass, external);
    case 'recreate':
      reportRecreation(context, pass);
      return create(context, pass, external);
    case 'reportLost':
      return reportLost(context, pass);
    case 'reportUncreated':
      return reportUncreated(context, pass);
    case 'lateInitialize':
    case 'reportUpToDate':
    case 'update':
      return keep(context, pass, external, observed, decision);
  }
}

/** Row 12. A steady state: looked at again at the poll (crossplane-runtime v2.4), or when it is edited. */
async function reportMissing<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const name = externalName(pass.current);
  await reporter.report(pass, reconcileError(`observe failed: ${missing}`));
  const told = name === undefined ? missing : `${missing} (${name})`;
  reporter.event(pass, 'Warning', 'CannotObserveExternalResource', told);
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}

/** Row 13. */
function awaitExistence<M extends Managed>({ reporter }: PassContext<M>, pass: Pass<M>): Result {
  const message = 'Waiting for external resource existence to be confirmed';
  reporter.event(pass, 'Normal', 'PendingExternalResource', message);
  return requeue;
}

/** Row 25, again. */
function reportRecreation<M extends Managed>({ reporter }: PassContext<M>, pass: Pass<M>): void {
  const message = `${missing} any more (${externalName(pass.current) ?? 'its name is not known'}); it is created again`;
  reporter.event(pass, 'Warning', 'LostExternalResource', message);
}

/** Row 25, lost. */
async function reportLost<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const message = `${missing} any more (${externalName(pass.current)}); to have another created, remove the annotation ${annotationKeys.externalName}`;
  if (await reporter.report(pass, reconcileError(message), unavailable(message))) {
    reporter.event(pass, 'Warning', 'LostExternalResource', message);
  }
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}

/** Row 28, absent. */
async function reportUncreated<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const message = `${missing}, and spec.managementPolicies do not allow Create; add Create, or create it`;
  await reporter.report(pass, reconcileSuccess(), unavailable(message));
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}

function contextOf<M extends Managed>({
  env,
  managed,
  publisher,
  operations,
  externalNames,
  creationGraceMs,
  confirmAbsenceMs = 5_000,
  sleep = (delayMs, signal) => sleepFor(delayMs, undefined, { signal }),
}: ManagedReconcilerOptions<M> & { readonly operations: OperationTracker }): PassContext<M> {
  const isAssigned = externalNames === 'assigned';
  const graceMs = creationGraceMs ?? (isAssigned ? 30_000 : 0);
  const reporter = passReporter({ env, managed });
  const recorder = creationRecorder({ env, managed, isAssigned, sleep, event: reporter.event });
  const decide: PassContext<M>['decide'] = (pass, observed) =>
    decideNext(pass.current, observed, {
      graceMs,
      now: env.now(),
      isNameKnown: !isAssigned,
      confirmMs: confirmAbsenceMs,
      ...(pass.absentForMs !== undefined && { absentForMs: pass.absentForMs }),
    });
  const absences = createAbsences(env.now);
  return {
    env,
    managed,
    publisher,
    operations,
    absences,
    confirmAbsenceMs,
    recorder,
    reporter,
    isAssigned,
    decide,
  };
}
