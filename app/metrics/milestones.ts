import type { OperatorFunction } from 'rxjs';
import { defer } from 'rxjs';
import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import { mergeEach } from '../../runtime/cache/merge-each.ts';
import type { Change } from '../../runtime/cache/store.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Counted } from './count-by-status.ts';

/** An object got its first condition, became Ready or Bound for the first time, or was deleted. */
export interface Milestone {
  readonly type: 'reconciled' | 'ready' | 'bound' | 'deleted';
  /** Since the creation, or since the deletion was requested. */
  readonly seconds: number;
}

export interface MilestonesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** False: another process works and counts. */
  readonly isWorking: () => boolean;
}

/** The milestones of objects that were new when this process first saw them. */
export function milestones<T extends Counted>({
  clock,
  isWorking,
}: MilestonesOptions): OperatorFunction<Change<T>, Milestone> {
  function reached(type: Milestone['type'], since: string | undefined): readonly Milestone[] {
    const seconds = (clock.now().getTime() - Date.parse(since ?? '')) / 1000;
    // The clock may have been set back.
    return isWorking() && !Number.isNaN(seconds) ? [{ type, seconds: Math.max(0, seconds) }] : [];
  }
  return (changes$) =>
    defer(() => {
      const notReadyYet = new Set<string>();
      return changes$.pipe(
        mergeEach((change) => {
          const { uid = '', creationTimestamp, deletionTimestamp } = change.object.metadata;
          const { conditions = [], bindingPhase } = change.object.status ?? {};
          if (change.type === 'deleted') {
            notReadyYet.delete(uid);
            return reached('deleted', deletionTimestamp);
          }
          if (change.type === 'added') {
            if (conditions.length === 0) notReadyYet.add(uid);
            return [];
          }
          const { conditions: before = [], bindingPhase: phaseBefore = 'Unbound' } =
            change.previous.status ?? {};
          const isReconciled = notReadyYet.has(uid) && before.length === 0 && conditions.length > 0;
          const isReady = isConditionTrue(conditions, 'Ready') && notReadyYet.delete(uid);
          const isBound = phaseBefore === 'Unbound' && bindingPhase === 'Bound';
          return [
            ...(isReconciled ? reached('reconciled', creationTimestamp) : []),
            ...(isReady ? reached('ready', creationTimestamp) : []),
            ...(isBound ? reached('bound', creationTimestamp) : []),
          ];
        }),
      );
    });
}
