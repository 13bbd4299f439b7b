import type { InvariantOf } from '../invariant.ts';

/** Their writers read nothing before: counts of one recorder, and a whole object. */
const free = new Set(['Event']);

/** A write of an object that was read has its version, and a deletion has its UID. */
export const preconditions: InvariantOf = () => ({
  name: 'a write that depends on what was read has its version as a precondition',
  called({ by, verb, target, isWrite, about }) {
    if (!isWrite || about === undefined || verb === 'create' || free.has(about.kind.kind)) return [];
    const { uid, resourceVersion } = about.preconditions ?? {};
    const isSafe = verb === 'delete' ? uid !== undefined : resourceVersion !== undefined;
    return isSafe ? [] : [`${by} ${verb} ${target}`];
  },
});
