import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { isOperationOngoing, operationFinished, operationOngoing } from './async-operations.ts';
import type { ExternalClient, Observation } from './external-client.ts';
import { identified, named, withAnnotations } from './identified.ts';
import { editsOf, recordedIdentity } from './identity.ts';
import type { Pass } from './pass.ts';
import { failing } from './pass.ts';
import type { PassContext } from './pass-context.ts';
import { withLateInitialized } from './provider-values.ts';

/** Row 11 where it fails. `ready` is what Ready says then. */
export async function observe<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
  ready?: ConditionFacts,
): Promise<Observation> {
  const observed = await failing(external.observe(identified(context, pass), pass.known, pass.signal), {
    step: 'observe',
    eventReason: 'CannotObserveExternalResource',
    ...(ready && { ready }),
  });
  if (observed.exists) pass.seen = observed;
  else delete pass.seen;
  if (observed.exists && observed.operation !== undefined) {
    pass.operation = operationOngoing(observed.operation);
  } else if (observed.exists && isOperationOngoing(pass.current.status?.conditions)) {
    pass.operation ??= operationFinished(undefined);
  }
  return observed;
}

/**
 * Row 11. What is not found with what has been given a value since it was recorded is looked for without: that value may
 * lead elsewhere, and has no effect then.
 */
export async function observeRecorded<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
): Promise<Observation> {
  const recorded = recordedIdentity(pass.current, context.identityFields);
  const observed = await observe(context, pass, external);
  if (observed.exists || recorded === undefined) return observed;
  const edits = (isExact: boolean) => editsOf(pass.current, recorded, context.identityFields, isExact).length;
  if (edits(true) === edits(false)) return observed;
  pass.isExact = true;
  return observe(context, pass, external);
}

/** What a write of the object takes along, beside what it always holds. */
export interface Preparation {
  readonly annotations?: Readonly<Record<string, string>>;
  /** What Ready says if it fails. */
  readonly ready?: ConditionFacts;
  /** Values that the external system chose. */
  readonly lateInitialized?: object | undefined;
}

/**
 * Rows 20, 21 and 26: finalizer and external name, and what else is due, in one write. Before a creation it also
 * carries, for assigned names, the mark that one is under way. It has the resourceVersion as its precondition, so
 * that a stale read creates nothing.
 */
export async function prepare<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  { annotations = {}, ready, lateInitialized }: Preparation = {},
): Promise<void> {
  const known = named(context, pass.current);
  const object = lateInitialized === undefined ? known : withLateInitialized(known, lateInitialized);
  const annotated = withAnnotations(object, { ...pass.providerRecord, ...annotations });
  const finalizers = withFinalizer(object, finalizerNames.managed);
  const prepared = { ...annotated, metadata: { ...annotated.metadata, finalizers } };
  pass.current = await failing(context.managed.update(pass.current, prepared, pass.signal), {
    prefix: 'cannot update managed resource: ',
    ...((ready ?? lateInitialized) !== undefined && { eventReason: 'CannotUpdateManagedResource' }),
    ...(ready && { ready }),
  });
}

/**
 * Rows 19, 24 and 30 where it fails. Everything known is offered each time: the publisher writes only what is missing,
 * so that a deleted or edited secret heals and no detail is lost between two steps.
 */
export async function publish<M extends Managed>(
  { publisher }: Pick<PassContext<M>, 'publisher'>,
  pass: Pass<M>,
  details: ConnectionDetails | undefined,
  ready?: ConditionFacts,
): Promise<void> {
  pass.known = { ...pass.known, ...details };
  if (Object.keys(pass.known).length === 0) return;
  await failing(publisher.publish(pass.current, pass.known, pass.signal, pass.before), {
    eventReason: 'CannotPublishConnectionDetails',
    ...(ready && { ready }),
  });
}

/**
 * Looks at what a call made, and publishes in one write what both know; what the call returned in any case.
 * `announce` tells of the call once nothing it returned can be lost.
 */
export async function observeAndPublish<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  external: ExternalClient<M>,
  details: ConnectionDetails | undefined,
  announce: () => void,
  ready?: ConditionFacts,
): Promise<Observation> {
  pass.known = { ...pass.known, ...details };
  const observed = await observe(context, pass, external, ready).catch(async (error: unknown) => {
    await publish(context, pass, undefined, ready);
    announce();
    throw error;
  });
  await publish(context, pass, observed.exists ? observed.details : undefined, ready);
  announce();
  return observed;
}
