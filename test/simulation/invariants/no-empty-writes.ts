import { crdName } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf } from '../invariant.ts';
import { kinds } from '../kinds.ts';

/**
 * Some writes may change nothing. A process cannot always know that an object is being deleted already, or that an Event
 * whose answer was lost was written. And the API server drops fields that an older definition lacks (a known limit).
 */
export const noEmptyWrites: InvariantOf = ({ cluster }) => ({
  name: 'no write changes nothing',
  called({ by, verb, target, isWrite, isChange, isRefused, isRepeated = false }) {
    const isEmpty = isWrite && !isChange && !isRefused && !isRepeated;
    if (!isEmpty || verb === 'delete' || target.startsWith('Event ')) return [];
    const kind = kinds.find((each) => target.startsWith(`${each.kind} `));
    const isPruned = kind !== undefined && cluster.lackedBy(crdName(kind)) !== undefined;
    return isPruned ? [] : [`${by} ${verb} ${target}`];
  },
});
