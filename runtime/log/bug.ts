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

/** `bug in the controllers: … (TypeError at example/external-client.ts:41)`, for who reads a condition. */
export function describeBug(bug: Error): string {
  const place = placeOf(bug.stack);
  return `bug in the controllers: ${bug.message} (${bug.name}${place === undefined ? '' : ` at ${place}`})`;
}

/** The first place in a stack that is nobody else's: the last two names of its path, and the line. */
function placeOf(stack = ''): string | undefined {
  const ours = stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line) && !/\(?node:|[/\\]node_modules[/\\]/.test(line));
  return /([^/\\(]+[/\\][^/\\]+:\d+):\d+\)?$/.exec(ours[0] ?? '')?.[1];
}
