import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Chance } from '../chance.ts';
import type { Act, ObjectName, Reaction, Step } from '../scenario.ts';

type Name = readonly (string | number)[];

/** A scenario that is being written. Moments are shares of its length, from 0 to 1. */
export interface Draft {
  readonly seed: number;
  readonly chance: Chance;
  /** Whether something of this share of all happens. */
  has(share: number, ...name: Name): boolean;
  pick<T>(from: readonly T[], ...name: Name): T;
  /** A moment between two. */
  between(from: number, to: number, ...name: Name): number;
  /** So many milliseconds as a share of the length. */
  share(ms: number): number;
  /** The objects at the beginning. */
  have(...objects: readonly KubernetesObject[]): void;
  at(moment: number, act: Act): void;
  /** An act at the change of a number. */
  react(atChange: number, act: Act): void;
  /** A person merges a patch into an object. */
  edit(moment: number, of: ObjectName, patch: object): void;
  /** The same draft, for a theme whose chance goes by names of its own. */
  by(...prefix: Name): Draft;
  /** All there is so far. */
  readonly objects: readonly KubernetesObject[];
  readonly steps: readonly Step[];
  readonly reactions: readonly Reaction[];
}

/** An empty draft of a scenario that people and machines keep going for so long. */
export function createDraft(seed: number, chance: Chance, durationMs: number): Draft {
  const objects: KubernetesObject[] = [];
  const steps: Step[] = [];
  const reactions: Reaction[] = [];
  const draftBy = (prefix: Name): Draft => {
    const named: Chance = (...name) => chance(...prefix, ...name);
    const at: Draft['at'] = (moment, act) => steps.push({ atMs: Math.round(moment * durationMs), act });
    return {
      seed,
      chance: named,
      objects,
      steps,
      reactions,
      at,
      react: (atChange, act) => reactions.push({ atChange, act }),
      edit: (moment, of, patch) => at(moment, { type: 'edit', of, patch }),
      has: (share, ...name) => named(...name) < share,
      pick: (from, ...name) => from[Math.floor(named(...name) * from.length)] as (typeof from)[number],
      between: (from, to, ...name) => from + named(...name) * (to - from),
      share: (ms) => ms / durationMs,
      have: (...given) => objects.push(...given),
      by: (...more) => draftBy([...prefix, ...more]),
    };
  };
  return draftBy([]);
}
