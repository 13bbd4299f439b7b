import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { UpdateOptions } from '../../../runtime/cache/resource.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { failing } from '../../step-failure.ts';
import { withoutRecord } from '../recording/status.ts';
import type { Run } from './context.ts';
import type { Facts } from './facts.ts';
import { cannot } from './failures.ts';

export async function write(
  { managedResources, signal }: Run,
  facts: Facts,
  desired: Managed,
  failure: FailureFacts = cannot.write,
  options: UpdateOptions = {},
): Promise<Facts> {
  const writing = managedResources.update(facts.managed, desired, signal, options);
  return { ...facts, managed: await failing('cannot update managed resource', writing, failure) };
}

export async function writeStatus(
  { managedResources, signal }: Run,
  facts: Facts,
  desired: Managed,
): Promise<Facts> {
  const writing = managedResources.updateStatus(facts.managed, desired, signal);
  const managed = await failing('cannot update managed resource status', writing, cannot.write);
  return { ...facts, managed };
}

/** Removes `status.credential` before another credential is set, so that the status is correct even after a crash. */
export const clearRecord = (run: Run, facts: Facts): Promise<Facts> =>
  writeStatus(run, facts, withoutRecord(facts.managed));

/**
 * A write that may be the first one of a provisioned resource. That one also makes the API server stop tracking which
 * client wrote which field (docs/decisions/0051).
 */
export function writeFirst(run: Run, facts: Facts, desired: Managed, failure?: FailureFacts): Promise<Facts> {
  const { metadata, spec } = facts.managed;
  const isProvisioned = spec.claimRef !== undefined && spec.classRef !== undefined;
  const isRecorded = metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
  return write(run, facts, desired, failure, { ceasesTracking: isProvisioned && !isRecorded });
}
