/*
 *   found ─▶ decideFirst ─▶ connect ─▶ decideAccess ─▶ followUp ─▶ observe ─▶ decideNext ─▶ act.ts, by steps.ts
 *                └─────────────┴────────────┴─────────────┴───────────┴──────────────────────────┴─▶ an Ending
 *   an Ending ─▶ ending.ts: conditions and Events, once ─▶ next.ts: what brings it back
 */

import isEmpty from 'lodash/isEmpty.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isInterrupted, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Request } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { PublisherChain } from '../connection/connection-publisher.ts';
import { isLeft } from '../connection/connection-publisher.ts';
import type { PublishedBefore } from '../connection/published-details.ts';
import { nothingPublished } from '../connection/published-details.ts';
import type { NameLimits } from '../name-limits.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { createAbsences } from './absences.ts';
import { act, finalise } from './act.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import { createOperationTracker } from './async-operations.ts';
import { besideOvertaken, fetchLeft } from './beside-overtaken.ts';
import { createContests } from './contests.ts';
import { recordCreation, recordName } from './creation-record.ts';
import { isCreationIncomplete } from './creation-tracking.ts';
import { decideAccess, decideFirst } from './decide.ts';
import { createDeletionsUnderWay } from './deletions-under-way.ts';
import type { Ending, Run } from './ending.ts';
import { conclude, endings, failed, having, informed } from './ending.ts';
import type { ExternalClient, ExternalConnector, Observation } from './external-client.ts';
import { followUp } from './follow-up.ts';
import type { IdentityMarks } from './identity.ts';
import { named, recordedIdentity, refusedName, withAnnotations } from './identity.ts';
import { createOperationsUnderWay } from './operations-under-way.ts';
import type { Overtaken } from './overtaken.ts';
import { createOvertaken } from './overtaken.ts';
import { createRenewals } from './renewals.ts';
import { createRevisions } from './revisions.ts';
import type { ExternalContext, RunContext } from './steps.ts';
import {
  cannotConnect,
  cannotName,
  cannotObserve,
  cannotResolve,
  observeRecorded,
  publishing,
  recordOutcome,
} from './steps.ts';
import { createUnpublishedDetails } from './unpublished.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
  readonly managedResources: Resource<M>;
  readonly connector: ExternalConnector<M>;
  /** Whose it is, for messages. */
  readonly stack?: string;
  readonly publisher: PublisherChain;
  /**
   * - `assigned`: the external system names the resource. Every creation is announced by an annotation before and
   *   recorded by another after it; one whose result nobody recorded waits for a human ("cannot determine
   *   creation result"), because trying again might make a second resource. So does one whose operation's name was lost
   *   with the process before the status had it; a name of the resource that was given at once is on record by then.
   * - `deterministic`: the name is known before creation (`forProvider.name`, else the object's name). That saves
   *   the extra writes and is safe only if the external system itself refuses a second resource of that name, and
   *   `create` takes what a lost attempt made, or is making, for success.
   */
  readonly externalNames: 'deterministic' | 'assigned';
  /** The managed resource with its references resolved; throws what keeps them from it. */
  resolveReferences?(managed: M, signal: AbortSignal): Promise<M>;
  /** Why none is to be made as it is asked for now; undefined: it may. Default: it may. */
  uncreatable?(managed: M): string | undefined;
  /**
   * How long an external system may not show what it just created; milliseconds. Default: 30 000 for assigned names;
   * 0 for deterministic ones, where only deletion would wait. Set it for an eventually consistent system, and where
   * nothing shows before an operation has ended, to how long that takes.
   */
  readonly creationGraceMs?: number;
  /**
   * For how long looks must find nothing, milliseconds, before what was there is created again, or forgotten without a
   * deletion that the external system has acknowledged. Default: 5 000; 0 where neither loses anything.
   */
  readonly confirmAbsenceMs?: number;
  /**
   * The fields of `forProvider` that are immutable, and those of them that identify the external resource: an edit of one
   * has no effect, and is told. Default: none.
   */
  readonly marks?: IdentityMarks;
  /** What the external system takes for a name, where we choose it: see `fittingName`. Absent: any. */
  readonly names?: NameLimits;
  /** Operations that outlive a run; default: a tracker of its own, whose end wakes nobody. */
  readonly operations?: OperationTracker;
  /** What is gone though it held our finalizer; default: a record of its own, which nobody tells. */
  readonly overtaken?: Overtaken;
  /**
   * What is to be on record, as annotations, before anything is made: which provider is used, where that is not clear
   * from the spec. `connect` is given the managed resource with it. Throws what keeps the provider from being used.
   */
  providerRecord?(managed: M): Readonly<Record<string, string>>;
}

/**
 * Reconciles managed resources with an external system, in the order of crossplane-runtime v1.16's reconciler. From here
 * down it reads as the table of docs/decision-tables.md:
 *
 *     decide.ts      decisions: before anything outside is asked, where the provider leads, what was observed
 *     act.ts         what is done about each
 *     steps.ts       what that consists of; a step takes a run and returns what is known after it
 *     ending.ts      what each decision ends in: conditions, Event and what comes next; said once, at the end
 *
 * Conflicts are thrown and put back silently.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const service: ManagedReconcilerOptions<Managed> = options;
  const { env, managedResources, overtaken = createOvertaken(env) } = service;
  const shared = sharedContext(service, overtaken);
  const { identity, publisher } = shared;
  const itself = objectReconciler(service, shared, (request) => managedResources.get(request));
  const left = objectReconciler(
    service,
    {
      ...shared,
      managedResources: {
        ...shared.managedResources,
        ...overtaken.inPlace,
        fetch: fetchLeft({ overtaken, identity, managedResources }),
      },
      absences: createAbsences(env.clock),
    },
    overtaken.of,
  );
  return besideOvertaken({ itself, left, overtaken, identity, managedResources, publisher });
}

/** Reconciles the object that `find` yields. */
function objectReconciler(
  service: ManagedReconcilerOptions<Managed>,
  shared: Omit<RunContext, 'signal' | 'log'>,
  find: (request: Request) => Managed | undefined,
): Reconciler {
  const { operations, absences, underWay } = shared;

  return async (request, signal, log) => {
    const found = find(request);
    const operation = found && operations.get(found);
    if (operation === undefined) operations.forget(request); // of one that had the name before
    if (found === undefined) absences.forget(request);
    const onRecord = found && underWay.of(found);
    const first = decideFirst(found, operation, onRecord);
    if (found === undefined || first.act === 'nothing') return { ...done, decision: first.name }; // until it is created
    const context: RunContext = { ...shared, signal, log };
    const run: Run = {
      decision: first.name,
      current: found,
      known: {},
      absent: [],
      underWay: onRecord,
      happened: [],
    };
    const ending = async (): Promise<Ending> => {
      switch (first.act) {
        case 'pause':
          return endings.paused(run, first.message);
        case 'refuse':
          return first.name === 'UnsupportedPolicies'
            ? endings.invalid(run, first.message)
            : endings.undetermined(run, first.message);
        case 'awaitOperation':
          return endings.busy(run, operation?.type ?? 'update');
        case 'orphan':
          return finalise(context, run);
        case 'connect':
          return connect(service, context, run, operation);
      }
    };
    return conclude(context, await ending().catch((error: unknown) => failed(run, error)), signal);
  };
}

/** Resolves references, records what an earlier run began, and connects: to examine, and to disconnect in any case. */
async function connect(
  { connector, providerRecord, resolveReferences }: ManagedReconcilerOptions<Managed>,
  context: RunContext,
  found: Run,
  operation: TrackedOperation | undefined,
): Promise<Ending> {
  const { signal, publisher, renewals, revisions, unpublished } = context;
  const resolving = wasDeleted(found.current) ? undefined : resolveReferences?.(found.current, signal);
  const resolved: Run = {
    ...found,
    current:
      resolving === undefined
        ? found.current
        : await failing('cannot resolve references', resolving, cannotResolve),
  };
  const published = await publishing(publisher.published(resolved.current, signal), resolved);
  const newest = revisions.newest(resolved.current);
  const { details, lost = [], removed = [] } = published.revision < newest ? nothingPublished : published;
  const left = unpublished.recall(resolved.current, details);
  if (left === 'superseded') renewals.contested(resolved.current);
  const offered = left === 'superseded' ? {} : left;
  const isRenewed = renewals.isDue(resolved.current, offered);
  const isOwed = renewals.isOwed(resolved.current);
  const before: PublishedBefore = {
    details,
    revision: Math.max(newest, published.revision),
    givesWay: isRenewed || published.givesWay === true,
    untold: renewals.untold(resolved.current),
    lost,
  };
  // Whoever had it may copy its secret no longer, whether its provider can be reached or not.
  if (isLeft(resolved.current) && !wasDeleted(resolved.current) && !isEmpty(details)) {
    await publishing(publisher.publish(resolved.current, details, signal, before), resolved);
  }
  const known: Run = informed(
    {
      ...resolved,
      // What a secret holds is no word of what opens it, where somebody else knows that.
      known: isRenewed || isOwed ? {} : details,
      isToBeRenewed: isOwed,
      absent: removed,
      before,
      isRenewalOver: renewals.isOver(resolved.current),
      isRenewalAnothers: renewals.isAnothers(resolved.current),
      // One that was published, and whose status could not be written: where it is to publish now may hold an older one.
      ...(newest > (resolved.current.status?.publishedRevision ?? 0) && { publishedRevision: newest }),
    },
    isRenewed ? {} : offered,
  );
  const recorded = operation === undefined ? known : await recordOutcome(context, known, operation);
  const connecting = async (): Promise<readonly [Run, ExternalClient]> => {
    const record = providerRecord?.(recorded.current) ?? {};
    const external = await connector.connect(withAnnotations(recorded.current, record), signal);
    return [{ ...recorded, providerRecord: record }, external];
  };
  const [run, external] = await failing('connect failed', connecting(), {
    ...cannotConnect,
    known: recorded,
  });
  let ending: Ending;
  let undone: unknown;
  try {
    ending = await examine({ ...context, external }, run).catch((error: unknown) => failed(run, error));
  } finally {
    await external.disconnect?.().catch((error: unknown) => {
      if (!isInterrupted(error)) undone = error;
    });
  }
  if (undone === undefined) return ending;
  const reason = 'CannotDisconnectFromProvider';
  return { ...ending, run: having(ending.run, { type: 'Warning', reason, message: messageOf(undone) }) };
}

/** Makes sure that this is where the external resource is, looks at it, and does what that calls for. */
async function examine(context: ExternalContext, connected: Run): Promise<Ending> {
  const { external, identity, signal } = context;
  const problem = refusedName(identity, connected.current);
  if (problem !== undefined) throw new StepFailure('', problem, { ...cannotName, known: connected });
  const asking = external.system?.(signal);
  const system = asking && (await failing('observe failed', asking, { ...cannotObserve, known: connected }));
  const access = decideAccess(recordedIdentity(connected.current, identity.marks), system);
  const run: Run = { ...connected, decision: access.name, system };
  if (access.act === 'reportElsewhere') return endings.elsewhere(run, access.message);
  const [looked, observed] = await observeRecorded(context, await followUp(context, run));
  return act(context, await recordFound(context, looked, observed), observed);
}

/** What is there was made, whoever has forgotten how that went, and it has the name that it was found to have. */
async function recordFound(context: ExternalContext, looked: Run, observed: Observation): Promise<Run> {
  const { current, underWay } = looked;
  if (!observed.exists || underWay !== undefined) return looked;
  const isNew = externalName(named(context.identity, current)) === undefined && !wasDeleted(current);
  const name = isNew && observed.externalName !== undefined ? { externalName: observed.externalName } : {};
  return isCreationIncomplete(current)
    ? recordCreation(context, looked, name)
    : recordName(context, looked, name);
}

/** What all runs share: the options, with what is not said of them. */
function sharedContext(
  {
    env,
    managedResources,
    publisher,
    operations = createOperationTracker(),
    externalNames,
    creationGraceMs = externalNames === 'assigned' ? 30_000 : 0,
    confirmAbsenceMs = 5_000,
    marks = { immutable: [], identity: [] },
    names,
    stack,
    uncreatable = () => undefined,
  }: ManagedReconcilerOptions<Managed>,
  overtaken: Overtaken,
): Omit<RunContext, 'signal' | 'log'> {
  const identity = { isAssigned: externalNames === 'assigned', marks, names };
  const absences = createAbsences(env.clock);
  return {
    env,
    managedResources,
    publisher,
    operations,
    absences,
    renewals: createRenewals(),
    contests: createContests(env),
    revisions: createRevisions(),
    unpublished: createUnpublishedDetails(),
    underWay: createOperationsUnderWay(),
    overtaken,
    deletions: createDeletionsUnderWay(),
    identity,
    creationGraceMs,
    confirmAbsenceMs,
    stack,
    uncreatable,
  };
}
