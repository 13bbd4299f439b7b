import { escapeIdentifier } from 'pg';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { renamedTo } from '../author/renamed.ts';
import { advice } from './advice.ts';
import { nameOf } from './ownership.ts';

/** The possessions that stay with a database or role if a second one is created beside it. */
const keeps = { database: 'the data', role: 'its objects and privileges' } as const;

/** The sentence about a database or role that a user renamed, with the statement that names it back. */
export function wasRenamed(managed: Managed, kind: 'database' | 'role', now: string): string {
  const [after, before] = [now, nameOf(managed)].map(escapeIdentifier);
  const back = advice.nameBack(`ALTER ${kind.toUpperCase()} ${after} RENAME TO ${before}`);
  return `${kind} ${before} was renamed to ${after}; ${back}`;
}

/** For the observation of an absent database or role: whether it was renamed. `find` looks for its mark. */
export const renamedFrom = (
  managed: Managed,
  kind: 'database' | 'role',
  find: () => Promise<string | undefined>,
): Promise<{ readonly renamed?: string }> =>
  renamedTo(managed, find, (now) => ({
    sentence: wasRenamed(managed, kind, now),
    beside: `${kind} ${escapeIdentifier(now)} keeps ${keeps[kind]}`,
  }));
