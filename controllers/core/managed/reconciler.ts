import { deleting, reconcileError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import { createAbsences } from './absences.ts';
import {
  awaitExistence,
  reportLost,
  reportMissing,
  reportRecreation,
  reportUncreated,
  takeUpEdit,
} from './absent.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import { createOperationTracker } from './async-operations.ts';
import { create } from './create.ts';
import { creationRecorder } from './creation-recorder.ts';
import { decideAccess, decideFirst, decideNext } from './decide.ts';
import type { ExternalClient, ExternalConnector } from './external-client.ts';
import { observeRecorded } from './external-steps.ts';
import type { IdentityContext } from './identified.ts';
import { identityToRecord, isEdited, withAnnotations } from './identified.ts';
import { recordedIdentity } from './identity.ts';
import { keep } from './keep.ts';
import { awaitOperation, recordOutcome } from './operation-steps.ts';
import type { Pass } from './pass.ts';
import { failing, isSilent, PassFailure } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { passReporter } from './pass-reporter.ts';
import { pollDelayMs } from './poll.ts';
import { finalise, remove, reportDeletion } from './remove.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
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
  /**
   * Paths in `forProvider` whose fields are immutable: an edit of one has no effect, and is told. Default: those that
   * the schema of the kind says are.
   */
  readonly identityFields?: readonly string[];
  /** Operations that outlive a pass; default: a tracker of its own, whose end wakes nobody. */
  readonly operations?: OperationTracker;
  /**
   * What is to be on record, as annotations, before anything is made: which provider is used, where that is not clear
   * from the spec. `connect` is given the managed resource with it. Throws what keeps the provider from being used.
   */
  providerRecord?(managed: M): Readonly<Record<string, string>>;
}

/**
 * Reconciles managed resources with an external system, in the order of crossplane-runtime v1.16's
 * reconciler (docs/decision-tables.md, rows 1–31). Conflicts are thrown and put back silently.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const { managed, operations = createOperationTracker() } = options;
  const context = contextOf({ ...options, operations });
  const { reporter, absences } = context;

  return async (request, signal, log) => {
    const found = managed.get(request);
    const operation = found && operations.get(found);
    if (operation === undefined) operations.forget(request); // of one that had the name before
    if (found === undefined) absences.forget(request);
    const first = decideFirst(found, operation);
    if (found === undefined || first.act === 'nothing') return done;
    const pass: Pass<M> = { current: found, known: {}, signal, log };
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
  if (external.system !== undefined) {
    pass.system = await failing(external.system(pass.signal), {
      step: 'observe',
      eventReason: 'CannotObserveExternalResource',
    });
  }
  const recorded = recordedIdentity(pass.current, context.identityFields);
  const access = decideAccess(recorded, pass.system);
  if (access.act === 'reportElsewhere') return reportElsewhere(context, pass, access.message);
  const observed = await observeRecorded(context, pass, external);
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
    case 'takeUpEdit':
      return takeUpEdit(context, pass, external);
    case 'reportUncreated':
      return reportUncreated(context, pass);
    case 'lateInitialize':
    case 'reportUpToDate':
    case 'update':
      return keep(context, pass, external, observed, decision);
  }
}

/** Row 10, elsewhere. Nothing tells of credentials that change: looked at again at the poll. */
async function reportElsewhere<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
  message: string,
): Promise<Result> {
  const ready = wasDeleted(pass.current) ? deleting() : undefined;
  await reporter.report(pass, reconcileError(message), ready);
  reporter.event(pass, 'Warning', 'CannotConnectToProvider', message);
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
  identityFields = [],
}: ManagedReconcilerOptions<M> & { readonly operations: OperationTracker }): PassContext<M> {
  const isAssigned = externalNames === 'assigned';
  const graceMs = creationGraceMs ?? (isAssigned ? 30_000 : 0);
  const identity: IdentityContext = { isAssigned, identityFields };
  const reporter = passReporter({ env, managed, identity });
  const recorder = creationRecorder({
    env,
    managed,
    isAssigned,
    event: reporter.event,
    identityOf: (pass) => identityToRecord(identity, pass),
  });
  const decide: PassContext<M>['decide'] = (pass, observed) =>
    decideNext(pass.current, observed, {
      graceMs,
      now: env.clock.now(),
      isNameKnown: !isAssigned,
      confirmMs: confirmAbsenceMs,
      ...(pass.absentForMs !== undefined && { absentForMs: pass.absentForMs }),
      isEdited: isEdited(identity, pass),
    });
  const absences = createAbsences(env.clock);
  return {
    env,
    managed,
    publisher,
    operations,
    absences,
    confirmAbsenceMs,
    identityFields,
    recorder,
    reporter,
    isAssigned,
    decide,
  };
}
