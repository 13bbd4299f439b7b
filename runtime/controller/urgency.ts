/*
 *   the progress of the object ────┐
 *                                  ├──▶ when its key runs: waiting-line.ts
 *   the source of the request ─────┘
 */

/** The urgency of a key, the most urgent first. */
export const urgencies = ['urgent', 'normal', 'routine'] as const;
export type Urgency = (typeof urgencies)[number];

/**
 * The progress of an object.
 * - `new`: no work was done for it yet.
 * - `begun`: some work was done, and the rest can be done now.
 * - `waiting`: some work was done, and the rest depends on another event.
 * - `settled`: as far as is known, it is in its desired state.
 */
export type Stage = 'new' | 'begun' | 'waiting' | 'settled';

/**
 * The source of a request.
 * - `change`: the object, or an object that it refers to, changed.
 * - `shared change`: the same, for an object that many others refer to.
 * - `appearance`: an object is seen for the first time. For settled objects that means that the process has started.
 * - `return`: the key comes back after a delay, to be observed or tried again.
 * - `sync period`: the sync period is over.
 */
export type Asking = 'change' | 'shared change' | 'appearance' | 'return' | 'sync period';

/**
 * Started work is finished before new work is begun, so that of many objects that arrive together some are ready soon. An
 * edit of a settled object is also answered at once. Periodic observations come last. Objects that wait take turns with new
 * ones: observing them first would delay the new ones, and would find nothing to do.
 */
const table: Readonly<Record<Asking, Readonly<Record<Stage, Urgency>>>> = {
  change: { new: 'normal', begun: 'urgent', waiting: 'normal', settled: 'urgent' },
  'shared change': { new: 'normal', begun: 'normal', waiting: 'normal', settled: 'normal' },
  appearance: { new: 'normal', begun: 'urgent', waiting: 'normal', settled: 'routine' },
  return: { new: 'normal', begun: 'normal', waiting: 'normal', settled: 'routine' },
  'sync period': { new: 'routine', begun: 'routine', waiting: 'routine', settled: 'routine' },
};

export const urgencyOf = (asking: Asking, stage: Stage): Urgency => table[asking][stage];

export const isMoreUrgent = (one: Urgency, other: Urgency): boolean =>
  urgencies.indexOf(one) < urgencies.indexOf(other);
