import type { Lease } from '../../../runtime/process/lease.ts';
import type { InvariantOf } from '../invariant.ts';

/**
 * For several replicas. A request that a process sent while it led may arrive later, because external
 * systems know no leases. The rule therefore checks the leader at the time of sending.
 */
export const onlyTheLeaderWrites: InvariantOf = (world) => {
  /** The holders of the lease with their start times, newest last. */
  const holders: { readonly fromMs: number; readonly id: string }[] = [];
  const holderAt = (ms: number): string | undefined => holders.findLast(({ fromMs }) => fromMs <= ms)?.id;
  return {
    name: 'only the leader writes',
    changed({ kind, after }) {
      const id = kind.kind === 'Lease' ? (after as Lease | undefined)?.spec?.holderIdentity : undefined;
      if (id !== undefined) holders.push({ fromMs: world.elapsedMs, id });
      return [];
    },
    called({ by, system, verb, target, isWrite, sentAtMs }) {
      if (world.scenario.replicas === undefined || !isWrite || /^(?:Event|Lease) /.test(target)) return [];
      const holder = holderAt(sentAtMs);
      return holder === by ? [] : [`${by} sent ${verb} ${system} ${target} while ${holder ?? 'nobody'} led`];
    },
  };
};
