import type { InvariantOf } from '../invariant.ts';

const minuteMs = 60_000;

/**
 * How often a process may ask the same of the same in a minute, whatever goes wrong. A back-off from 5 ms to 30 s is 13
 * attempts; looks at what is on its way are 20; people's edits and each other's writes add to them.
 */
const most = (call: string): number => (call.startsWith('watch ') || call.startsWith('list ') ? 30 : 60);

/** No hot loop, also while a fault lasts. */
export const boundedWork: InvariantOf = (world) => {
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    name: 'nothing is asked for over and over',
    asked({ by, call }) {
      if (call.endsWith(' ')) return []; // a statement that is about nothing in particular
      const now = Math.floor(world.elapsedMs / minuteMs);
      if (now !== minute) {
        minute = now;
        counts = new Map();
      }
      const key = `${by} ${call}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count === most(call) + 1 ? [`${key}: more than ${most(call)} times in a minute`] : [];
    },
  };
};
