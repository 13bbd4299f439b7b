import { Subscription } from 'rxjs';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { providerOf } from '../../provider/provider-choice.ts';

/** The limits for the calls of an external client. */
export interface CallLimits {
  /**
   * When the signal of a call aborts, in ms after its start. A call that continues after that is a programming error of the
   * stack: no further call is made for its managed resource until it has ended. Default: 90 000.
   */
  readonly callMs?: number;
}

export const defaultCallMs = 90_000;

/** How long a call may last after its signal has aborted, for example to close a connection. */
const graceMs = 5_000;

/** A call of an author's code. */
interface TimedCall<T> {
  readonly name: string;
  /** Gets a signal that also aborts at the deadline. */
  readonly run: (signal: AbortSignal) => Promise<T>;
  readonly signal: AbortSignal;
  /** Makes a programming error from the rest of a sentence that begins with the name. */
  readonly bug: (what: string) => Error;
}

/** The deadlines of the calls of one stack, and its calls that ignore their signal. */
export interface HangingCalls {
  /** Throws the error of a call for this managed resource that still hangs. */
  refuse(managed: Managed): void;
  /** Awaits a call. If it ignores its signal, rejects with a programming error, and drops the answer. */
  limit<T>(managed: Managed, call: TimedCall<T>): Promise<T>;
}

/**
 * Gives each call a deadline. The run of a managed resource ends even if a call ignores its signal, so that the worker is
 * free for others. No further call is made for this resource until the call has ended: two calls at a time might create two
 * external resources.
 */
export function hangingCalls(
  { scheduler }: Pick<Clock, 'scheduler'>,
  { callMs = defaultCallMs }: CallLimits = {},
): HangingCalls {
  const hanging = new Set<{ readonly key: string; readonly error: Error }>();
  return {
    refuse(managed) {
      const key = keyOf(managed);
      const other = [...hanging].find((each) => each.key === key);
      // guard: otherwise a second call runs beside one that hangs
      if (other !== undefined) throw other.error;
    },

    async limit(managed, { name, run, signal, bug }) {
      // Each observation passes here: listeners and timers that end cost less than AbortSignal.any and sleeps.
      const own = new AbortController();
      const timers = new Subscription();
      const overdue = new Promise<never>((_, reject) => {
        const wait = () => timers.add(scheduler.schedule(() => reject(new Overdue()), graceMs));
        own.signal.addEventListener('abort', wait, { once: true });
      });
      const abort = () => own.abort(signal.reason);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      const late = `did not end within ${callMs / 1000} s`;
      let isLate = false;
      const expire = () => {
        isLate = true;
        own.abort(new Error(`${name} ${late}`));
      };
      timers.add(scheduler.schedule(expire, callMs));
      const answer = run(own.signal);
      try {
        return await Promise.race([answer, overdue]);
      } catch (error) {
        if (!(error instanceof Overdue)) throw error;
        const entry = {
          key: keyOf(managed),
          // An author's `disconnect` gets no signal.
          error: bug(
            (isLate ? late : 'did not end') + (name === 'disconnect' ? '' : ', and ignores its signal'),
          ),
        };
        hanging.add(entry);
        const forget = () => hanging.delete(entry);
        answer.then(forget, forget);
        throw entry.error;
      } finally {
        timers.unsubscribe();
        signal.removeEventListener('abort', abort);
      }
    },
  };
}

class Overdue extends Error {}

/** The managed resource. An invented one, which checks a provider, has no UID. */
function keyOf(managed: Managed): string {
  const { kind, name } = providerOf(managed);
  return managed.metadata.uid ?? `${kind} ${name}`;
}
