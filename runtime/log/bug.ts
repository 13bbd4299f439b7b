import { AssertionError } from 'node:assert/strict';

/** What JavaScript throws where a program is wrong. A SyntaxError is left out: most are of a text that was parsed. */
const types = [TypeError, ReferenceError, RangeError, AssertionError];

/** What is given to `new URL` comes from outside. */
const notOurs: readonly unknown[] = ['ERR_INVALID_URL'];

/**
 * The programming error behind an error, however often it was wrapped; undefined: it is none. What has a cause itself is
 * none, as `fetch` throws a TypeError for a connection that was refused.
 */
export function bugIn(error: unknown): Error | undefined {
  let found = error;
  while (found instanceof Error && found.cause !== undefined) found = found.cause;
  return found instanceof Error && isBug(found) ? found : undefined;
}

/** Whether this very error is a programming error. */
export const isBug = (error: Error): boolean =>
  error.cause === undefined &&
  types.some((type) => error instanceof type) &&
  !notOurs.includes((error as NodeJS.ErrnoException).code);
