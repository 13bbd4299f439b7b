import type { Subscriber } from 'rxjs';
import { Subscription } from 'rxjs';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { WatchEvent } from '../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';

/** The events of one watch connection, in order, each with a random delay. */
export interface WatchLine extends Subscription {
  tell(event: WatchEvent<unknown>): void;
  fail(error: unknown): void;
  end(): void;
}

interface Line {
  readonly kind: string;
  isSilent: boolean;
  cut(): void;
  resume(): void;
}

interface Item {
  readonly dueMs: number;
  readonly deliver: () => void;
}

/** The delay of changes of a kind, or of all kinds, for every process, also for watches that begin later. */
export class HeldWatches {
  readonly lines = new Set<WatchLines>();
  readonly #clock: Clock;
  /** By kind; of all under undefined. */
  readonly #untilMs = new Map<string | undefined, number>();
  #isUntilWrite = false;
  readonly #missing = new Map<string, { left: number; readonly untilMs: number; readonly end: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing comes through for so long, then all of it. */
  hold(kind: string | undefined, forMs: number, { isUntilWrite = false } = {}): void {
    this.#untilMs.set(kind, this.#clock.elapsedMs() + forMs);
    this.#isUntilWrite ||= isUntilWrite;
  }

  /** The time until which a kind has no events. */
  untilMs(kind: string): number {
    return Math.max(this.#untilMs.get(kind) ?? 0, this.#untilMs.get(undefined) ?? 0);
  }

  /** A process has written something. */
  wrote(): void {
    if (!this.#isUntilWrite) return;
    this.#isUntilWrite = false;
    this.#untilMs.clear();
    for (const each of this.lines) each.resume();
  }

  /**
   * Watches of a kind end, and cannot be opened before this many more changes of it, or this time; then
   * `end` is called.
   */
  miss(kind: string, count: number, forMs: number, end: () => void): void {
    for (const each of this.lines) each.cut(kind);
    this.#missing.set(kind, { left: count, untilMs: this.#clock.elapsedMs() + forMs, end });
  }

  /** A kind has changed. */
  changed(kind: string): void {
    const missing = this.#missing.get(kind);
    if (missing !== undefined) missing.left -= 1;
  }

  /** Whether a kind can neither be listed nor watched now. */
  isMissing(kind: string): boolean {
    const missing = this.#missing.get(kind);
    if (missing === undefined) return false;
    if (missing.left > 0 && missing.untilMs > this.#clock.elapsedMs()) return true;
    this.#missing.delete(kind);
    missing.end();
    return false;
  }
}

export interface WatchLinesOptions {
  readonly clock: Clock;
  readonly held: HeldWatches;
  /** How long the next event of a kind is on its way. */
  wayMs(kind: string): number;
}

/** The watch connections of a process: held up, silenced and ended from without. */
export class WatchLines {
  readonly #clock: Clock;
  readonly #held: HeldWatches;
  readonly #wayMs: (kind: string) => number;
  readonly #lines = new Set<Line>();

  constructor({ clock, held, wayMs }: WatchLinesOptions) {
    this.#clock = clock;
    this.#held = held;
    this.#wayMs = wayMs;
    held.lines.add(this);
  }

  open(kind: Kind, subscriber: Subscriber<WatchEvent<never>>): WatchLine {
    const clock = this.#clock;
    const waiting: Item[] = [];
    let lastDueMs = 0;
    let pending: Subscription | undefined;
    const lines = this.#lines;

    const pump = (): void => {
      pending = undefined;
      const [next] = waiting;
      if (next === undefined || subscriber.closed) return;
      const dueMs = Math.max(next.dueMs, this.#held.untilMs(kind.kind));
      const leftMs = dueMs - clock.elapsedMs();
      if (leftMs > 0) {
        pending = clock.scheduler.schedule(pump, leftMs);
        return;
      }
      waiting.shift();
      if (!line.isSilent) next.deliver();
      pump();
    };
    const send = (deliver: () => void): void => {
      lastDueMs = Math.max(lastDueMs, clock.elapsedMs() + this.#wayMs(kind.kind));
      waiting.push({ dueMs: lastDueMs, deliver });
      if (pending === undefined) pump();
    };

    const subscription = new Subscription(() => {
      pending?.unsubscribe();
      lines.delete(line);
    });
    const line: Line = {
      kind: kind.kind,
      isSilent: false,
      cut() {
        waiting.splice(0);
        send(() =>
          subscriber.error(
            new ApiError('the API server closed the connection', { code: 0, reason: 'ConnectionClosed' }),
          ),
        );
      },
      resume() {
        pending?.unsubscribe();
        pump();
      },
    };
    lines.add(line);
    return Object.assign(subscription, {
      tell: (event: WatchEvent<unknown>) => send(() => subscriber.next(event as WatchEvent<never>)),
      fail: (error: unknown) => send(() => subscriber.error(error)),
      end: () => send(() => subscriber.complete()),
    });
  }

  /** Connections end without a message. `kind`: all kinds if absent. */
  cut(kind?: string): void {
    for (const line of this.#of(kind)) line.cut();
  }

  /** Connections stay open, and nothing comes through them any more. */
  silence(kind?: string): void {
    for (const line of this.#of(kind)) line.isSilent = true;
  }

  /** Waiting events are checked again, because the delay has ended early. */
  resume(): void {
    for (const line of this.#lines) line.resume();
  }

  #of = (kind: string | undefined): readonly Line[] =>
    [...this.#lines].filter((line) => kind === undefined || line.kind === kind);
}
