/*
 *   controllers ──frozen objects──▶ border ──▶ the code of a stack's author
 *   controllers ◀──checked answer── border ◀── its answer, or its error
 *
 * The calls: those of external clients and `connect` (managed/connecting/border.ts), `configure` and `whyIncompatible`
 * (claim/author-calls.ts), `parse` (author/cloud-clients.ts). docs/decisions/0077-a-border-around-author-code.md has the
 * reasons.
 */

import { nameOf } from '../apis/core/forms.ts';
import { codeIn } from '../clients/external-error.ts';
import { attributed } from './stack-bug.ts';

/** A call of an author's code. */
export interface AuthorCall {
  /** The function, for messages: `observe`. */
  readonly name: string;
  /** Absent: not known here. A caller adds it with {@link attributed}. */
  readonly stack?: string | undefined;
  /** The stack trace of the author's definition. Errors about an answer show it: when they arise, the call is over. */
  readonly definedAt?: string | undefined;
}

/** Returns the problem of an answer, as in `observe returned …`. Undefined: nothing. */
export type AnswerCheck<T> = (answer: T) => string | undefined;

/** Calls an author's function and checks the answer. A wrong answer is a programming error of the stack. */
export function callAuthor<T>(call: AuthorCall, run: () => T, check: AnswerCheck<T>): T {
  try {
    return checked(call, run(), check);
  } catch (error) {
    throw thrownBy(call, error);
  }
}

/** The same for a function that may return a promise. */
export async function awaitAuthor<T>(
  call: AuthorCall,
  run: () => T | Promise<T>,
  check: AnswerCheck<T>,
): Promise<T> {
  try {
    return checked(call, await run(), check);
  } catch (error) {
    throw thrownBy(call, error);
  }
}

/** The error of an author's code. Another thrown value is a programming error: credentials are removed from errors alone. */
function thrownBy(call: AuthorCall, error: unknown): unknown {
  // guard: otherwise a text that is thrown shows the credentials in it
  if (!(error instanceof Error)) return authorBug(call, `threw ${nameOf(error)}, which must be an Error`);
  return attributed(explained(error), call.stack);
}

/** The key of the errors whose message has the reason: an error may pass several of these calls. */
const hasReason = Symbol('hasReason');

/**
 * The same error. If its message has no reason, the message gets the code of the error, or the reason of its cause. `fetch` of
 * Node.js throws a TypeError for each failure of the network, with the reason in its cause.
 */
function explained(error: Error): Error {
  const isOfFetch = error instanceof TypeError && error.cause instanceof Error;
  if (Object.hasOwn(error, hasReason) || (error.message !== '' && !isOfFetch)) return error;
  const { message: cause } = (error.cause ?? {}) as { readonly message?: string };
  const why = codeIn(error) ?? cause;
  const what = error.message === '' ? `${error.name} without a message` : error.message;
  const value = why ? `${what}: ${why}` : what;
  Reflect.defineProperty(error, 'message', { value, writable: true, configurable: true });
  Reflect.defineProperty(error, hasReason, { value: true });
  return error;
}

/** A programming error in an author's code that threw no error: `what` is wrong with `name`. */
export function authorBug({ name, stack, definedAt }: AuthorCall, what: string): TypeError {
  const bug = new TypeError(`${name} ${what}`);
  // guard: otherwise the location of the bug is in the controllers
  bug.stack = definedAt ?? '';
  return attributed(bug, stack);
}

function checked<T>(call: AuthorCall, answer: T, check: AnswerCheck<T>): T {
  const problem = check(answer);
  if (problem !== undefined) throw authorBug(call, `returned ${problem}`);
  return answer;
}

const frozenObjects = new WeakSet<object>();

/**
 * The same object, frozen at all depths. An author's code gets objects of the cache: a change of one would reach the next
 * claim. Each version of a cached object is frozen once.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || frozenObjects.has(value)) return value;
  frozenObjects.add(value);
  Object.freeze(value);
  for (const each of Object.values(value)) frozen(each);
  return value;
}
