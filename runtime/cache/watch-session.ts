import pick from 'lodash/pick.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { KnownCauses } from '../client/errors.ts';
import { createKnownCauses } from '../client/errors.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Backoff } from '../time/backoff.ts';
import { createBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { WatchCheckTiming } from './watch-check.ts';
import type { WatchFailures } from './watch-failures.ts';
import { createWatchFailures } from './watch-failures.ts';
import type { WatchProgress } from './watch-progress.ts';
import { createWatchProgress } from './watch-progress.ts';

/** The current step of a watch stream. */
export type StreamState =
  | { readonly phase: 'listing' | 'watching' }
  /** A request failed, and since then no list was begun and no watch was accepted. `code` as in ApiError. */
  | { readonly phase: 'waiting'; readonly code: number; readonly message: string; readonly delayMs: number };

export interface WatchStreamOptions extends WatchCheckTiming {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Delays after failures. Default as in client-go: 0.8 s doubling to 30 s, with jitter, reset after 2 min without failure. */
  readonly backoff?: Backoff;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
  /** Least and greatest number of seconds after which the server ends a watch; default 290 and 590. */
  readonly watchSeconds?: readonly [number, number];
  /** A watch that lives this much longer than agreed is dead, even if TCP does not notice; milliseconds, default 10 000. */
  readonly idleMarginMs?: number;
  /** A watch that ends sooner counts as a failure, and the next delay is no shorter; milliseconds, default 1000. */
  readonly shortWatchMs?: number;
  /** The longest delay while the kind is not installed; milliseconds, default 5000. */
  readonly notInstalledDelayMs?: number;
  /** The known causes of all streams, so that an outage of the API server is one line of the log. Default: its own. */
  readonly causes?: KnownCauses;
  /** Rejects while the kind must not be read. Called before each list and watch. Default: it may be read. */
  readonly admit?: (kind: Kind, signal: AbortSignal) => Promise<void>;
  /** Called at each change of state. */
  readonly onState?: (state: StreamState) => void;
  /** Called when it is known that no change was missed so far, with the source of that knowledge. */
  readonly onConfirmed?: (by: 'watch' | 'list' | 'check') => void;
  /** Called when a list has shown changes that the open watch did not deliver. */
  readonly onSilence?: () => void;
}

export type Settings = ReturnType<typeof settingsOf>;

/** The options, with their defaults. */
export function settingsOf(options: WatchStreamOptions) {
  const { clock, random } = options;
  return {
    pageSize: 500,
    watchSeconds: [290, 590] as const,
    idleMarginMs: 10_000,
    shortWatchMs: 1000,
    notInstalledDelayMs: 5000,
    silenceMs: 70_000,
    causes: createKnownCauses(clock),
    backoff: createBackoff(clock, { baseMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000, random }),
    onState: () => {},
    onConfirmed: () => {},
    onSilence: () => {},
    ...options,
  };
}

/** Tells the owner of the stream how it goes. */
interface Reports {
  /** Reports each failure, but other phases only when they change. */
  enter(state: StreamState): void;
  /** It is known now that no change was missed. */
  confirm(by: 'watch' | 'list' | 'check'): void;
  /** When that was last known. */
  confirmedAtMs(): number;
}

function reports({ clock, onState, onConfirmed }: Settings, failures: WatchFailures): Reports {
  let phase: StreamState['phase'] | undefined;
  let confirmedAtMs = clock.elapsedMs();
  return {
    enter(state) {
      if (state.phase === phase && state.phase !== 'waiting') return;
      phase = state.phase;
      onState(state);
    },
    confirm(by) {
      failures.over();
      confirmedAtMs = clock.elapsedMs();
      onConfirmed(by);
    },
    confirmedAtMs: () => confirmedAtMs,
  };
}

/** One subscription. */
export interface Session<T extends KubernetesObject> extends Reports {
  readonly client: KubernetesClient;
  readonly kind: Kind<T>;
  readonly selection: Selection;
  readonly settings: Settings;
  readonly progress: WatchProgress;
  readonly failures: WatchFailures;
  /** When the last watch was requested or accepted. */
  openedAtMs: number;
}

export function newSession<T extends KubernetesObject>(
  client: KubernetesClient,
  kind: Kind<T>,
  selection: Selection,
  settings: Settings,
): Session<T> {
  const { log, clock, causes } = settings;
  const facts = { kind: kindKey(kind), ...pick(selection, ['namespace'] as const) };
  const failures = createWatchFailures({ log, clock, causes, facts });
  return {
    client,
    kind,
    selection,
    settings,
    failures,
    progress: createWatchProgress(),
    ...reports(settings, failures),
    openedAtMs: 0,
  };
}
