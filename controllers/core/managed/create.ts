import { creating, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { requeue } from '../../../runtime/controller/reconcile.ts';
import { pendingTime } from './creation-tracking.ts';
import type { ExternalClient } from './external-client.ts';
import { observeAndPublish, prepare, publish } from './external-steps.ts';
import { identified, identityToRecord } from './identified.ts';
import { encodeIdentity } from './identity.ts';
import { settle } from './keep.ts';
import { trackOperation } from './operation-steps.ts';
import type { Pass } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { withInitProvider } from './provider-values.ts';

/** Rows 21–25. Looks again at once, so that a quick external system takes one pass and one status write. */
export async function create<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
): Promise<Result> {
  const { env, isAssigned, recorder, reporter } = context;
  const pending = { [annotationKeys.externalCreatePending]: pendingTime(pass.current, env.clock.now()) };
  const identity = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(context, pass)) };
  await prepare(context, pass, {
    annotations: { ...identity, ...(isAssigned && pending) },
    ready: creating(),
  });
  const creation = await external
    .create(withInitProvider(identified(context, pass)), pass.known, pass.signal)
    .catch((error: unknown) => recorder.failCreation(pass, error));
  const announce = (): void => {
    const message = 'Successfully requested creation of external resource';
    reporter.event(pass, 'Normal', 'CreatedExternalResource', message);
  };
  if (creation.operation !== undefined) {
    await publish(context, pass, creation.details, creating());
    announce();
    return trackOperation(context, pass, 'create', creation.operation, creating());
  }
  if (isAssigned) await recorder.recordSuccess(pass, creation.externalName);
  const observed = await observeAndPublish(context, pass, external, creation.details, announce, creating());
  if (observed.exists) {
    if (context.decide(pass, observed).act === 'lateInitialize') {
      await prepare(context, pass, { lateInitialized: observed.lateInitialized, ready: creating() });
    }
    return settle(context, pass, observed);
  }
  await reporter.report(pass, reconcileSuccess(), creating());
  return requeue;
}
