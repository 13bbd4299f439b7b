import { setTimeout as sleepFor } from 'node:timers/promises';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  getCondition,
  isConditionTrue,
  reconcileError,
  reconcileSuccess,
  unavailable,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  wasDeleted,
  withFinalizer,
  withoutFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { isNotFound, messageOf } from '../../../runtime/errors.ts';
import type { Reconciler, Result } from '../../../runtime/reconcile.ts';
import { after, done, requestFor, requeue } from '../../../runtime/reconcile.ts';
import type { Resource } from '../../../runtime/resource.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import {
  createOperationTracker,
  isOperationOngoing,
  operationFinished,
  operationOngoing,
} from './async-operations.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';
import { creationRecorder } from './creation-recorder.ts';
import { pendingTime } from './creation-tracking.ts';
import type { Sleep } from './critical-annotations.ts';
import type { NextDecision } from './decide.ts';
import { decideFirst, decideNext } from './decide.ts';
import type {
  Deletion,
  ExternalClient,
  ExternalConnector,
  Observation,
  OperationType,
} from './external-client.ts';
import type { Pass } from './pass.ts';
import { failing, isSilent, PassFailure } from './pass.ts';
import { passReporter } from './pass-reporter.ts';
import { pollDelayMs, progressDelayMs } from './poll.ts';
import { withInitProvider, withLateInitialized } from './provider-values.ts';
import { isReoffered, scrub } from './status.ts';

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
  /** Operations that outlive a pass; default: a tracker of its own, whose end wakes nobody. */
  readonly operations?: OperationTracker;
  /** Between attempts to record a creation; default: real time. */
  readonly sleep?: Sleep;
}

const missing = 'external resource does not exist';

/**
 * Reconciles managed resources with an external system, in the order of crossplane-runtime v1.16's
 * reconciler (docs/decision-tables.md, rows 1–31). Conflicts are thrown and put back silently.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const { env, managed, connector, publisher, externalNames } = options;
  const { operations = createOperationTracker() } = options;
  const { sleep = (delayMs, signal) => sleepFor(delayMs, undefined, { signal }) } = options;
  const isAssigned = externalNames === 'assigned';
  const { event, fail, refuse, report, reportPause } = passReporter({ env, managed });
  const { failCreation, recordSuccess } = creationRecorder({ env, managed, isAssigned, sleep, event });
  const { creationGraceMs: graceMs = isAssigned ? 30_000 : 0 } = options;

  return async (request, signal) => {
    const found = managed.get(request);
    const operation = found && operations.get(found);
    const first = decideFirst(found, operation);
    if (found === undefined) operations.forget(request);
    if (found === undefined || first.act === 'nothing') return done;
    const pass: Pass<M> = { current: found, known: {}, signal };
    try {
      switch (first.act) {
        case 'pause':
          return await reportPause(pass, first.message);
        case 'refuse':
          return await refuse(pass, first.row, first.message);
        case 'awaitOperation':
          return await awaitOperation(pass, operation?.type ?? 'update');
        case 'orphan':
          return await finalise(pass);
        case 'connect':
          return await withExternal(pass, operation);
      }
    } catch (error) {
      if (isSilent(error) || !(error instanceof PassFailure)) throw error;
      return await fail(pass, error);
    } finally {
      if (pass.isSettledRecorded === true) operations.forget(request, pass.settled);
    }
  };

  async function withExternal(pass: Pass<M>, operation: TrackedOperation | undefined): Promise<Result> {
    if (operation !== undefined) pass.settled = operation;
    if (!wasDeleted(pass.current) && options.resolveReferences !== undefined) {
      pass.current = await failing(options.resolveReferences(pass.current, pass.signal), {
        prefix: 'cannot resolve references: ',
        eventReason: 'CannotResolveResourceReferences',
      });
    }
    pass.known = await failing(publisher.known(pass.current, pass.signal), {
      eventReason: 'CannotPublishConnectionDetails',
    });
    if (pass.settled !== undefined) await recordOutcome(pass, pass.settled);
    const external = await failing(connector.connect(pass.current, pass.signal), {
      prefix: 'connect failed: ',
      eventReason: 'CannotConnectToProvider',
    });
    try {
      return await reconcileExternal(pass, external);
    } finally {
      await external.disconnect?.().catch((error: unknown) => {
        event(pass, 'Warning', 'CannotDisconnectFromProvider', messageOf(error));
      });
    }
  }

  async function reconcileExternal(pass: Pass<M>, external: ExternalClient<M>): Promise<Result> {
    const observed = await observe(pass, external);
    const decision = decide(pass, observed);
    switch (decision.act) {
      case 'reportMissing':
        return reportMissing(pass);
      case 'awaitExistence':
        event(
          pass,
          'Normal',
          'PendingExternalResource',
          'Waiting for external resource existence to be confirmed',
        );
        return requeue;
      case 'finalise':
        return finalise(pass);
      case 'delete':
        return remove(pass, external);
      case 'awaitDeletion':
        return reportDeletion(pass, observed);
      case 'create':
        return create(pass, external);
      case 'reportUncreated': {
        const message = `${missing}, and spec.managementPolicies do not allow Create; add Create, or create it`;
        await report(pass, reconcileSuccess(), unavailable(message));
        return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
      }
      default:
        return keep(pass, external, observed, decision);
    }
  }

  function decide(pass: Pass<M>, observed: Observation): NextDecision {
    return decideNext(pass.current, observed, { graceMs, now: env.now(), isNameKnown: !isAssigned });
  }

  async function observe(
    pass: Pass<M>,
    external: ExternalClient<M>,
    ready?: ConditionFacts,
  ): Promise<Observation> {
    const observed = await failing(external.observe(named(pass.current), pass.known, pass.signal), {
      prefix: 'observe failed: ',
      eventReason: 'CannotObserveExternalResource',
      ...(ready && { ready }),
    });
    if (observed.exists && observed.operation !== undefined)
      pass.operation = operationOngoing(observed.operation);
    else if (observed.exists && isOperationOngoing(pass.current.status?.conditions)) {
      pass.operation ??= operationFinished(undefined);
    }
    return observed;
  }

  /** Row 12. A steady state: looked at again at the poll (crossplane-runtime v2.4), or when it is edited. */
  async function reportMissing(pass: Pass<M>): Promise<Result> {
    const name = externalName(pass.current);
    const message = `observe failed: ${missing}`;
    const isNews = await report(pass, reconcileError(message));
    if (isNews)
      event(pass, 'Warning', 'CannotObserveExternalResource', name ? `${message} (${name})` : message);
    return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
  }

  /** Rows 19, 20, 26–31: the external resource exists and stays. */
  async function keep(
    pass: Pass<M>,
    external: ExternalClient<M>,
    observed: Observation,
    first: NextDecision,
  ): Promise<Result> {
    await prepare(pass);
    await publish(pass, observed.details);
    let decision = first;
    if (decision.act === 'lateInitialize') {
      await lateInitialize(pass, observed.lateInitialized ?? {});
      const { lateInitialized: _done, ...rest } = observed;
      decision = decide(pass, rest);
    }
    if (decision.act !== 'update') return settle(pass, observed);
    env.log.debug('external resource differs', {
      name: pass.current.metadata.name,
      difference: observed.difference,
    });
    const update = await failing(external.update(named(pass.current), pass.known, pass.signal), {
      prefix: 'update failed: ',
      eventReason: 'CannotUpdateExternalResource',
      areConflictsTold: true,
    });
    const announce = () =>
      event(pass, 'Normal', 'UpdatedExternalResource', 'Successfully requested update of external resource');
    if (update.operation !== undefined) {
      await publish(pass, update.details);
      announce();
      return track(pass, 'update', update.operation, observed.ready);
    }
    const updated = await observeAndPublish(pass, external, update.details, announce);
    return settle(pass, updated.exists ? updated : observed);
  }

  /** Rows 21–25. Looks again at once, so that a quick external system takes one pass and one status write. */
  async function create(pass: Pass<M>, external: ExternalClient<M>): Promise<Result> {
    const pending = { [annotationKeys.externalCreatePending]: pendingTime(pass.current, env.now()) };
    await prepare(pass, isAssigned ? pending : {}, creating());
    const creation = await external
      .create(withInitProvider(named(pass.current)), pass.known, pass.signal)
      .catch((error: unknown) => failCreation(pass, error));
    const announce = () =>
      event(
        pass,
        'Normal',
        'CreatedExternalResource',
        'Successfully requested creation of external resource',
      );
    if (creation.operation !== undefined) {
      await publish(pass, creation.details, creating());
      announce();
      return track(pass, 'create', creation.operation, creating());
    }
    if (isAssigned) await recordSuccess(pass, creation.externalName);
    const observed = await observeAndPublish(pass, external, creation.details, announce, creating());
    if (observed.exists) return settle(pass, observed);
    await report(pass, reconcileSuccess(), creating());
    return requeue;
  }

  /** Rows 14, 15: asks for deletion, and if the external resource is gone at once, finishes. */
  async function remove(pass: Pass<M>, external: ExternalClient<M>): Promise<Result> {
    const deletion = await failing<unknown>(external.delete(named(pass.current), pass.signal), {
      prefix: 'delete failed: ',
      eventReason: 'CannotDeleteExternalResource',
      ready: deleting(),
      areConflictsTold: true,
    });
    event(pass, 'Normal', 'DeletedExternalResource', 'Successfully requested deletion of external resource');
    const { operation } = (deletion ?? {}) as Deletion;
    if (operation !== undefined) return track(pass, 'delete', operation, deleting());
    const observed = await observe(pass, external, deleting());
    return observed.exists ? reportDeletion(pass, observed) : finalise(pass);
  }

  async function reportDeletion(pass: Pass<M>, observed: Observation): Promise<Result> {
    await report(pass, reconcileSuccess(), deleting(), observed.status);
    return after(progressDelayMs(pass.current.metadata.deletionTimestamp, env.pollIntervalMs, env.now()));
  }

  /** Rows 4–6, 16–18: nothing is left outside, or it is to stay there. */
  async function finalise(pass: Pass<M>): Promise<Result> {
    await failing(publisher.unpublish(pass.current, pass.signal), {
      eventReason: 'CannotUnpublishConnectionDetails',
      ready: deleting(),
    });
    const finalizers = withoutFinalizer(pass.current, finalizerNames.managed);
    const finalised = { ...pass.current, metadata: { ...pass.current.metadata, finalizers } };
    try {
      await managed.update(pass.current, finalised, pass.signal);
    } catch (error) {
      if (!isNotFound(error)) {
        throw new PassFailure(error, { prefix: 'cannot update managed resource: ', ready: deleting() });
      }
    }
    operations.forget(requestFor(pass.current.metadata));
    return done;
  }

  /** Hands an operation to the tracker and says that it is under way; its end wakes the resource. */
  async function track(
    pass: Pass<M>,
    type: OperationType,
    operation: Promise<unknown>,
    ready?: ConditionFacts,
  ): Promise<Result> {
    operations.track(pass.current, type, operation);
    pass.operation = operationOngoing(type);
    await report(pass, reconcileSuccess(), ready);
    return after(env.pollIntervalMs);
  }

  async function awaitOperation(pass: Pass<M>, type: OperationType): Promise<Result> {
    pass.operation = operationOngoing(type);
    const isLeaving = wasDeleted(pass.current);
    const ready = isLeaving
      ? deleting(type === 'delete' ? undefined : `waiting for its ${type} to end`)
      : undefined;
    await report(pass, reconcileSuccess(), type === 'create' && !isLeaving ? creating() : ready);
    return after(env.pollIntervalMs);
  }

  /** What an operation brought, put on record before anything else is done. */
  async function recordOutcome(pass: Pass<M>, { type, outcome }: TrackedOperation): Promise<void> {
    const ready = type === 'create' ? { ready: creating() } : {};
    if (outcome.state === 'succeeded') {
      const { result } = outcome;
      if (type === 'create' && isAssigned) await recordSuccess(pass, result.externalName);
      await publish(pass, result.details, ready.ready);
      pass.operation = operationFinished(type);
      pass.isSettledRecorded = true;
    } else if (outcome.state === 'failed') {
      const message = scrub(messageOf(outcome.error), pass.known);
      pass.operation = operationFinished(type, message);
      pass.isSettledRecorded = true;
      if (type === 'create') await failCreation(pass, outcome.error);
      const verb = type === 'update' ? 'Update' : 'Delete';
      throw new PassFailure(outcome.error, {
        prefix: `${type} failed: `,
        eventReason: `Cannot${verb}ExternalResource`,
        ...(type === 'delete' ? { ready: deleting() } : {}),
        areConflictsTold: true,
      });
    }
  }

  /**
   * One write before anything exists outside: finalizer, external name, and for assigned names the mark that a
   * creation is under way. It carries the resourceVersion, so that a stale read creates nothing.
   */
  async function prepare(
    pass: Pass<M>,
    annotations: Readonly<Record<string, string>> = {},
    ready?: ConditionFacts,
  ): Promise<void> {
    const object = named(pass.current);
    const prepared = {
      ...object,
      metadata: {
        ...object.metadata,
        finalizers: withFinalizer(object, finalizerNames.managed),
        ...(object.metadata.annotations === undefined && Object.keys(annotations).length === 0
          ? {}
          : { annotations: { ...object.metadata.annotations, ...annotations } }),
      },
    };
    pass.current = await failing(managed.update(pass.current, prepared, pass.signal), {
      prefix: 'cannot update managed resource: ',
      ...(ready && { eventReason: 'CannotUpdateManagedResource', ready }),
    });
  }

  /** The object with its external name, which a deterministic system knows before it is written. */
  function named(object: M): M {
    if (isAssigned || externalName(object) !== undefined) return object;
    const wanted = (object.spec.forProvider as { readonly name?: string } | undefined)?.name;
    const name = wanted || object.metadata.name;
    const annotations = { ...object.metadata.annotations, [annotationKeys.externalName]: name };
    return { ...object, metadata: { ...object.metadata, annotations } };
  }

  async function publish(
    pass: Pass<M>,
    details: ConnectionDetails | undefined,
    ready?: ConditionFacts,
  ): Promise<void> {
    const all = { ...pass.known, ...details };
    pass.known = all;
    // Everything known is offered each time: the publisher writes only what is missing, so a deleted or
    // edited secret heals and no detail is lost between two steps.
    if (Object.keys(all).length === 0) return;
    await failing(publisher.publish(pass.current, all, pass.signal), {
      eventReason: 'CannotPublishConnectionDetails',
      ...(ready && { ready }),
    });
  }

  /**
   * Looks at what a call made, and publishes in one write what both know; what the call returned in any case.
   * `announce` tells of the call once nothing it returned can be lost.
   */
  async function observeAndPublish(
    pass: Pass<M>,
    external: ExternalClient<M>,
    details: ConnectionDetails | undefined,
    announce: () => void,
    ready?: ConditionFacts,
  ): Promise<Observation> {
    pass.known = { ...pass.known, ...details };
    const observed = await observe(pass, external, ready).catch(async (error: unknown) => {
      await publish(pass, undefined, ready);
      announce();
      throw error;
    });
    await publish(pass, observed.exists ? observed.details : undefined, ready);
    announce();
    return observed;
  }

  async function lateInitialize(pass: Pass<M>, values: object): Promise<void> {
    const initialized = withLateInitialized(pass.current, values);
    pass.current = await failing(managed.update(pass.current, initialized, pass.signal), {
      prefix: 'cannot update managed resource: ',
      eventReason: 'CannotUpdateManagedResource',
    });
  }

  /** Reports what was observed and says when to look again: soon while it is on its way, else at the poll. */
  async function settle(pass: Pass<M>, observed: Observation): Promise<Result> {
    const wasReoffered = isReoffered(pass.current) && observed.ready?.status === 'True';
    await report(pass, reconcileSuccess(), observed.ready, observed.status);
    if (wasReoffered) await removeReofferAnnotation(pass);
    const { metadata, status } = pass.current;
    if (observed.operation !== undefined) {
      const since = getCondition(status?.conditions, 'AsyncOperation').lastTransitionTime;
      return after(progressDelayMs(since, env.pollIntervalMs, env.now()));
    }
    const isReady = observed.ready?.status === 'True' || isConditionTrue(status?.conditions, 'Ready');
    return after(
      isReady
        ? pollDelayMs(pass.current, env.pollIntervalMs, env.random)
        : progressDelayMs(metadata.creationTimestamp, env.pollIntervalMs, env.now()),
    );
  }

  async function removeReofferAnnotation(pass: Pass<M>): Promise<void> {
    const { [annotationKeys.reoffer]: _used, ...annotations } = pass.current.metadata.annotations ?? {};
    const cleared = { ...pass.current, metadata: { ...pass.current.metadata, annotations } };
    pass.current = await managed.update(pass.current, cleared, pass.signal);
  }
}
