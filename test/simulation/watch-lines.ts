import type { Subscriber } from 'rxjs';
import { Subscription } from 'rxjs';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { WatchEvent } from '../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';

/** What one watch connection carries, in order, each event for as long on its way as chance says. */
export interface WatchLine extends Subscription {
  tell(event: WatchEvent<unknown>): void;
  fail(error: unknown): void;
  end(): void;
}

interface Line {
  readonly kind: string;
  readonly subscription: Subscription;
  isSilent: boolean;
  cut(): void;
}

interface Item {
  readonly dueMs: number;
  readonly deliver: () => void;
}

/**
 * The watch connections of a process: held up, silenced and ended from without. Nothing is told of a kind before
 * `heldUntilMs`.
 */
export class WatchLines {
  readonly #clock: Clock;
  readonly #wayMs: (kind: string) => number;
  readonly #lines = new Set<Line>();
  readonly #heldUntilMs = new Map<string, number>();

  /** `wayMs` says how long the next event of a kind is on its way. */
  constructor(clock: Clock, wayMs: (kind: string) => number) {
    this.#clock = clock;
    this.#wayMs = wayMs;
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
      const dueMs = Math.max(next.dueMs, this.#heldUntilMs.get(kind.kind) ?? 0);
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
      subscription,
      isSilent: false,
      cut() {
        waiting.splice(0);
        send(() =>
          subscriber.error(
            new ApiError('the API server closed the connection', { code: 0, reason: 'ConnectionClosed' }),
          ),
        );
      },
    };
    lines.add(line);
    return Object.assign(subscription, {
      tell: (event: WatchEvent<unknown>) => send(() => subscriber.next(event as WatchEvent<never>)),
      fail: (error: unknown) => send(() => subscriber.error(error)),
      end: () => send(() => subscriber.complete()),
    });
  }

  /** Connections end without a word. `kind`: of all if absent. */
  cut(kind?: string): void {
    for (const line of this.#of(kind)) line.cut();
  }

  /** Connections stay open, and nothing comes through them any more. */
  silence(kind?: string): void {
    for (const line of this.#of(kind)) line.isSilent = true;
  }

  /** Nothing comes through for so long, then all of it. */
  hold(kind: string, forMs: number): void {
    this.#heldUntilMs.set(kind, this.#clock.elapsedMs() + forMs);
  }

  #of = (kind: string | undefined): readonly Line[] =>
    [...this.#lines].filter((line) => kind === undefined || line.kind === kind);
}
