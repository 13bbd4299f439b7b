import type { Observable } from 'rxjs';
import type { InformerState } from '../cache/informer-state.ts';
import type { StackState } from '../controller/stack-needs.ts';
import { installAdvice } from '../controller/stack-needs.ts';
import type { Clock } from '../time/clock.ts';
import type { BindAddress, Page, Pages } from './serve-http.ts';
import { serveHttp } from './serve-http.ts';

/** Why something is not well; undefined if it is. */
export type Check = () => string | undefined;

/** Checks by name. */
export type Checks = Readonly<Record<string, Check>>;

export interface HealthOptions {
  readonly address: BindAddress;
  /** `/healthz`: the process should be restarted if one fails. */
  readonly live: Checks;
  /** `/readyz`: the process does not do its work (yet) if one fails; leader or not. */
  readonly ready: Checks;
  /** What an administrator should know all the same: lines of `/readyz?verbose`, which fail nothing. */
  readonly told?: () => readonly string[];
}

/**
 * Serves `/healthz`, `/livez` and `/readyz` while subscribed to; emits the URL. 200 and `ok`, or 503 and the
 * failed checks with their reasons; `?verbose` names all of them, and what else is to be told.
 */
export function serveHealth({ address, live, ready, told = () => [] }: HealthOptions): Observable<string> {
  const liveness = (query: URLSearchParams) => healthPage(live, query.has('verbose'));
  const pages: Pages = {
    '/healthz': liveness,
    '/livez': liveness,
    '/readyz': (query) => healthPage(ready, query.has('verbose'), told()),
  };
  return serveHttp({ flag: '--health-probe-bind-address', address, pages });
}

function healthPage(checks: Checks, isVerbose: boolean, told: readonly string[] = []): Page {
  const results = Object.entries(checks).map(([name, check]) => ({ name, reason: reasonOf(check) }));
  const isWell = results.every(({ reason }) => reason === undefined);
  const shown = results.filter(({ reason }) => isVerbose || reason !== undefined);
  const lines = shown.map(({ name, reason }) =>
    reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`,
  );
  const notes = isVerbose ? told.map((line) => `[!]${line}`) : [];
  const body = [...lines, ...notes, isWell ? 'ok' : 'failed', ''].join('\n');
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
 * Fails until every store holds a complete list, but for kinds that the API server does not have: `somethingRuns` is about
 * those. A process that stands by for the lease does its work by waiting, whatever its stores hold.
 */
export const storesSynced =
  (states: () => readonly InformerState[], isStandingBy: () => boolean = () => false): Check =>
  () => {
    if (isStandingBy()) return undefined;
    const unsynced = states().flatMap(({ kind, isSynced, isMissing }) =>
      isSynced || isMissing ? [] : [kind],
    );
    return unsynced.length === 0 ? undefined : `not synced: ${unsynced.toSorted().join(', ')}`;
  };

const nothingInstalled = 'no definition of any stack is installed';

/** Whether a kind comes with a definition: those of the API server itself are in groups of Kubernetes. */
const isDefined = (kind: string): boolean => !/^[^.]+\.[^.]+\.([^.]+|.*\.k8s\.io)$/.test(kind);

/** Whether the API server has none of the kinds that have definitions, and never had. */
function hasNone(states: readonly InformerState[]): boolean {
  const defined = states.filter(({ kind }) => isDefined(kind));
  return defined.length > 0 && defined.every(({ isSynced, isMissing }) => isMissing && !isSynced);
}

/**
 * Fails while no stack may run. One that waits for definitions does not make the process unready: the others do their
 * work, and it would be so for ever where the definitions are left out on purpose (docs/decisions/0033).
 */
export const somethingRuns =
  (stacks: () => readonly StackState[], states: () => readonly InformerState[] = () => []): Check =>
  () => {
    const all = stacks();
    if (all.length === 0 || all.some(({ isComplete }) => isComplete)) return undefined;
    if (hasNone(states())) return nothingInstalled;
    return all
      .map(({ name, missing, awaited }) => `stack ${name} waits for ${[...missing, ...awaited].join(', ')}`)
      .join('; ');
  };

/** What to tell of stacks some of whose kinds the API server does not have; where it has none, that, once. */
export const stacksWithoutDefinitions =
  (stacks: () => readonly StackState[], states: () => readonly InformerState[] = () => []) =>
  (): readonly string[] => {
    if (hasNone(states())) return [`${nothingInstalled}: ${installAdvice}`];
    return stacks().flatMap(({ name, isComplete, missing }) => {
      if (missing.length === 0) return [];
      const how = isComplete ? 'works with what it knows' : 'waits';
      return [`stack ${name} ${how}: the API server does not have ${missing.join(', ')}`];
    });
  };

export interface WatchesTellOptions {
  /** That of the states. */
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** How long it may be unknown whether a change was missed; default 90 s. */
  readonly limitMs?: number;
}

/**
 * Fails when changes may go unseen: for so long nothing has shown that none was missed (the API server does not answer),
 * or a watch is open and has kept changes back, so that the process learns of them late, by asking.
 */
export const watchesTell =
  (states: () => readonly InformerState[], { clock, limitMs = 90_000 }: WatchesTellOptions): Check =>
  () => {
    const doubtful = states().flatMap(({ kind, isSynced, isMissing, isSilent, confirmedAtMs }) => {
      // Of what there is not, nothing changes.
      if (isMissing) return [];
      const ageMs = clock.elapsedMs() - confirmedAtMs;
      if (isSynced && ageMs > limitMs) return [`${kind} (unknown for ${Math.round(ageMs / 1000)} s)`];
      return isSilent ? [`${kind} (its watch is silent)`] : [];
    });
    return doubtful.length === 0 ? undefined : `changes may go unseen: ${doubtful.toSorted().join(', ')}`;
  };

export interface WatchesAliveOptions {
  /** That of the states. */
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** How long a stream may be in one phase other than watching; default 10 minutes. */
  readonly limitMs?: number;
}

/**
 * Fails when a watch stream neither watches nor moves: it lists, or waits for its next attempt, for longer than
 * any list or back-off takes. A stream that keeps trying moves, whatever the API server answers: restarting the
 * process would not help it.
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
