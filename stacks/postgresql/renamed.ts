import { escapeIdentifier } from 'pg';
import type { Managed, Observation } from '../../package/stack.ts';
import { nameOf, renamedTo } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { HolderOf, Marked } from './client/mark.ts';
import { markIn } from './client/mark.ts';

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

/** A database or role that has the name of the managed resource's own, and belongs to another resource. */
export interface Taken {
  readonly kind: 'database' | 'role';
  readonly found: Marked;
}

/**
 * The observation of a database or role whose name another resource has now. It was renamed, or does not exist any more:
 * `find` looks for its mark. Nothing gives it the name back. The message names the other resource, for administrators.
 */
export async function takenBy(
  { kind, found }: Taken,
  {
    own,
    holderOf,
    find,
  }: {
    /** The kind of the external resource. */
    readonly own: 'database' | 'role';
    readonly holderOf: HolderOf;
    readonly find: () => Promise<string | undefined>;
  },
): Promise<Observation<never>> {
  const mark = found.ownerMark ?? markIn(found.comment) ?? '';
  const holder = holderOf(mark, found.name)?.what ?? 'another resource';
  const now = await find();
  const fate =
    now === undefined
      ? `does not exist any more; ${advice.createElsewhere}`
      : `was renamed to ${escapeIdentifier(now)}; ${advice.followName(escapeIdentifier(now))}`;
  const taken = `${kind} ${escapeIdentifier(found.name)} is of ${holder} now, and the ${own} of this resource ${fate}`;
  return { exists: false, isUpToDate: false, taken, ...(now !== undefined && { renamed: taken }) };
}
