import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';

export type KStatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const has =
  (type: string, ...statuses: readonly string[]) =>
  ({ status }: Conditioned): boolean =>
    status?.conditions?.some((each) => each.type === type && statuses.includes(each.status)) === true;

/**
 * The rules of kstatus for custom resources: the first that holds decides. Ported from `checkGenericProperties`,
 * `checkGeneration` (generic.go) and `checkReadyCondition` (status.go) in sigs.k8s.io/cli-utils, pkg/kstatus/status, of
 * October 2025. There the first of Reconciling and Stalled in the list decides; the controllers never write both.
 */
const rules: readonly (readonly [holds: (object: Conditioned) => boolean, status: KStatus])[] = [
  [({ metadata }) => (metadata.deletionTimestamp ?? '') !== '', 'Terminating'],
  [
    ({ metadata, status }) =>
      metadata.generation !== undefined &&
      status?.observedGeneration !== undefined &&
      status.observedGeneration !== metadata.generation,
    'InProgress',
  ],
  [has('Reconciling', 'True'), 'InProgress'],
  [has('Stalled', 'True'), 'Failed'],
  [has('Ready', 'False', 'Unknown'), 'InProgress'],
  [() => true, 'Current'],
];

/** The status that kstatus computes, and so Flux and `kubectl` plugins that use it. */
export const kstatusOf = (object: KubernetesObject): KStatus =>
  rules.find(([holds]) => holds(object))?.[1] ?? 'Current';
