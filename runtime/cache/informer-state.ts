import sortBy from 'lodash/sortBy.js';
import sumBy from 'lodash/sumBy.js';
import type { StreamState } from './watch.ts';

/** How the informer of one kind fares, for health checks and metrics. */
export interface InformerState {
  /** `plural.version.group`. */
  readonly kind: string;
  /** Its store holds a complete list. */
  readonly isSynced: boolean;
  readonly objectCount: number;
  /** `stopped` before `run$` is subscribed to and after. */
  readonly stream: StreamState | { readonly phase: 'stopped' };
  /** Since when it is in that phase, in the elapsed milliseconds of the clock. */
  readonly sinceMs: number;
  /** How often it has begun to list. */
  readonly listCount: number;
  /** How often a list or watch has failed. */
  readonly failureCount: number;
  /** When it was last known that no change had been missed, by the same clock; since the start if never. */
  readonly confirmedAtMs: number;
  /** Its watch has kept changes from us and has told nothing since. */
  readonly isSilent: boolean;
  /** How often a watch has kept changes from us. */
  readonly silenceCount: number;
  /** The API server has no such kind, and has said so for a while. What the store holds stays. */
  readonly isMissing: boolean;
}

/** Which phase is told of where streams are in several: the one that says most of what is wrong. */
const phases: readonly InformerState['stream']['phase'][] = ['waiting', 'listing', 'stopped', 'watching'];

/**
 * How a kind fares of which several streams watch a part each: no better than the one that fares worst, of those in the
 * same phase the one that has been longest.
 */
export function jointState(states: readonly InformerState[]): InformerState {
  const [worst] = sortBy(states, ({ stream }) => phases.indexOf(stream.phase), 'sinceMs');
  if (worst === undefined) throw new Error('no stream watches the kind');
  return {
    kind: worst.kind,
    isSynced: states.every(({ isSynced }) => isSynced),
    objectCount: sumBy(states, 'objectCount'),
    stream: worst.stream,
    sinceMs: worst.sinceMs,
    listCount: sumBy(states, 'listCount'),
    failureCount: sumBy(states, 'failureCount'),
    confirmedAtMs: Math.min(...states.map(({ confirmedAtMs }) => confirmedAtMs)),
    isSilent: states.some(({ isSilent }) => isSilent),
    silenceCount: sumBy(states, 'silenceCount'),
    isMissing: states.every(({ isMissing }) => isMissing),
  };
}
