/*
 *   decideFirst ─▶ connect ─▶ decideAccess ─▶ decideCredential ─▶ pollOperation ─▶ observe ─▶ decideNext ─▶ run/act.ts
 *        └───────────────────────┴────────────────┴──────────────────┴──────────────────────────────┴─▶ an Outcome
 *   an Outcome ─▶ run/outcome.ts: conditions and Events, once ─▶ run/next.ts: the time of the next run
 */

import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { NameLimits } from '../../../apis/core/v1alpha1/name-limits.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isInterrupted, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { ConnectionPlaces } from '../connection/connection-places.ts';
import type { RandomBytes, SecretDetails } from '../credential.ts';
import { StepFailure } from '../step-failure.ts';
import type { ExternalClient, ExternalConnector, Observation } from './connecting/external-client.ts';
import { createAbsenceTimes } from './recording/absence-times.ts';
import { recordCreation, recordName } from './recording/creation-record.ts';
import { isCreationIncomplete, wasCreationBegun } from './recording/creation-tracking.ts';
import type { IdentityMarks } from './recording/identity.ts';
import { named, recordedIdentity, refusedName } from './recording/identity.ts';
import { createOperationsUnderWay } from './recording/operations-under-way.ts';
import { act, finalise } from './run/act.ts';
import type { FirstDecision } from './run/decide.ts';
import { decideAccess, decideFirst } from './run/decide.ts';
import { cannot } from './run/failures.ts';
import { keepCredential } from './run/keep-credential.ts';
import type { Outcome, Run } from './run/outcome.ts';
import {
  conclude,
  decisionOf,
  failed,
  outcomes,
  withEquality,
  withEvents,
  withPublishing,
} from './run/outcome.ts';
import { pollOperation } from './run/poll-operation.ts';
import type { ExternalContext, RunContext } from './run/steps.ts';
import { observeRecorded, step } from './run/steps.ts';

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

/**
 * Reconciles managed resources with an external system. The order of steps is that of crossplane-runtime v1.16 and
 * docs/decision-tables.md. A conflict (409) requeues the object, without a condition or an Event.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const service = options as unknown as ManagedReconcilerOptions<Managed>;
  const { managedResources } = service;
  const shared = sharedContext(service);
  const { absenceTimes, underWay } = shared;

  return async (request, signal, log) => {
    const found = managedResources.get(request);
    if (found === undefined) {
      absenceTimes.forget(request);
      return { ...done, decision: 'ResourceGone' };
    }
    const known = underWay.of(found);
    const first = decideFirst({ managed: found, underWay: known });
    const run: Run = {
      decision: first?.name,
      current: found,
      reported: {},
      underWay: known,
      happened: [],
    };
    if (first?.name === 'ResourceGone') return { ...done, ...decisionOf(run) };
    const context: RunContext = { ...shared, signal, log };
    const outcome = first === undefined ? connect(service, context, run) : stop(context, run, first);
    const reached = await outcome.catch((error: unknown) => failed(run, error));
    return conclude(context, withPublishing(withEquality(reached)), signal);
  };
}

/** Ends a run that needs no external calls. */
async function stop(context: RunContext, run: Run, first: FirstDecision): Promise<Outcome> {
  switch (first.name) {
    case 'Paused':
      return outcomes.paused(run, first.message);
    case 'UnsupportedPolicies':
      return outcomes.invalid(run, first.message);
    case 'CreationIncomplete':
      return outcomes.undetermined(run, first.message);
    default:
      return finalise(context, run);
  }
}

const unreachable: readonly unknown[] = [cannot.connect.reason, cannot.observe.reason];

/** The outcome of a run that failed with `error`. A deletion does not need the provider if no creation was started. */
async function unlessNothingCreated(context: RunContext, run: Run, error: unknown): Promise<Outcome> {
  const isUnreachable =
    error instanceof StepFailure && !error.isSilent && unreachable.includes(error.facts.reason);
  const isNeeded = !wasDeleted(run.current) || wasCreationBegun(run.current) || context.signal.aborted;
  if (!isUnreachable || isNeeded) return failed(run, error);
  return finalise(context, { ...run, decision: 'RemoveFinalizer' });
}

async function connect(
  { connector, resolveReferences }: ManagedReconcilerOptions<Managed>,
  context: RunContext,
  found: Run,
): Promise<Outcome> {
  const { signal } = context;
  let { current } = found;
  const resolving = wasDeleted(current) ? undefined : resolveReferences?.(current, signal);
  if (resolving !== undefined) current = await step(found, '', resolving, cannot.resolve);
  const resolved: Run = { ...found, current };
  let external: ExternalClient | undefined;
  let outcome: Outcome;
  let undone: unknown;
  try {
    external = await step(resolved, '', connector.connect(current, signal), cannot.connect);
    outcome = await examine({ ...context, external }, resolved);
  } catch (error) {
    outcome = await unlessNothingCreated(context, resolved, error);
  } finally {
    await external?.disconnect?.().catch((error: unknown) => {
      if (!isInterrupted(error)) undone = error;
    });
  }
  if (undone === undefined) return outcome;
  const reason = 'CannotDisconnectFromProvider';
  return {
    ...outcome,
    run: withEvents(outcome.run, { type: 'Warning', reason, message: messageOf(undone) }),
  };
}

/** Checks the external system and the credential in the Secret, then observes and acts. */
async function examine(context: ExternalContext, connected: Run): Promise<Outcome> {
  const { external, identity, signal } = context;
  const problem = refusedName(identity, connected.current);
  if (problem !== undefined) throw new StepFailure('', problem, { ...cannot.name, known: connected });
  const asking = external.system?.(signal);
  const system = asking && (await step(connected, '', asking, cannot.observe));
  const run: Run = { ...connected, system };
  const access = decideAccess(recordedIdentity(run.current, identity.marks), system);
  if (access !== undefined) return outcomes.elsewhere({ ...run, decision: access.name }, access.message);
  const ready = await keepCredential(context, run);
  if (ready === undefined) return outcomes.gone(run);
  const [seen, observed] = await observeRecorded(context, await pollOperation(context, ready));
  return act(context, await recordFound(context, seen, observed), observed);
}

/** Records a found external resource as created, in case an earlier run could not record the result of `create`. */
async function recordFound(context: ExternalContext, run: Run, observed: Observation): Promise<Run> {
  const { current, underWay } = run;
  if (!observed.exists || underWay !== undefined) return run;
  const isNew = externalName(named(context.identity, current)) === undefined && !wasDeleted(current);
  const name = isNew && observed.externalName !== undefined ? { externalName: observed.externalName } : {};
  return isCreationIncomplete(current) ? recordCreation(context, run, name) : recordName(context, run, name);
}

/** The context that all runs share: the options with their defaults. */
function sharedContext({
  env,
  managedResources,
  places,
  secretDetails = {},
  randomBytes = systemRandomBytes,
  externalNames,
  creationGraceMs = externalNames === 'assigned' ? 30_000 : 0,
  confirmAbsenceMs = 5_000,
  marks = { immutable: [], identity: [] },
  names,
  stack,
  holdsData = false,
  uncreatable = () => undefined,
}: ManagedReconcilerOptions<Managed>): Omit<RunContext, 'signal' | 'log'> {
  return {
    env,
    managedResources,
    places,
    secretDetails,
    randomBytes,
    absenceTimes: createAbsenceTimes(env.clock),
    underWay: createOperationsUnderWay(),
    identity: { isAssigned: externalNames === 'assigned', marks, names },
    creationGraceMs,
    confirmAbsenceMs,
    stack,
    holdsData,
    uncreatable,
  };
}
