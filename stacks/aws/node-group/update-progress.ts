import type { ExternalErrorClass, Progress } from '../../../package/stack.ts';
import { ExternalError } from '../../../package/stack.ts';
import type { CloudUpdate } from '../client/eks/node-groups.ts';
import type { NodeGroup } from '../kinds/eks/v1beta1/node-group.ts';

/** The class of an update's error, by its code in EKS. Others, such as PodEvictionFailure, may end by themselves. */
const classOf = new Map<string, ExternalErrorClass>([
  ['AccessDenied', 'Forbidden'],
  ['OperationNotPermitted', 'Forbidden'],
  ['SubnetNotFound', 'Invalid'],
  ['SecurityGroupNotFound', 'Invalid'],
  ['VpcIdNotFound', 'Invalid'],
  ['EniLimitReached', 'QuotaExceeded'],
  ['IpNotAvailable', 'QuotaExceeded'],
  ['InsufficientFreeAddresses', 'QuotaExceeded'],
]);

/** The progress of an update; undefined: EKS knows no update with that id. */
export function progressOf(update: CloudUpdate | undefined): Progress<NodeGroup> {
  if (update === undefined) return { state: 'unknown' };
  const { status, errors } = update;
  switch (status) {
    case 'Successful':
      return { state: 'done' };
    case 'Failed':
    case 'Cancelled': {
      const problems = errors.map(({ code, message }) => [code, message].filter(Boolean).join(': '));
      const why = problems.length === 0 ? '' : `: ${problems.join('; ')}`;
      const [errorClass = 'Unknown'] = errors.flatMap(({ code }) => classOf.get(code) ?? []);
      return {
        state: 'failed',
        error: new ExternalError(`EKS reports for the update: ${status}${why}`, { errorClass }),
      };
    }
    default:
      return { state: 'running' };
  }
}
