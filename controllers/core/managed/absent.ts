import { reconcileError, reconcileSuccess, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after, requeue } from '../../../runtime/controller/reconcile.ts';
import type { ExternalClient } from './external-client.ts';
import { identified, withAnnotations } from './identified.ts';
import { encodeIdentity, identityOf } from './identity.ts';
import type { Pass } from './pass.ts';
import { failing } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { pollDelayMs } from './poll.ts';

const missing = 'external resource does not exist';

/**
 * Row edited. What was recorded is gone, so that the edit may count; unless something is left of it, as a creation that
 * failed halfway leaves it, which nobody would find under another name.
 */
export async function takeUpEdit<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
): Promise<Result> {
  const { env, managed, reporter, absences, identityFields } = context;
  const object = identified(context, pass);
  const deletionTimestamp = env.clock.now().toISOString();
  const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
  const left = await failing(external.observe(leaving, pass.known, pass.signal), {
    step: 'observe',
    eventReason: 'CannotObserveExternalResource',
  });
  if (left.exists) {
    await reporter.report(pass, reconcileSuccess());
    return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
  }
  const record = encodeIdentity(identityOf(pass.current, identityFields, pass.system));
  const annotated = withAnnotations(pass.current, { [annotationKeys.externalIdentity]: record });
  const failure = {
    prefix: 'cannot update managed resource: ',
    eventReason: 'CannotUpdateManagedResource',
  } as const;
  pass.current = await failing(managed.update(pass.current, annotated, pass.signal), failure);
  const { externalIdentity: _former, ...status } = pass.current.status ?? {};
  const former = { ...pass.current, status };
  pass.current = await failing(managed.updateStatus(pass.current, former, pass.signal), failure);
  absences.forget(objectKey(pass.current.metadata));
  return after(0);
}

/** Row 12. A steady state: looked at again at the poll (crossplane-runtime v2.4), or when it is edited. */
export async function reportMissing<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const name = externalName(pass.current);
  await reporter.report(pass, reconcileError(`observe failed: ${missing}`));
  const told = name === undefined ? missing : `${missing} (${name})`;
  reporter.event(pass, 'Warning', 'CannotObserveExternalResource', told);
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}

/** Row 13. */
export function awaitExistence<M extends Managed>({ reporter }: PassContext<M>, pass: Pass<M>): Result {
  const message = 'Waiting for external resource existence to be confirmed';
  reporter.event(pass, 'Normal', 'PendingExternalResource', message);
  return requeue;
}

/** Row 25, again. */
export function reportRecreation<M extends Managed>({ reporter }: PassContext<M>, pass: Pass<M>): void {
  const message = `${missing} any more (${externalName(pass.current) ?? 'its name is not known'}); it is created again`;
  reporter.event(pass, 'Warning', 'LostExternalResource', message);
}

/** Row 25, lost. */
export async function reportLost<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const message = `${missing} any more (${externalName(pass.current)}); to have another created, remove the annotation ${annotationKeys.externalName}`;
  await reporter.report(pass, reconcileError(message), unavailable(message));
  reporter.event(pass, 'Warning', 'LostExternalResource', message);
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}

/** Row 28, absent. */
export async function reportUncreated<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
): Promise<Result> {
  const message = `${missing}, and spec.managementPolicies do not allow Create; add Create, or create it`;
  await reporter.report(pass, reconcileSuccess(), unavailable(message));
  return after(pollDelayMs(pass.current, env.pollIntervalMs, env.random));
}
