import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { creating, deleting, getCondition, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { FailureFacts } from '../../step-failure.ts';
import type { Facts } from './facts.ts';
import { hasDone } from './facts.ts';

/** How the failures of the steps are reported. */
export const cannot = {
  resolve: { reason: 'CannotResolveResourceReferences' },
  connect: { external: 'connect', reason: 'CannotConnectToProvider' },
  observe: { external: 'call', reason: 'CannotObserveExternalResource' },
  name: { external: 'call', reason: 'CannotInitializeManagedResource', ready: () => creating() },
  publish: { reason: 'CannotPublishConnectionDetails' },
  unpublish: { reason: 'CannotUnpublishConnectionDetails', ready: () => deleting() },
  write: { reason: 'CannotUpdateManagedResource' },
  record: { reason: 'CannotUpdateManagedResource', ready: () => creating() },
  finalise: { ready: () => deleting() },
  create: {
    external: 'call',
    reason: 'CannotCreateExternalResource',
    reportsConflicts: true,
    ready: () => creating(),
  },
  update: { external: 'call', reason: 'CannotUpdateExternalResource', reportsConflicts: true },
  delete: {
    external: 'call',
    reason: 'CannotDeleteExternalResource',
    reportsConflicts: true,
    ready: () => deleting(),
  },
} as const satisfies Readonly<Record<string, FailureFacts>>;

/** How to report an observation that fails. After a creation or a deletion, Ready shows that. */
export const cannotObserve = (facts: Facts): FailureFacts => ({
  ...cannot.observe,
  ...(wasMissing(facts.managed) && { ready: () => unavailable() }),
  ...(hasDone(facts, 'create') && { ready: () => creating() }),
  ...(hasDone(facts, 'delete') && { ready: () => deleting() }),
});

/** Whether Ready reports that the external resource does not exist, which a failed observation does not confirm. */
const wasMissing = ({ status }: Managed): boolean =>
  getCondition(status?.conditions, 'Ready').error?.class === 'ExternalMissing';

/** How to report an update that fails. The external resource may still be usable, so Ready shows the observation. */
export function cannotUpdate({ managed, latest }: Facts, isCredentialDue: boolean): FailureFacts {
  const ready = latest?.observation.ready;
  return {
    ...cannot.update,
    ...(ready && { ready: () => ready }),
    ...(isCredentialDue && {
      hint: howToChooseCredential(managed),
      hintFor: 'Invalid',
      hintKind: 'ChangeCredential',
    }),
  };
}

function howToChooseCredential({ spec: { writeConnectionSecretToRef: to } }: Managed): string {
  const where = to === undefined ? 'its entry in the secret store' : `Secret ${to.namespace}/${to.name}`;
  return advice.chooseCredential(where);
}
