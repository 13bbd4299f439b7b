import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import { creating, deleting } from '../../../../apis/core/v1alpha1/condition.ts';
import type { FailureFacts } from '../../step-failure.ts';
import type { Run } from './outcome.ts';

export type Ready = () => ConditionFacts;
export const isCreating: Ready = () => creating();
export const isDeleting: Ready = () => deleting();

export const cannot = {
  resolve: { reason: 'CannotResolveResourceReferences' },
  connect: { external: 'connect', reason: 'CannotConnectToProvider' },
  observe: { external: 'call', reason: 'CannotObserveExternalResource' },
  name: { external: 'call', reason: 'CannotInitializeManagedResource', ready: isCreating },
  publish: { reason: 'CannotPublishConnectionDetails' },
  unpublish: { reason: 'CannotUnpublishConnectionDetails', ready: isDeleting },
  write: { reason: 'CannotUpdateManagedResource' },
  record: { reason: 'CannotUpdateManagedResource', ready: isCreating },
  finalise: { ready: isDeleting },
  create: {
    external: 'call',
    reason: 'CannotCreateExternalResource',
    reportsConflicts: true,
    ready: isCreating,
  },
  update: { external: 'call', reason: 'CannotUpdateExternalResource', reportsConflicts: true },
  delete: {
    external: 'call',
    reason: 'CannotDeleteExternalResource',
    reportsConflicts: true,
    ready: isDeleting,
  },
} as const satisfies Readonly<Record<string, FailureFacts<Run>>>;
