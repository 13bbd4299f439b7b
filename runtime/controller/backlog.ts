import type { WorkQueueObserver } from './work-queue.ts';

/** The keys that wait for their runs, in all work queues of a process. */
export interface Backlog {
  readonly size: number;
  /** An observer of one queue that counts its waiting keys, and passes everything on. */
  observing(observer: WorkQueueObserver | undefined): WorkQueueObserver;
}

export function createBacklog(): Backlog {
  let size = 0;
  return {
    get size() {
      return size;
    },
    observing: (observer) => ({
      added(key) {
        size += 1;
        observer?.added(key);
      },
      due: (key) => observer?.due(key),
      started(key) {
        size -= 1;
        observer?.started(key);
      },
      finished: (key) => observer?.finished(key),
      retried: () => observer?.retried(),
      dropped(key) {
        size -= 1;
        observer?.dropped(key);
      },
    }),
  };
}
