import type { Definition } from '../../package/schema.ts';
import type { Progress } from '../../package/stack.ts';
import { advised } from './advised.ts';
import type { Memorystore } from './client/memorystore.ts';

/** The progress of an operation, in the cloud's own words. Throws CloudError if it cannot be read. */
export async function progressOf(
  { operation, failureOf }: Pick<Memorystore, 'operation' | 'failureOf'>,
  { name, kind, signal }: { readonly name: string; readonly kind: Definition; readonly signal: AbortSignal },
): Promise<Progress<never>> {
  const found = await operation(name, signal);
  if (found === undefined) return { state: 'unknown' }; // guard: otherwise a forgotten operation counts as done
  if (!found.done) return { state: 'running' }; // guard: otherwise the next operation begins before this one ends
  const failure = failureOf(found);
  return failure === undefined // guard: otherwise a failed operation counts as done
    ? { state: 'done' }
    : { state: 'failed', error: advised(failure, kind) as Error };
}
