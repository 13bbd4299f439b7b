import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Lease } from '../../runtime/process/leader-election.ts';
import { ago } from './ago.ts';
import { describeObject } from './commands.ts';
import type { Details } from './fault-row.ts';
import type { Found } from './findings.ts';
import { thereOf } from './findings.ts';
import type { Sign } from './signs.ts';
import type { View } from './view.ts';
import { isObserved } from './view.ts';

/** A running controller observes a change much faster. */
const patienceMs = 60_000;

export interface Liveness {
  /** `none`: there is no lease, for example because one process runs without leader election. */
  readonly lease: 'held' | 'run out' | 'released' | 'none' | 'unknown';
  /** A sentence about the lease. */
  readonly says: string;
  /** Objects whose last change no controller has observed in time. */
  readonly unobserved: readonly KubernetesObject[];
}

/** Whether controllers run, by their lease and by the status of the objects. */
export function livenessOf(
  lease: Found<Lease>,
  objects: readonly (KubernetesObject | undefined)[],
  now: Date,
): Liveness {
  const isLate = (object: KubernetesObject): boolean => {
    const changedMs = changedAtMs(object);
    return changedMs !== undefined && now.getTime() - changedMs > patienceMs;
  };
  const given = objects.filter((object) => object !== undefined);
  return { ...leaseState(lease, now), unobserved: given.filter((one) => !isObserved(one) && isLate(one)) };
}

export function livenessIn({ lease, theClaim, theManaged, subject, now }: View): Liveness {
  return livenessOf(lease, subject.known.sort === 'claim' ? [theClaim, theManaged] : [theManaged], now);
}

const unobservedText = (object: KubernetesObject): string =>
  `no controller has observed the last change of ${describeObject(object)}`;

/** The lease and the unobserved objects in sentences. */
export const livenessTexts = ({ says, unobserved }: Liveness): readonly string[] => [
  says,
  ...unobserved.map(unobservedText),
];

export const isIdle = ({ lease, unobserved }: Liveness): boolean =>
  lease === 'run out' || lease === 'released' || unobserved.length > 0;

/** No controller runs, or none handles the object. */
export const idleness: Sign = (view) => {
  const liveness = livenessIn(view);
  return isIdle(liveness) ? livenessTexts(liveness).slice(0, 2).join('; ') : undefined;
};

/** The Deployment of the controllers. Its lease has the same name by default. */
export const deploymentOf = (lease: View['lease']): SecretKey => ({
  namespace: thereOf(lease)?.metadata.namespace ?? 'crossplane-system',
  name: thereOf(lease)?.metadata.name ?? 'services-stack',
});

export const controllersDown: Details = (view) => {
  const { lease } = livenessIn(view);
  const { namespace, name } = deploymentOf(view.lease);
  return {
    advice:
      lease === 'held' || lease === 'unknown'
        ? 'Check in its log whether the process serves this kind and namespace (--stacks, --namespace).'
        : 'If they run elsewhere, start them there. Their log shows why they ended.',
    // The logs come first: a restart deletes them.
    commands: [
      `kubectl -n ${namespace} logs deployment/${name} --previous --tail=50`,
      `kubectl -n ${namespace} logs deployment/${name} --tail=50`,
      `kubectl -n ${namespace} rollout restart deployment ${name}`,
    ],
  };
};

function leaseState(lease: Found<Lease>, now: Date): Pick<Liveness, 'lease' | 'says'> {
  if (lease.is === 'absent')
    return { lease: 'none', says: 'no lease: no process runs, or one with --leader-elect=false' };
  if (lease.is === 'withheld') return { lease: 'unknown', says: 'you cannot read their lease' };
  if (lease.is === 'unsought') return { lease: 'unknown', says: 'this process' };
  const { holderIdentity, leaseDurationSeconds = 15, renewTime = '' } = lease.value.spec ?? {};
  if (!holderIdentity)
    return { lease: 'released', says: 'no process holds the lease: the last leader has ended' };
  const renewedMs = Date.parse(renewTime);
  const isExpired = now.getTime() - renewedMs > leaseDurationSeconds * 1_000;
  const when = `renewed ${ago(renewedMs, now)}`;
  return isExpired
    ? { lease: 'run out', says: `the lease of ${holderIdentity} has expired: ${when}` }
    : { lease: 'held', says: `${holderIdentity} leads, ${when}` };
}

/**
 * The time of the last change outside of the status, in epoch ms. Undefined: the object was changed, and records no time,
 * for example because a controller dropped `managedFields` (docs/decisions/0051).
 */
function changedAtMs({ metadata }: KubernetesObject): number | undefined {
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
