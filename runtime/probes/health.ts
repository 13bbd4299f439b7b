import type { Observable } from 'rxjs';
import type { InformerState } from '../cache/informer-state.ts';
import { whyRefused } from '../cache/informer-state.ts';
import type { StackState } from '../controller/stack-needs.ts';
import { installAdvice } from '../controller/stack-needs.ts';
import type { Clock } from '../time/clock.ts';
import type { BindAddress, Page, Pages } from './serve-http.ts';
import { serveHttp } from './serve-http.ts';

/** The reason why a check fails; undefined if it passes. */
export type Check = () => string | undefined;

/** Checks by name. */
type Checks = Readonly<Record<string, Check>>;

export interface HealthOptions {
  readonly address: BindAddress;
  /** Checks of `/healthz`. If one fails, the process should be restarted. */
  readonly live: Checks;
  /** Checks of `/readyz`. If one fails, the process does not do its work (yet), as leader or as standby. */
  readonly ready: Checks;
  /** Lines of `/readyz?verbose` for an administrator, which fail nothing. */
  readonly notes?: () => readonly string[];
}

/**
 * Serves `/healthz`, `/livez` and `/readyz` while subscribed to; emits the URL. Answers 200 and `ok`, or 503 and the failed
 * checks with their reasons. `?verbose` shows all checks, and for `/readyz` also the notes.
 */
export function serveHealth({ address, live, ready, notes = () => [] }: HealthOptions): Observable<string> {
  const liveness = (query: URLSearchParams) => healthPage(live, query.has('verbose'));
  const pages: Pages = {
    '/healthz': liveness,
    '/livez': liveness,
    '/readyz': (query) => healthPage(ready, query.has('verbose'), notes()),
  };
  return serveHttp({ flag: '--health-probe-bind-address', address, pages });
}

function healthPage(checks: Checks, isVerbose: boolean, notes: readonly string[] = []): Page {
  const results = Object.entries(checks).map(([name, check]) => ({ name, reason: reasonOf(check) }));
  const isWell = results.every(({ reason }) => reason === undefined);
  const shown = results.filter(({ reason }) => isVerbose || reason !== undefined);
  const lines = shown.map(({ name, reason }) =>
    reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`,
  );
  const noteLines = isVerbose ? notes.map((line) => `[!]${line}`) : [];
  const body = [...lines, ...noteLines, isWell ? 'ok' : 'failed', ''].join('\n');
  return { status: isWell ? 200 : 503, contentType: 'text/plain; charset=utf-8', body };
}

function reasonOf(check: Check): string | undefined {
  try {
    return check();
  } catch {
    return 'the check itself failed';
  }
}

/**
 * Fails until every store holds a complete list, except stores of kinds that the API server does not have: those belong to
 * `someStackRuns`.
 */
export const storesSynced =
  (states: () => readonly InformerState[]): Check =>
  () => {
    const unsynced = states().flatMap(({ kind, isSynced, isMissing }) =>
      isSynced || isMissing ? [] : [kind],
    );
    const refused = states().flatMap((state) => {
      const why = whyRefused(state);
      return why === undefined ? [] : [`; not acting on ${state.kind}: ${why}`];
    });
    return unsynced.length === 0
      ? undefined
      : `waiting for the API server to list: ${unsynced.toSorted().join(', ')}${refused.toSorted().join('')}`;
  };

const nothingInstalled = 'no definition of any stack is installed';

/** Whether a kind needs a definition. Kinds of the API server itself are in groups of Kubernetes. */
const isDefined = (kind: string): boolean => !/^[^.]+\.[^.]+\.([^.]+|.*\.k8s\.io)$/.test(kind);

/** Whether the API server has none of the kinds with definitions, and never had one. */
function hasNone(states: readonly InformerState[]): boolean {
  const defined = states.filter(({ kind }) => isDefined(kind));
  return defined.length > 0 && defined.every(({ isSynced, isMissing }) => isMissing && !isSynced);
}

/**
 * Fails while no stack may run. One stack that waits for definitions does not make the process unready: the other stacks
 * work, and an administrator may have left the definitions out on purpose (docs/decisions/0033).
 */
export const someStackRuns =
  (stacks: () => readonly StackState[], states: () => readonly InformerState[] = () => []): Check =>
  () => {
    const all = stacks();
    if (all.length === 0 || all.some(({ isComplete }) => isComplete)) return undefined;
    if (hasNone(states())) return nothingInstalled;
    return all
      .map(({ name, missing, awaited }) => `stack ${name} waits for ${[...missing, ...awaited].join(', ')}`)
      .join('; ');
  };

/** The stacks with kinds that the API server does not have. One line if it has none of the kinds. */
export const stacksWithoutDefinitions =
  (stacks: () => readonly StackState[], states: () => readonly InformerState[] = () => []) =>
  (): readonly string[] => {
    if (hasNone(states())) return [`${nothingInstalled}: ${installAdvice}`];
    return stacks().flatMap(({ name, isComplete, missing }) => {
      if (missing.length === 0) return [];
      const how = isComplete ? 'works with the objects read before' : 'waits';
      return [`stack ${name} ${how}: the API server does not have ${missing.join(', ')}; ${installAdvice}`];
    });
  };

export interface WatchesDeliverOptions {
  /** The clock of the states. */
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** For how long it may be unknown whether a change was missed; default 90 s. */
  readonly limitMs?: number;
}

/**
 * Fails when changes may be missed. For longer than `limitMs` it is not confirmed that no change was missed, because the
 * API server does not answer. Or an open watch did not deliver changes, so that the process learns of them late.
 */
export const watchesDeliver =
  (states: () => readonly InformerState[], { clock, limitMs = 90_000 }: WatchesDeliverOptions): Check =>
  () => {
    const doubtful = states().flatMap(({ kind, isSynced, isMissing, isSilent, confirmedAtMs }) => {
      // Objects of a kind that the API server does not have cannot change.
      if (isMissing) return [];
      const ageMs = clock.elapsedMs() - confirmedAtMs;
      if (isSynced && ageMs > limitMs) return [`${kind} (not confirmed for ${Math.round(ageMs / 1000)} s)`];
      return isSilent ? [`${kind} (its watch is silent)`] : [];
    });
    return doubtful.length === 0
      ? undefined
      : `changes may be missed, check the API server: ${doubtful.toSorted().join(', ')}`;
  };

export interface WatchesAliveOptions {
  /** The clock of the states. */
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** How long a stream may stay in one phase other than watching; default 10 minutes. */
  readonly limitMs?: number;
}

/**
 * Fails when a watch stream is stuck: it lists, or waits for its next attempt, for longer than any list or back-off takes.
 * A stream that keeps trying is not stuck, whatever the API server answers: a restart of the process would not help it.
 */
export const watchesAlive =
  (states: () => readonly InformerState[], { clock, limitMs = 600_000 }: WatchesAliveOptions): Check =>
  () => {
    const wedged = states().filter(
      ({ stream, sinceMs }) =>
        (stream.phase === 'listing' || stream.phase === 'waiting') && clock.elapsedMs() - sinceMs > limitMs,
    );
    if (wedged.length === 0) return undefined;
    return `stuck: ${wedged
      .map(({ kind, stream }) => `${kind} (${stream.phase})`)
      .toSorted()
      .join(', ')}`;
  };
