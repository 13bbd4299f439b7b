import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';

/** coordination.k8s.io/v1 Lease. Times are RFC 3339 with six fraction digits. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const LeaseKind: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};

/** metav1.MicroTime: the API server accepts exactly six fraction digits. */
export const microTime = (date: Date): string => date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
