import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Lease } from '../../runtime/process/leader-election.ts';
import { ago } from './ago.ts';
import type { Found } from './findings.ts';
import { isLookedAt } from './view.ts';

/** So long a controller that lives may take to look at what changed: far longer than it does. */
const patienceMs = 60_000;

export interface Liveness {
  /** `none`: there is no lease, as where one process runs without leader election. */
  readonly lease: 'held' | 'run out' | 'released' | 'none' | 'unknown';
  /** A sentence on it. */
  readonly says: string;
  /** Objects that nobody has looked at as they are now, though there was time. */
  readonly untouched: readonly KubernetesObject[];
}

/** Whether there are controllers at work, as far as their lease and what they leave behind tells. */
export function livenessOf(
  lease: Found<Lease>,
  objects: readonly (KubernetesObject | undefined)[],
  now: Date,
): Liveness {
  const isLate = (object: KubernetesObject): boolean => {
    const sinceMs = editedMs(object);
    return sinceMs !== undefined && now.getTime() - sinceMs > patienceMs;
  };
  const untouched = objects.filter(
    (object) => object !== undefined && !isLookedAt(object) && isLate(object),
  ) as readonly KubernetesObject[];
  return { ...leaseState(lease, now), untouched };
}

function leaseState(lease: Found<Lease>, now: Date): Pick<Liveness, 'lease' | 'says'> {
  if (lease.is === 'absent')
    return { lease: 'none', says: 'no lease: no process runs, or one with --leader-elect=false' };
  if (lease.is !== 'there') {
    return {
      lease: 'unknown',
      says: lease.is === 'withheld' ? 'their lease may not be read with your rights' : 'this process',
    };
  }
  const { holderIdentity, leaseDurationSeconds = 15, renewTime = '' } = lease.value.spec ?? {};
  if (!holderIdentity)
    return { lease: 'released', says: 'nobody holds the lease: the last leader has ended' };
  const renewedMs = Date.parse(renewTime);
  const isOver = now.getTime() - renewedMs > leaseDurationSeconds * 1_000;
  const when = `renewed ${ago(renewedMs, now)}`;
  return isOver
    ? { lease: 'run out', says: `the lease of ${holderIdentity} has run out: ${when}` }
    : { lease: 'held', says: `${holderIdentity} leads, ${when}` };
}

/**
 * When somebody last changed more than the status, as far as the object tells; epoch ms. Undefined: it was edited, and
 * nobody wrote down when, as of what a claim was provisioned (docs/decisions/0051).
 */
function editedMs({ metadata }: KubernetesObject): number | undefined {
  const { generation = 1, deletionTimestamp } = metadata;
  const { managedFields = [] } = metadata as {
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
  if (managedFields.length === 0 && generation > 1 && deletionTimestamp === undefined) return undefined;
  const times = [
    metadata.creationTimestamp,
    deletionTimestamp,
    ...managedFields.map(({ time, subresource }) => (subresource === undefined ? time : undefined)),
  ].map((time) => Date.parse(time ?? ''));
  return Math.max(...times.filter((time) => !Number.isNaN(time)), Number.NEGATIVE_INFINITY);
}
