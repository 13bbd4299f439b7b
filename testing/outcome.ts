import { Broken } from './verdict.ts';

/** The outcome of a call. */
export type Outcome<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown };

/** The outcome of a call, including its error. Broken is thrown: it is the verdict on the call. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { type: 'done', value: await call };
  } catch (error) {
    if (error instanceof Broken) throw error;
    return { type: 'failed', error };
  }
}

/** The message of a failed outcome; otherwise empty. */
export function messageOf(outcome: Outcome<unknown>): string {
  if (outcome.type === 'done') return '';
  const { error } = outcome;
  return error instanceof Error ? error.message : String(error);
}
