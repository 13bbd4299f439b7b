import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

type Action = 'Observe' | 'Create' | 'Update' | 'Delete' | 'LateInitialize';

export const allows = ({ spec: { managementPolicies = ['*'] } }: Managed, action: Action): boolean =>
  managementPolicies.includes('*') || managementPolicies.includes(action);

export const isPaused = ({ metadata, spec }: Managed): boolean =>
  metadata.annotations?.['crossplane.io/paused'] === 'true' || spec.managementPolicies?.length === 0;
