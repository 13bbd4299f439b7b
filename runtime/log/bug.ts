import { AssertionError } from 'node:assert/strict';

/** Errors that JavaScript throws for a mistake in a program. SyntaxError is not one: most come from parsing input. */
const types = [TypeError, ReferenceError, RangeError, AssertionError];

/** `new URL` throws a TypeError for bad input, which is not a mistake in the program. */
const inputErrorCodes: readonly unknown[] = ['ERR_INVALID_URL'];

/**
 * The programming error at the end of a chain of causes; undefined if the last cause is something else. An error with a
 * cause is never the bug itself: `fetch` throws a TypeError with a cause when a connection is refused.
 */
export function bugIn(error: unknown): Error | undefined {
  let found = error;
  while (found instanceof Error && found.cause !== undefined) found = found.cause;
  return found instanceof Error && isBug(found) ? found : undefined;
}

/** Whether this error itself, and not its cause, is a programming error. */
export const isBug = (error: Error): boolean =>
  error.cause === undefined &&
  types.some((type) => error instanceof type) &&
  !inputErrorCodes.includes((error as NodeJS.ErrnoException).code);
