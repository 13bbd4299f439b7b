import { outdatedCode } from '../client/errors.ts';
import type { StreamState } from './watch-session.ts';

/** The state of the informer of one kind, for health checks and metrics. */
export interface InformerState {
  /** `plural.version.group`. */
  readonly kind: string;
  /** The store holds a complete list. */
  readonly isSynced: boolean;
  readonly objectCount: number;
  /** `stopped` before `run$` is subscribed to and after it is unsubscribed. */
  readonly stream: StreamState | { readonly phase: 'stopped' };
  /** When this phase began, in the clock's elapsed milliseconds. */
  readonly sinceMs: number;
  /** How many lists were started. */
  readonly listCount: number;
  /** How many lists or watches failed. */
  readonly failureCount: number;
  /** When it was last known that no change was missed, in elapsed milliseconds; the start if never. */
  readonly confirmedAtMs: number;
  /** The watch did not deliver changes that a list has shown, and has delivered nothing since. */
  readonly isSilent: boolean;
  /** How often a watch did not deliver changes that a list has shown. */
  readonly silenceCount: number;
  /** The API server has not served this kind for a while. The store keeps its objects. */
  readonly isMissing: boolean;
}

/** Why this process does not act on the kind, although the API server serves it; undefined if it does. */
export const whyRefused = ({ stream }: Pick<InformerState, 'stream'>): string | undefined =>
  stream.phase === 'waiting' && stream.code === outdatedCode ? stream.message : undefined;

/** The phases, the worst first. If several streams watch a kind, the worst of their phases is reported. */
const phases: readonly InformerState['stream']['phase'][] = ['waiting', 'listing', 'stopped', 'watching'];

/**
 * The state of a kind that several streams watch in parts: the state of the worst stream. Of streams in the same phase it
 * is the one that has been in it longest. Throws without a stream.
 */
export const jointState = (states: readonly InformerState[]): InformerState => states.reduce(joint);

function joint(one: InformerState, other: InformerState): InformerState {
  const { kind, stream, sinceMs } = isWorse(other, one) ? other : one;
  return {
    kind,
    stream,
    sinceMs,
    isSynced: one.isSynced && other.isSynced,
    objectCount: one.objectCount + other.objectCount,
    listCount: one.listCount + other.listCount,
    failureCount: one.failureCount + other.failureCount,
    confirmedAtMs: Math.min(one.confirmedAtMs, other.confirmedAtMs),
    isSilent: one.isSilent || other.isSilent,
    silenceCount: one.silenceCount + other.silenceCount,
    isMissing: one.isMissing && other.isMissing,
  };
}

const isWorse = (one: InformerState, other: InformerState): boolean =>
  one.stream.phase === other.stream.phase
    ? one.sinceMs < other.sinceMs
    : phases.indexOf(one.stream.phase) < phases.indexOf(other.stream.phase);
