import type { Finding } from './findings.ts';

export interface Verdict {
  /** Findings in rooms that are rewritten: the check fails. */
  readonly failures: readonly Finding[];
  /** How many findings each of the other rooms has. */
  readonly counts: Readonly<Record<string, number>>;
  /** Rooms that are listed as not rewritten, and have no findings: the check fails, so that the list gets shorter. */
  readonly needless: readonly string[];
}

/**
 * A room is a folder with all below it (`runtime/cache/`), the files of a folder alone (`runtime/*`), or a file. A file
 * belongs to the longest that it is in.
 */
export function verdictOn(findings: readonly Finding[], rooms: readonly string[]): Verdict {
  const byRoom = Object.groupBy(findings, ({ path }) => roomOf(path, rooms) ?? '');
  const { '': failures = [], ...others } = byRoom;
  const counts = Object.fromEntries(
    Object.entries(others).map(([room, found]) => [room, found?.length ?? 0]),
  );
  return { failures, counts, needless: rooms.filter((room) => !(room in counts)) };
}

function roomOf(path: string, rooms: readonly string[]): string | undefined {
  return rooms.filter((room) => isIn(room, path)).toSorted((a, b) => b.length - a.length)[0];
}

function isIn(room: string, path: string): boolean {
  if (room.endsWith('/')) return path.startsWith(room);
  if (room.endsWith('/*')) return path.slice(0, path.lastIndexOf('/')) === room.slice(0, -2);
  return path === room;
}
