import { Broken } from './verdict.ts';

/** What a call came to. */
export type Outcome<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown };

/** What a call came to, errors included; but not Broken, which are about the call. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { type: 'done', value: await call };
  } catch (error) {
    if (error instanceof Broken) throw error;
    return { type: 'failed', error };
  }
}

/** The message of an error, or nothing. */
export function messageOf(outcome: Outcome<unknown>): string {
  if (outcome.type === 'done') return '';
  const { error } = outcome;
  return error instanceof Error ? error.message : String(error);
}
