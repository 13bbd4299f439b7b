import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  isConditionTrue,
  reconcileError,
  reconcilePaused,
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
import { annotate, isConflict, isNotFound, messageOf } from '../../../runtime/errors.ts';
import type { Reconciler, Result } from '../../../runtime/reconcile.ts';
import { after, done, requeue } from '../../../runtime/reconcile.ts';
import type { Resource } from '../../../runtime/resource.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';
import { annotationTime } from './creation-tracking.ts';
import { updateCriticalAnnotations } from './critical-annotations.ts';
import type { NextDecision } from './decide.ts';
import { decideFirst, decideNext } from './decide.ts';
import type { ExternalClient, ExternalConnector, Observation } from './external-client.ts';
import { pollDelayMs, progressDelayMs } from './poll.ts';
import { isReoffered, scrub, withManagedStatus } from './status.ts';

export interface ManagedReconcilerOptions<M extends Managed> {
  readonly env: Pick<Environment, 'events' | 'now' | 'random' | 'log' | 'pollIntervalMs'>;
  readonly managed: Resource<M>;
  readonly connector: ExternalConnector<M>;
  readonly publisher: ConnectionPublisher;
  /**
   * `deterministic`: the external name is known before creation (forProvider.name, else the object's name),
   * and creating it twice yields one. `assigned`: the external system names it, so that every creation is
   * tracked by annotations and an interrupted one waits for a human.
   */
  readonly externalNames: 'deterministic' | 'assigned';
  /** The managed resource with its references resolved; throws what keeps them from it. */
  readonly resolveReferences?: (managed: M, signal: AbortSignal) => Promise<M>;
  /** How long an external system may not show what it just created. */
  readonly creationGraceMs?: number;
}

/** One pass over one managed resource: what is known so far, and the way out. */
interface Pass<M extends Managed> {
  current: M;
  known: ConnectionDetails;
  readonly signal: AbortSignal;
}

/** An expected way for a pass to end early: reported on the object, put back through the back-off. */
class PassFailure extends Error {
  readonly eventReason: string | undefined;
  readonly ready: ConditionFacts | undefined;
  constructor(message: string, cause: unknown, eventReason?: string, ready?: ConditionFacts) {
    super(message, { cause });
    this.eventReason = eventReason;
    this.ready = ready;
  }
}

/**
 * Reconciles managed resources with an external system, in the order of crossplane-runtime v1.16's
 * reconciler (docs/decision-tables.md, rows 1–31). Conflicts are thrown and put back silently.
 */
export function managedReconciler<M extends Managed>(options: ManagedReconcilerOptions<M>): Reconciler {
  const { env, managed, connector, publisher, externalNames, creationGraceMs = 30_000 } = options;
  const isAssigned = externalNames === 'assigned';

  return async (request, signal) => {
    const found = managed.get(request);
    const first = decideFirst(found);
    if (found === undefined || first.act === 'nothing') return done;
    const pass: Pass<M> = { current: found, known: {}, signal };
    try {
      switch (first.act) {
        case 'pause':
          return await reportPause(pass, first.message);
        case 'refuse':
          return await refuse(pass, first.row, first.message);
        case 'orphan':
          return await finalise(pass);
        case 'connect':
          return await withExternal(pass);
      }
    } catch (error) {
      if (isConflict(error) || !(error instanceof PassFailure)) throw error;
      return await fail(pass, error);
    }
  };

  async function withExternal(pass: Pass<M>): Promise<Result> {
    if (!wasDeleted(pass.current) && options.resolveReferences !== undefined) {
      const resolved = await failing(
        options.resolveReferences(pass.current, pass.signal),
        '',
        'CannotResolveResourceReferences',
      );
      pass.current = resolved;
    }
    pass.known = await failing(
      publisher.known(pass.current, pass.signal),
      '',
      'CannotPublishConnectionDetails',
    );
    const external = await failing(
      connector.connect(pass.current, pass.signal),
      'connect failed: ',
      'CannotConnectToProvider',
    );
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
        throw new PassFailure(
          'observe failed: external resource does not exist',
          undefined,
          'CannotObserveExternalResource',
        );
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
      case 'create':
        return create(pass, external);
      case 'reportUncreated': {
        const message = 'external resource does not exist, and spec.managementPolicies do not allow Create';
        await report(pass, reconcileSuccess(), unavailable(message));
        return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
      }
      default:
        return keep(pass, external, observed, decision);
    }
  }

  function decide(pass: Pass<M>, observed: Observation): NextDecision {
    return decideNext(pass.current, observed, { graceMs: isAssigned ? creationGraceMs : 0, now: env.now() });
  }

  function observe(pass: Pass<M>, external: ExternalClient<M>): Promise<Observation> {
    return failing(
      external.observe(named(pass.current), pass.known, pass.signal),
      'observe failed: ',
      'CannotObserveExternalResource',
    );
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
    const update = await failing(
      external.update(named(pass.current), pass.known, pass.signal),
      'update failed: ',
      'CannotUpdateExternalResource',
    );
    await publish(pass, update.details);
    event(pass, 'Normal', 'UpdatedExternalResource', 'Successfully requested update of external resource');
    const updated = await observe(pass, external);
    if (!updated.exists) return settle(pass, observed);
    await publish(pass, updated.details);
    return settle(pass, updated);
  }

  /** Rows 21–25. Looks again at once, so that a quick external system takes one pass and one status write. */
  async function create(pass: Pass<M>, external: ExternalClient<M>): Promise<Result> {
    await prepare(
      pass,
      isAssigned ? { [annotationKeys.externalCreatePending]: annotationTime(env.now()) } : {},
    );
    const creation = await external
      .create(named(pass.current), pass.known, pass.signal)
      .catch(async (error: unknown) => {
        if (isAssigned) await recordFailure(pass);
        throw new PassFailure(
          `create failed: ${messageOf(error)}`,
          error,
          'CannotCreateExternalResource',
          creating(),
        );
      });
    if (isAssigned) await recordSuccess(pass, creation.externalName);
    await publish(pass, creation.details, creating());
    event(pass, 'Normal', 'CreatedExternalResource', 'Successfully requested creation of external resource');
    const observed = await external
      .observe(named(pass.current), pass.known, pass.signal)
      .catch((error: unknown) => {
        throw new PassFailure(
          `observe failed: ${messageOf(error)}`,
          error,
          'CannotObserveExternalResource',
          creating(),
        );
      });
    if (!observed.exists) {
      await report(pass, reconcileSuccess(), creating());
      return requeue;
    }
    await publish(pass, observed.details, creating());
    return settle(pass, observed);
  }

  async function recordSuccess(pass: Pass<M>, assignedName: string | undefined): Promise<void> {
    const annotations = {
      ...(assignedName === undefined ? {} : { [annotationKeys.externalName]: assignedName }),
      [annotationKeys.externalCreateSucceeded]: annotationTime(env.now()),
    };
    pass.current = await failing(
      updateCriticalAnnotations(managed, pass.current, annotations, pass.signal),
      'cannot update managed resource annotations: ',
      'CannotUpdateManagedResource',
      creating(),
    );
  }

  /** Row 22: without this record the next pass must assume a leak and wait for a human. */
  async function recordFailure(pass: Pass<M>): Promise<void> {
    const annotations = { [annotationKeys.externalCreateFailed]: annotationTime(env.now()) };
    try {
      pass.current = await updateCriticalAnnotations(managed, pass.current, annotations, pass.signal);
    } catch (error) {
      event(pass, 'Warning', 'CannotUpdateManagedResource', messageOf(error));
    }
  }

  /** Rows 14, 15: asks for deletion, and if the external resource is gone at once, finishes. */
  async function remove(pass: Pass<M>, external: ExternalClient<M>): Promise<Result> {
    await failing(
      external.delete(named(pass.current), pass.signal),
      'delete failed: ',
      'CannotDeleteExternalResource',
      deleting(),
    );
    event(pass, 'Normal', 'DeletedExternalResource', 'Successfully requested deletion of external resource');
    const observed = await observe(pass, external);
    if (!observed.exists) return finalise(pass);
    await report(pass, reconcileSuccess(), deleting(), observed.status);
    return after(progressDelayMs(pass.current.metadata.deletionTimestamp, env.pollIntervalMs, env.now()));
  }

  /** Rows 4–6, 16–18: nothing is left outside, or it is to stay there. */
  async function finalise(pass: Pass<M>): Promise<Result> {
    await failing(
      publisher.unpublish(pass.current, pass.signal),
      '',
      'CannotUnpublishConnectionDetails',
      deleting(),
    );
    const finalizers = withoutFinalizer(pass.current, finalizerNames.managed);
    const finalised = { ...pass.current, metadata: { ...pass.current.metadata, finalizers } };
    try {
      await managed.update(pass.current, finalised, pass.signal);
    } catch (error) {
      if (isNotFound(error)) return done;
      if (isConflict(error)) throw error;
      throw new PassFailure(
        `cannot update managed resource: ${messageOf(error)}`,
        error,
        undefined,
        deleting(),
      );
    }
    return done;
  }

  /**
   * One write before anything exists outside: finalizer, external name, and for assigned names the mark that a
   * creation is under way. It carries the resourceVersion, so that a stale read creates nothing.
   */
  async function prepare(pass: Pass<M>, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
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
    pass.current = await failing(
      managed.update(pass.current, prepared, pass.signal),
      'cannot update managed resource: ',
      'CannotUpdateManagedResource',
    );
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
    await failing(
      publisher.publish(pass.current, all, pass.signal),
      '',
      'CannotPublishConnectionDetails',
      ready,
    );
  }

  async function lateInitialize(pass: Pass<M>, values: object): Promise<void> {
    const forProvider = { ...values, ...pass.current.spec.forProvider };
    const initialized = { ...pass.current, spec: { ...pass.current.spec, forProvider } };
    pass.current = await failing(
      managed.update(pass.current, initialized, pass.signal),
      'cannot update managed resource: ',
      'CannotUpdateManagedResource',
    );
  }

  /** Reports what was observed and says when to look again: soon while it is on its way, else at the poll. */
  async function settle(pass: Pass<M>, observed: Observation): Promise<Result> {
    const wasReoffered = isReoffered(pass.current) && observed.ready?.status === 'True';
    await report(pass, reconcileSuccess(), observed.ready, observed.status);
    if (wasReoffered) await removeReofferAnnotation(pass);
    const isReady =
      observed.ready?.status === 'True' || isConditionTrue(pass.current.status?.conditions, 'Ready');
    return after(
      isReady
        ? pollDelayMs(pass.current, env.pollIntervalMs, env.random)
        : progressDelayMs(pass.current.metadata.creationTimestamp, env.pollIntervalMs, env.now()),
    );
  }

  async function removeReofferAnnotation(pass: Pass<M>): Promise<void> {
    const { [annotationKeys.reoffer]: _used, ...annotations } = pass.current.metadata.annotations ?? {};
    const cleared = { ...pass.current, metadata: { ...pass.current.metadata, annotations } };
    pass.current = await managed.update(pass.current, cleared, pass.signal);
  }

  async function reportPause(pass: Pass<M>, message: string): Promise<Result> {
    if (await report(pass, reconcilePaused(message))) event(pass, 'Normal', 'ReconciliationPaused', message);
    return done;
  }

  /** Rows 3 and 8: nothing but an edit of the object helps, and that wakes us. */
  async function refuse(pass: Pass<M>, row: '3' | '8', message: string): Promise<Result> {
    const reason = row === '3' ? 'CannotUseInvalidManagementPolicy' : 'CannotInitializeManagedResource';
    const ready = row === '8' ? creating() : undefined;
    if (await report(pass, reconcileError(message), ready)) event(pass, 'Warning', reason, message);
    return done;
  }

  async function fail(pass: Pass<M>, failure: PassFailure): Promise<Result> {
    const message = scrub(failure.message, pass.known);
    const ready = wasDeleted(pass.current) ? (failure.ready ?? deleting()) : failure.ready;
    const isNews = await report(pass, reconcileError(message), ready);
    if (isNews && failure.eventReason !== undefined) event(pass, 'Warning', failure.eventReason, message);
    return requeue;
  }

  /** Writes the status if it changes, and says whether it did. An object that is gone needs none. */
  async function report(
    pass: Pass<M>,
    synced: ConditionFacts,
    ready?: ConditionFacts,
    status?: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const before = pass.current;
    try {
      const reported = withManagedStatus(before, { synced, ready, status }, env.now());
      pass.current = await annotate(
        'cannot update managed resource status',
        managed.updateStatus(before, reported, pass.signal),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return pass.current !== before;
  }

  function event(pass: Pass<M>, type: 'Normal' | 'Warning', reason: string, message: string): void {
    env.events.record(pass.current, { type, reason, message: scrub(message, pass.known) });
  }
}

/** Awaits a step; its failure ends the pass, with a prefix that names the step. Conflicts stay conflicts. */
async function failing<T>(
  step: Promise<T>,
  prefix: string,
  eventReason: string | undefined,
  ready?: ConditionFacts,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new PassFailure(prefix + messageOf(error), error, eventReason, ready);
  }
}
