import type { InvariantOf } from '../invariant.ts';

/**
 * Deleting what is being deleted already changes nothing, and who asks cannot always know; nor whether an Event whose
 * answer was lost was written.
 */
export const noEmptyWrites: InvariantOf = () => ({
  name: 'no write changes nothing',
  called: ({ by, verb, target, isWrite, isChange, isRefused, isRepeated = false }) =>
    isWrite && !isChange && !isRefused && !isRepeated && verb !== 'delete' && !target.startsWith('Event ')
      ? [`${by} ${verb} ${target}`]
      : [],
});
