import type { InvariantOf } from '../invariant.ts';

/** Who writes them reads nothing before: counts of one recorder, and an object whole. */
const free = new Set(['Event']);

/** What is sent about an object that was read says which version it was, and what is deleted, which object. */
export const preconditions: InvariantOf = () => ({
  name: 'a write that depends on what was read has its version as a precondition',
  called({ by, verb, target, isWrite, about }) {
    if (!isWrite || about === undefined || verb === 'create' || free.has(about.kind.kind)) return [];
    const { uid, resourceVersion } = about.preconditions ?? {};
    const isSafe = verb === 'delete' ? uid !== undefined : resourceVersion !== undefined;
    return isSafe ? [] : [`${by} ${verb} ${target}`];
  },
});
