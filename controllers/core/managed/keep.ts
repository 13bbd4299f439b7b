import { getCondition, isConditionTrue, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after } from '../../../runtime/controller/reconcile.ts';
import type { NextDecision } from './decide.ts';
import type { ExternalClient, Observation } from './external-client.ts';
import { observeAndPublish, prepare, publish } from './external-steps.ts';
import { identified } from './identified.ts';
import { isAdopting } from './identity.ts';
import { trackOperation } from './operation-steps.ts';
import type { Pass } from './pass.ts';
import { failing } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { pollDelayMs, progressDelayMs } from './poll.ts';
import { isReoffered, scrub } from './status.ts';

/** Rows 19, 20, 26–31: the external resource exists and stays. */
export async function keep<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
  observed: Observation,
  first: NextDecision,
): Promise<Result> {
  const { lateInitialized, ...rest } = observed;
  const isFilling = first.act === 'lateInitialize';
  await prepare(context, pass, isFilling ? { lateInitialized } : {});
  await publish(context, pass, observed.details);
  const decision = isFilling ? context.decide(pass, rest) : first;
  return decision.act === 'update'
    ? update(context, pass, external, observed)
    : settle(context, pass, observed);
}

/** Rows 29–31. */
async function update<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
  observed: Observation,
): Promise<Result> {
  pass.log.debug('external resource differs', {
    difference: observed.difference && scrub(observed.difference, pass.known),
  });
  const updated = await failing(external.update(identified(context, pass), pass.known, pass.signal), {
    step: 'update',
    eventReason: 'CannotUpdateExternalResource',
    areConflictsTold: true,
  });
  const announce = (): void => {
    const message = 'Successfully requested update of external resource';
    context.reporter.event(pass, 'Normal', 'UpdatedExternalResource', message);
  };
  if (updated.operation !== undefined) {
    await publish(context, pass, updated.details);
    announce();
    return trackOperation(context, pass, 'update', updated.operation, observed.ready);
  }
  const now = await observeAndPublish(context, pass, external, updated.details, announce);
  return settle(context, pass, now.exists ? now : observed);
}

/** Reports what was observed and says when to look again: soon while it is on its way, else at the poll. */
export async function settle<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  observed: Observation,
): Promise<Result> {
  const { env, reporter } = context;
  const wasReoffered = isReoffered(pass.current) && observed.ready?.status === 'True';
  await reporter.report(pass, reconcileSuccess(), observed.ready, observed.status);
  if (wasReoffered) await removeAnnotation(context, pass, annotationKeys.reoffer);
  if (isAdopting(pass.current)) await removeAnnotation(context, pass, annotationKeys.adoptIdentity);
  const { metadata, status } = pass.current;
  if (observed.operation !== undefined) {
    const since = getCondition(status?.conditions, 'AsyncOperation').lastTransitionTime;
    return after(progressDelayMs(since, env.pollIntervalMs, env.clock.now()));
  }
  const isReady = observed.ready?.status === 'True' || isConditionTrue(status?.conditions, 'Ready');
  return after(
    isReady
      ? pollDelayMs(pass.current, env.pollIntervalMs, env.random)
      : progressDelayMs(metadata.creationTimestamp, env.pollIntervalMs, env.clock.now()),
  );
}

async function removeAnnotation<M extends Managed>(
  { managed }: PassContext<M>,
  pass: Pass<M>,
  key: string,
): Promise<void> {
  const { [key]: _used, ...annotations } = pass.current.metadata.annotations ?? {};
  const cleared = { ...pass.current, metadata: { ...pass.current.metadata, annotations } };
  pass.current = await managed.update(pass.current, cleared, pass.signal);
}
