import { escapeIdentifier } from 'pg';
import { advice as coreAdvice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { recordedIdentity } from '../core/managed/recording/identity.ts';
import { advice } from './advice.ts';
import { isObserver, nameOf } from './ownership.ts';

/** The possessions that stay with a database or role if a second one is created beside it. */
const keeps = { database: 'the data', role: 'its objects and privileges' } as const;

/** The sentence about a database or role that a user renamed, with the statement that names it back. */
export function wasRenamed(managed: Managed, kind: 'database' | 'role', now: string): string {
  const [after, before] = [now, nameOf(managed)].map(escapeIdentifier);
  const back = advice.nameBack(`ALTER ${kind.toUpperCase()} ${after} RENAME TO ${before}`);
  return `${kind} ${before} was renamed to ${after}; ${back}`;
}

/**
 * For the observation of an absent database or role: whether it was renamed. `find` looks for its mark; it is not called
 * for a database or role that was never there.
 */
export async function renamedFrom(
  managed: Managed,
  kind: 'database' | 'role',
  find: () => Promise<string | undefined>,
): Promise<{ readonly renamed?: string }> {
  if (isObserver(managed) || recordedIdentity(managed, { immutable: [] }) === undefined) return {};
  const now = await find();
  if (now === undefined) return {};
  const beside = `${kind} ${escapeIdentifier(now)} keeps ${keeps[kind]}`;
  return { renamed: `${wasRenamed(managed, kind, now)}. Or, ${coreAdvice.createEmpty(managed, beside)}` };
}
