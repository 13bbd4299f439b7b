/*
 *   how far the object has come ──┐
 *                                 ├──▶ how soon its key has its turn: waiting-line.ts
 *   what asks for it ─────────────┘
 */

/** How soon a key has its turn, the most urgent first. */
export const urgencies = ['urgent', 'normal', 'routine'] as const;
export type Urgency = (typeof urgencies)[number];

/**
 * How far an object has come.
 * - `new`: nothing has been done about it yet.
 * - `begun`: something has, and something is left to do.
 * - `waiting`: something has, and the rest is for when something else has happened.
 * - `settled`: it is as it should be, as far as anybody knows.
 */
export type Stage = 'new' | 'begun' | 'waiting' | 'settled';

/**
 * What asks for a run.
 * - `change`: something happened to the object, or to what it has to do with.
 * - `shared change`: the same, to something that many objects share.
 * - `appearance`: something is seen for the first time. Of what is settled, that is a process that starts.
 * - `return`: the key comes back by itself, to be looked at or tried again.
 * - `sync period`: it is over.
 */
export type Asking = 'change' | 'shared change' | 'appearance' | 'return' | 'sync period';

/**
 * What was begun is finished before anything else is begun, so that of many objects that come at once some are soon done.
 * Somebody who edits what is settled is answered at once, too. Looks that nobody asked for come last. What waits, or is on
 * its way elsewhere, is looked at in turn with what is new: looks would keep that from being begun, and find nothing to do.
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
