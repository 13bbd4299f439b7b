/*
 *   found ─▶ decideFirst ─▶ connect ─▶ decideAccess ─▶ decideCredential ─▶ followUp ─▶ observe ─▶ decideNext ─▶ act.ts
 *                └─────────────┴────────────┴──────────────────┴──────────────┴───────────┴──────────────┴─▶ an Ending
 *   an Ending ─▶ ending.ts: conditions and Events, once ─▶ next.ts: what brings it back
 */

import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isInterrupted, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { ConnectionPlaces } from '../connection/connection-places.ts';
import type { RandomBytes, SecretDetails } from '../credential.ts';
import type { NameLimits } from '../name-limits.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { createAbsences } from './absences.ts';
import { act, finalise } from './act.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import { createOperationTracker } from './async-operations.ts';
import { recordCreation, recordName } from './creation-record.ts';
import { isCreationIncomplete, wasCreationBegun } from './creation-tracking.ts';
import { decideAccess, decideFirst } from './decide.ts';
import type { Ending, Run } from './ending.ts';
import { conclude, endings, failed, having } from './ending.ts';
import type { ExternalClient, ExternalConnector, Observation } from './external-client.ts';
import { followUp } from './follow-up.ts';
import type { IdentityMarks } from './identity.ts';
import { named, recordedIdentity, refusedName, withAnnotations } from './identity.ts';
import { keepCredential } from './keep-credential.ts';
import { createOperationsUnderWay } from './operations-under-way.ts';
import type { ExternalContext, RunContext } from './steps.ts';
import {
  cannotConnect,
  cannotName,
  cannotObserve,
  cannotResolve,
  observeRecorded,
  recordOutcome,
} from './steps.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
  readonly managedResources: Resource<M>;
  readonly connector: ExternalConnector<M>;
  /** Whose it is, for messages. */
  readonly stack?: string;
  readonly places: ConnectionPlaces;
  /** Which connection details are secret. Default: none. */
  readonly secretDetails?: SecretDetails<M>;
  /** Makes credentials. Default: the system's. */
  readonly randomBytes?: RandomBytes;
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
  const service = options as unknown as ManagedReconcilerOptions<Managed>;
  const { managedResources } = service;
  const shared = sharedContext(service);
  const { operations, absences, underWay } = shared;

  return async (request, signal, log) => {
    const found = managedResources.get(request);
    const operation = found && operations.get(found);
    if (operation === undefined) operations.forget(request); // of one that had the name before
    if (found === undefined) {
      absences.forget(request);
      return { ...done, decision: 'ResourceGone' }; // until it is created
    }
    const known = underWay.of(found);
    const first = decideFirst({ managed: found, operation, underWay: known });
    if (first.act === 'nothing') return { ...done, decision: first.name };
    const context: RunContext = { ...shared, signal, log };
    const run: Run = {
      decision: first.name,
      current: found,
      reported: {},
      underWay: known,
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

/**
 * Deletion needs only what was used: where nothing was created, a provider that does not exist, or does not answer, keeps
 * nothing from being deleted.
 */
async function unlessNothingCreated(context: RunContext, run: Run, error: unknown): Promise<Ending> {
  const isUnreachable =
    error instanceof StepFailure &&
    !error.isSilent &&
    [cannotConnect.reason, cannotObserve.reason].includes(error.facts.reason);
  const isNeeded = !wasDeleted(run.current) || wasCreationBegun(run.current) || context.signal.aborted;
  if (!isUnreachable || isNeeded) throw error;
  return finalise(context, { ...run, decision: 'NothingCreated' });
}

/** Resolves references, records what an earlier run began, and connects: to examine, and to disconnect in any case. */
async function connect(
  { connector, providerRecord, resolveReferences }: ManagedReconcilerOptions<Managed>,
  context: RunContext,
  found: Run,
  operation: TrackedOperation | undefined,
): Promise<Ending> {
  const { signal } = context;
  const resolving = wasDeleted(found.current) ? undefined : resolveReferences?.(found.current, signal);
  const known: Run = {
    ...found,
    current:
      resolving === undefined
        ? found.current
        : await failing('cannot resolve references', resolving, cannotResolve),
  };
  const recorded = operation === undefined ? known : await recordOutcome(context, known, operation);
  const connecting = async (): Promise<readonly [Run, ExternalClient]> => {
    const record = providerRecord?.(recorded.current) ?? {};
    const external = await connector.connect(withAnnotations(recorded.current, record), signal);
    return [{ ...recorded, providerRecord: record }, external];
  };
  const connected = failing('connect failed', connecting(), { ...cannotConnect, known: recorded });
  const failure = await connected.then(
    () => undefined,
    (error: unknown) => unlessNothingCreated(context, recorded, error),
  );
  if (failure !== undefined) return failure;
  const [run, external] = await connected;
  let ending: Ending;
  let undone: unknown;
  try {
    ending = await examine({ ...context, external }, run)
      .catch((error: unknown) => unlessNothingCreated(context, run, error))
      .catch((error: unknown) => failed(run, error));
  } finally {
    await external.disconnect?.().catch((error: unknown) => {
      if (!isInterrupted(error)) undone = error;
    });
  }
  if (undone === undefined) return ending;
  const reason = 'CannotDisconnectFromProvider';
  return { ...ending, run: having(ending.run, { type: 'Warning', reason, message: messageOf(undone) }) };
}

/** Makes sure that the external resource is in this system, and that its Secret holds its credential; observes it, and acts. */
async function examine(context: ExternalContext, connected: Run): Promise<Ending> {
  const { external, identity, signal } = context;
  const problem = refusedName(identity, connected.current);
  if (problem !== undefined) throw new StepFailure('', problem, { ...cannotName, known: connected });
  const asking = external.system?.(signal);
  const system = asking && (await failing('observe failed', asking, { ...cannotObserve, known: connected }));
  const access = decideAccess(recordedIdentity(connected.current, identity.marks), system);
  const run: Run = { ...connected, decision: access.name, system };
  if (access.act === 'reportElsewhere') return endings.elsewhere(run, access.message);
  const ready = await keepCredential(context, run);
  if ('next' in ready) return ready;
  const [seen, observed] = await observeRecorded(context, await followUp(context, ready));
  return act(context, await recordFound(context, seen, observed), observed);
}

/** What is there was made, whoever has forgotten how that went, and it has the name that it was found to have. */
async function recordFound(context: ExternalContext, run: Run, observed: Observation): Promise<Run> {
  const { current, underWay } = run;
  if (!observed.exists || underWay !== undefined) return run;
  const isNew = externalName(named(context.identity, current)) === undefined && !wasDeleted(current);
  const name = isNew && observed.externalName !== undefined ? { externalName: observed.externalName } : {};
  return isCreationIncomplete(current) ? recordCreation(context, run, name) : recordName(context, run, name);
}

/** What all runs share: the options, with their defaults. */
function sharedContext({
  env,
  managedResources,
  places,
  secretDetails = {},
  randomBytes = systemRandomBytes,
  operations = createOperationTracker(),
  externalNames,
  creationGraceMs = externalNames === 'assigned' ? 30_000 : 0,
  confirmAbsenceMs = 5_000,
  marks = { immutable: [], identity: [] },
  names,
  stack,
  uncreatable = () => undefined,
}: ManagedReconcilerOptions<Managed>): Omit<RunContext, 'signal' | 'log'> {
  return {
    env,
    managedResources,
    places,
    secretDetails,
    randomBytes,
    operations,
    absences: createAbsences(env.clock),
    underWay: createOperationsUnderWay(),
    identity: { isAssigned: externalNames === 'assigned', marks, names },
    creationGraceMs,
    confirmAbsenceMs,
    stack,
    uncreatable,
  };
}
