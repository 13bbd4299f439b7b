import { changedAtMs } from '../../apis/core/v1alpha1/changed-at.ts';
import { sinceOf } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Lease } from '../../runtime/process/lease.ts';
import { ago } from './ago.ts';
import type { Details } from './fault-row.ts';
import type { Found } from './findings.ts';
import { thereOf } from './findings.ts';
import type { Sign } from './signs.ts';
import type { View } from './view.ts';
import { conditionsOf, isObserved, readyOf } from './view.ts';
import { describeObject } from './words.ts';

/** A running controller observes a change much faster. */
const patienceMs = 60_000;

export interface Liveness {
  /** `none`: there is no lease, for example because one process runs without leader election. */
  readonly lease: 'held' | 'run out' | 'released' | 'none' | 'unknown';
  /** The lease and the unobserved objects, a sentence each. */
  readonly says: readonly string[];
  /** Objects whose last change no controller has observed in time. */
  readonly unobserved: readonly KubernetesObject[];
  /** No controller runs, or none handles an object. */
  readonly isIdle: boolean;
  /** The last leader ended, and nothing was observed since then. Another process may run without leader election. */
  readonly isLeaderless: boolean;
}

/** Whether controllers run, by their lease and by the status of the objects. */
export function livenessOf(
  found: Found<Lease>,
  objects: readonly (KubernetesObject | undefined)[],
  now: Date,
): Liveness {
  const known = objects.filter((object) => object !== undefined);
  // A change at an unknown time is later than the last known observation.
  const sinceMs = (object: KubernetesObject): number =>
    Number.isNaN(changedAtMs(object)) ? observedAtMs(object) : changedAtMs(object);
  const unobserved = known.filter(
    (object) => !isObserved(object) && now.getTime() - sinceMs(object) > patienceMs,
  );
  const [lease, state] = leaseState(found, now);
  const texts = unobserved.map(
    (object) => `no controller has observed the last change of ${describeObject(object)}`,
  );
  // A process without leader election leaves the lease of a previous process as it is.
  const renewedMs = found.is === 'there' ? Date.parse(found.value.spec?.renewTime ?? '') : Number.NaN;
  const isSilent = !known.some((object) => observedAtMs(object) > renewedMs + secondMs);
  const isIdle = unobserved.length > 0 || (lease === 'run out' && isSilent);
  return {
    lease,
    says: [state, ...texts],
    unobserved,
    isIdle,
    isLeaderless: lease === 'released' && isSilent,
  };
}

const secondMs = 1_000;

/** The time of the last write of the status that is known, in epoch ms. */
function observedAtMs(object: KubernetesObject): number {
  const { managedFields = [] } = object.metadata as {
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
  const times = [
    ...conditionsOf(object).map(sinceOf),
    ...managedFields.flatMap(({ time, subresource }) => (subresource === 'status' ? (time ?? []) : [])),
  ].map((time) => Date.parse(time));
  return Math.max(...times.filter((time) => !Number.isNaN(time)), Number.NEGATIVE_INFINITY);
}

export const livenessIn = ({ lease, theClaim, theManaged, subject, now }: View): Liveness =>
  livenessOf(lease, subject.known.sort === 'claim' ? [theClaim, theManaged] : [theManaged], now);

/** No controller runs, or none handles the object. */
export const idleness: Sign = (view) => {
  const { isIdle, says } = livenessIn(view);
  return isIdle ? says.slice(0, 2).join('; ') : undefined;
};

/** No process holds the lease, and nothing else explains why the object waits. */
export const leaderless: Sign = (view) => {
  const { isLeaderless, says } = livenessIn(view);
  const own = view.theClaim ?? view.theManaged;
  const waits = own !== undefined && (readyOf(own).status !== 'True' || wasDeleted(own));
  return isLeaderless && waits ? says[0] : undefined;
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
        : 'If you run the controllers yourself, start them again. In a cluster, the log of their Deployment shows why they ended:',
    // The logs come first: a restart deletes them.
    commands: [
      `kubectl -n ${namespace} logs deployment/${name} --previous --tail=50`,
      `kubectl -n ${namespace} logs deployment/${name} --tail=50`,
      `kubectl -n ${namespace} rollout restart deployment ${name}`,
    ],
  };
};

function leaseState(found: Found<Lease>, now: Date): readonly [Liveness['lease'], says: string] {
  switch (found.is) {
    case 'absent':
      return ['none', 'no lease: no process runs, or one with --leader-elect=false'];
    case 'withheld':
      return ['unknown', 'you cannot read their lease'];
    case 'unsought':
      return ['unknown', 'this process'];
  }
  const { holderIdentity, leaseDurationSeconds = 15, renewTime = '' } = found.value.spec ?? {};
  if (!holderIdentity) return ['released', 'no process holds the lease: the last leader has ended'];
  const renewedMs = Date.parse(renewTime);
  const when = `renewed ${ago(renewedMs, now)}`;
  return now.getTime() - renewedMs > leaseDurationSeconds * 1_000
    ? ['run out', `the lease of ${holderIdentity} has expired: ${when}`]
    : ['held', `${holderIdentity} leads, ${when}`];
}
