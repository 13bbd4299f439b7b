import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  reconcileError,
  reconcilePaused,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { done, requeue } from '../../../runtime/controller/reconcile.ts';
import { shouldCreate, shouldDelete, shouldUpdate } from '../management-policies.ts';
import type { IdentityContext } from './identified.ts';
import { identityToRecord } from './identified.ts';
import { editRefusal, editsOf, encodeIdentity, recordedIdentity } from './identity.ts';
import type { Pass, PassFailure } from './pass.ts';
import { scrub, withManagedStatus } from './status.ts';

/**
 * How a pass tells what it found, on the object and in Events; never with secrets. A status is written if it changes.
 * What fails is handed to the recorder at each pass, for an Event is gone after an hour, and who looks at the object
 * then shall still see why: the recorder bounds how often it is sent.
 */
export interface PassReporter<M extends Managed> {
  /** Writes the status if it changes, and says whether it did. An object that is gone needs none. */
  report(
    pass: Pass<M>,
    synced: ConditionFacts,
    ready?: ConditionFacts,
    status?: Readonly<Record<string, unknown>>,
  ): Promise<boolean>;
  event(pass: Pass<M>, type: 'Normal' | 'Warning', reason: string, message: string): void;
  reportPause(pass: Pass<M>, message: string): Promise<Result>;
  /** Rows 3 and 8: nothing but an edit of the object helps, and that wakes us. */
  refuse(pass: Pass<M>, row: '3' | '8', message: string): Promise<Result>;
  /** Any row that ends with a failure: told, and put back through the back-off. */
  fail(pass: Pass<M>, failure: PassFailure): Promise<Result>;
}

export function passReporter<M extends Managed>({
  env,
  managed,
  identity,
}: {
  readonly env: Pick<Environment, 'events' | 'clock'>;
  readonly managed: Resource<M>;
  /** How its external resource is identified. */
  readonly identity: IdentityContext;
}): PassReporter<M> {
  return { report, event, reportPause, refuse, fail };

  async function reportPause(pass: Pass<M>, message: string): Promise<Result> {
    if (await report(pass, reconcilePaused(message))) event(pass, 'Normal', 'ReconciliationPaused', message);
    return done;
  }

  async function refuse(pass: Pass<M>, row: '3' | '8', message: string): Promise<Result> {
    const reason = row === '3' ? 'CannotUseInvalidManagementPolicy' : 'CannotInitializeManagedResource';
    const ready = row === '8' ? creating() : undefined;
    await report(pass, reconcileError(message), ready);
    event(pass, 'Warning', reason, message);
    return done;
  }

  async function fail(pass: Pass<M>, failure: PassFailure): Promise<Result> {
    const { ready, eventReason } = failure.report;
    const { message, eventMessage } = failure;
    await report(pass, reconcileError(message), wasDeleted(pass.current) ? (ready ?? deleting()) : ready);
    if (eventReason !== undefined) event(pass, 'Warning', eventReason, eventMessage);
    return requeue;
  }

  /** What a pass that went well has to say all the same: of an edit that has no effect. */
  function refusedEdit({ current, isExact }: Pass<M>): ConditionFacts | undefined {
    const recorded = recordedIdentity(current, identity.identityFields);
    const edits = recorded === undefined ? [] : editsOf(current, recorded, identity.identityFields, isExact);
    return edits.length === 0 ? undefined : reconcileError(editRefusal(edits));
  }

  /** Of what is only looked at nothing is recorded: whoever looks may look elsewhere. */
  function identityIn(pass: Pass<M>): string | undefined {
    const { seen, current } = pass;
    const isObserver =
      !shouldCreate(current.spec) && !shouldUpdate(current.spec) && !shouldDelete(current.spec);
    const isRecorded = recordedIdentity(current, identity.identityFields) !== undefined;
    if (seen === undefined || (isObserver && !isRecorded)) return undefined;
    return encodeIdentity(identityToRecord(identity, pass, { isAsWanted: seen.isUpToDate }));
  }

  async function report(
    pass: Pass<M>,
    found: ConditionFacts,
    ready?: ConditionFacts,
    status?: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const before = pass.current;
    const edit = found.status === 'True' ? refusedEdit(pass) : undefined;
    const synced = edit ?? found;
    const told = (facts: ConditionFacts): ConditionFacts =>
      facts.message === undefined ? facts : { ...facts, message: scrub(facts.message, pass.known) };
    const operation = pass.operation?.map(told);
    try {
      const facts = {
        synced: told(synced),
        ready: ready && told(ready),
        status,
        externalIdentity: identityIn(pass),
        ...(operation && { operation }),
      };
      pass.current = await annotate(
        'cannot update managed resource status',
        managed.updateStatus(before, withManagedStatus(before, facts, env.clock.now()), pass.signal),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (edit?.message !== undefined) event(pass, 'Warning', 'CannotApplyEdit', edit.message);
    return pass.current !== before;
  }

  function event(pass: Pass<M>, type: 'Normal' | 'Warning', reason: string, message: string): void {
    env.events.record(pass.current, { type, reason, message: scrub(message, pass.known) });
  }
}
