import { deleting, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import type { Deletion, ExternalClient, Observation } from './external-client.ts';
import { observe } from './external-steps.ts';
import { identified } from './identified.ts';
import { trackOperation } from './operation-steps.ts';
import type { Pass } from './pass.ts';
import { failing, PassFailure } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { progressDelayMs } from './poll.ts';

/** Rows 14, 15: asks for deletion, and if the external resource is gone at once, finishes. */
export async function remove<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
): Promise<Result> {
  const deletion = await failing<unknown>(external.delete(identified(context, pass), pass.signal), {
    step: 'delete',
    eventReason: 'CannotDeleteExternalResource',
    ready: deleting(),
    areConflictsTold: true,
  });
  const message = 'Successfully requested deletion of external resource';
  context.reporter.event(pass, 'Normal', 'DeletedExternalResource', message);
  const { operation } = (deletion ?? {}) as Deletion;
  if (operation !== undefined) return trackOperation(context, pass, 'delete', operation, deleting());
  const observed = await observe(context, pass, external, deleting());
  return observed.exists ? reportDeletion(context, pass, observed) : finalise(context, pass);
}

/** It is on its way out: looked at again soon. */
export async function reportDeletion<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
  observed: Observation,
): Promise<Result> {
  await reporter.report(pass, reconcileSuccess(), deleting(), observed.status);
  return after(progressDelayMs(pass.current.metadata.deletionTimestamp, env.pollIntervalMs, env.clock.now()));
}

/** Rows 4–6, 16–18: nothing is left outside, or it is to stay there. */
export async function finalise<M extends Managed>(
  { managed, operations, absences, publisher }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
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
  operations.forget(objectKey(pass.current.metadata));
  absences.forget(objectKey(pass.current.metadata));
  return done;
}
