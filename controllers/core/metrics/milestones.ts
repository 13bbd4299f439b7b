import type { OperatorFunction } from 'rxjs';
import { defer, mergeMap } from 'rxjs';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { Counted } from './census.ts';

/** A turn in the life of an object, and how long it took to come. */
export interface Turn {
  /**
   * - `reconciled`: something was said of it for the first time.
   * - `ready`: it was Ready for the first time.
   * - `bound`: it was Bound for the first time.
   * - `deleted`: it was gone, after somebody had asked for that.
   */
  readonly type: 'reconciled' | 'ready' | 'bound' | 'deleted';
  /** Since its creation; of a deletion, since it was asked for. */
  readonly seconds: number;
}

export interface LivesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** False: another process does the work, and counts it. */
  readonly isWorking: () => boolean;
}

/**
 * The turns in the lives of objects, of those that were new when they were first seen: nobody knows how long it took the
 * others, which are there when the process begins.
 */
export function lives<T extends Counted>({
  clock,
  isWorking,
}: LivesOptions): OperatorFunction<Change<T>, Turn> {
  return (changes$) =>
    defer(() => {
      /** Objects that have not been Ready yet, and of those the ones of which nothing has been said. */
      const unready = new Set<string>();
      const unsaid = new Set<string>();
      return changes$.pipe(
        mergeMap((change) => {
          const { type, object } = change;
          const { uid = '', creationTimestamp, deletionTimestamp } = object.metadata;
          const turns: Turn[] = [];
          const tell = (turn: Turn['type'], since: string | undefined): void => {
            const seconds = (clock.now().getTime() - Date.parse(since ?? '')) / 1000;
            // Who sets the clock back has waited for no time.
            if (isWorking() && !Number.isNaN(seconds)) {
              turns.push({ type: turn, seconds: Math.max(0, seconds) });
            }
          };
          if (type === 'deleted') {
            unready.delete(uid);
            unsaid.delete(uid);
            if (deletionTimestamp !== undefined) tell('deleted', deletionTimestamp);
            return turns;
          }
          const { conditions, bindingPhase } = object.status ?? {};
          if (type === 'added' && (conditions ?? []).length === 0) {
            unready.add(uid);
            unsaid.add(uid);
          }
          if ((conditions ?? []).length > 0 && unsaid.delete(uid)) tell('reconciled', creationTimestamp);
          if (getCondition(conditions, 'Ready').status === 'True' && unready.delete(uid)) {
            tell('ready', creationTimestamp);
          }
          const before =
            type === 'modified' ? (change.previous.status?.bindingPhase ?? 'Unbound') : undefined;
          if (before === 'Unbound' && bindingPhase === 'Bound') tell('bound', creationTimestamp);
          return turns;
        }),
      );
    });
}
