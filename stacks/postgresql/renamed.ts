import uniq from 'lodash/uniq.js';
import { escapeIdentifier } from 'pg';
import type { Holder, Managed, Observation } from '../../package/stack.ts';
import { coreAdvice, nameOf, observedTaken as takenBy } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { HolderOf, Marked } from './client/mark.ts';
import { markIn } from './client/mark.ts';

/**
 * A part of a managed resource on the server: its database, or its role. Its mark makes it the resource's own, under
 * whatever name. Another one may have its name.
 */
export interface Part {
  readonly kind: 'database' | 'role';
  /** The name of the one with the mark of the resource. Undefined: there is none. */
  readonly own: string | undefined;
  /** The other one that has the name of the resource. */
  readonly namesake: Marked | undefined;
}

/** The resource, database or role that has the name of a part now, in words for administrators. */
interface NameHolder {
  readonly what: string;
  readonly by: Holder['by'];
  /** Whether it is a resource that has this name by right, as far as is known. */
  readonly isAtHome: boolean;
}

interface MovedPart extends Part {
  readonly own: string;
  readonly holder: NameHolder | undefined;
}

/** A resource whose own database or role has another name now. */
export interface Renamed {
  /** The name that each part has now, and the statements or the annotation that end it. */
  readonly message: string;
  /** The parts that have another name now. */
  readonly kinds: readonly Part['kind'][];
  /** The name that all parts have. Absent: they have several. */
  readonly newName?: string;
  /** The owner of the name of a part now. Absent: the name is free. */
  readonly by?: Holder['by'];
}

function holderIn(holderOf: HolderOf, { kind, namesake }: Omit<Part, 'own'>): NameHolder | undefined {
  if (namesake === undefined) return undefined;
  const mark = namesake.ownerMark ?? markIn(namesake.comment);
  if (mark === undefined) return { what: `a ${kind} without a mark`, by: 'Nobody', isAtHome: false };
  const holder = holderOf(mark, namesake.name);
  // guard: otherwise a statement takes the name away from a resource that has it by right
  const isAtHome = (holder?.externalName ?? namesake.name) === namesake.name;
  return { what: holder?.what ?? 'a resource that is not known here', by: 'AnotherResource', isAtHome };
}

/**
 * The parts of a resource that have another name than `name` now. Undefined: none was renamed. `spareName` finds a name
 * that no database and no role has.
 */
export async function renamedParts(
  parts: readonly Part[],
  name: string,
  { holderOf, spareName }: { readonly holderOf: HolderOf; readonly spareName: () => Promise<string> },
): Promise<Renamed | undefined> {
  const moved = parts.flatMap(({ own, ...part }): readonly MovedPart[] =>
    own === undefined || own === name ? [] : [{ ...part, own, holder: holderIn(holderOf, part) }],
  );
  if (moved.length === 0) return undefined;
  const [newName, ...otherNames] = uniq(parts.flatMap(({ own }) => own ?? []));
  const isTogether = newName !== undefined && otherNames.length === 0;
  const holders = moved.flatMap(({ holder }) => holder ?? []);
  const spare = holders.length === 0 ? undefined : await spareName();
  const remedy =
    spare === undefined
      ? advice.nameBack(namingBack(moved, { name, spare: name }))
      : remedyAmong(parts, moved, { name, spare, newName: isTogether ? newName : undefined });
  const [by] = holders.map((holder) => holder.by).toSorted(); // another resource counts before none
  return {
    message: [...sentencesOf(moved, name), remedy].join('; '),
    kinds: moved.map(({ kind }) => kind),
    ...(isTogether && { newName }),
    ...(by !== undefined && { by }),
  };
}

/** One sentence for the parts that have the same name now, where the same resource has their former name. */
function sentencesOf(moved: readonly MovedPart[], name: string): readonly string[] {
  const groups = Object.groupBy(moved, ({ own, holder }) => JSON.stringify([own, holder?.what]));
  return Object.values(groups).flatMap((group = []) => {
    const [first] = group;
    if (first === undefined) return [];
    const what = `${group.map(({ kind }) => kind).join(' and ')} ${escapeIdentifier(name)}`;
    const fate = `${what} ${group.length === 1 ? 'was' : 'were'} renamed to ${escapeIdentifier(first.own)}`;
    return first.holder === undefined ? fate : `${fate}, and ${first.holder.what} has the name now`;
  });
}

/** The advice where another one has the name of a part. It takes no name from a resource that has it by right. */
function remedyAmong(
  parts: readonly Part[],
  moved: readonly MovedPart[],
  {
    name,
    spare,
    newName,
  }: { readonly name: string; readonly spare: string; readonly newName: string | undefined },
): string {
  const follow = newName === undefined ? undefined : advice.followName(escapeIdentifier(newName));
  if (moved.some(({ holder }) => holder?.isAtHome === true)) {
    const unite = parts.flatMap(({ kind, own }) => (own === undefined ? [] : renaming(kind, own, spare)));
    return follow ?? advice.unite(together(unite), escapeIdentifier(spare));
  }
  const back = advice.nameBackInOrder(namingBack(moved, { name, spare }));
  return follow === undefined ? back : `${back}. Or, ${follow}`;
}

const renaming = (kind: Part['kind'], from: string, to: string): string =>
  `ALTER ${kind.toUpperCase()} ${escapeIdentifier(from)} RENAME TO ${escapeIdentifier(to)}`;

/** The statements that give each part its name again, after the other one of that name got the spare name. */
const namingBack = (
  moved: readonly MovedPart[],
  { name, spare }: { readonly name: string; readonly spare: string },
): string =>
  together(
    moved.flatMap(({ kind, own, holder }) => [
      ...(holder === undefined ? [] : [renaming(kind, name, spare)]),
      renaming(kind, own, name),
    ]),
  );

/** All of the statements have an effect, or none: if the first one fails, the second one would be wrong. */
const together = (statements: readonly string[]): string =>
  (statements.length === 1 ? statements : ['BEGIN', ...statements, 'COMMIT']).join('; ');

/** The possessions that stay with a database or role if a second one is created beside it. */
const keeps = { database: 'the data', role: 'its objects and privileges' } as const;

/** The observation of a database or role that has another name now. `now`: that name. */
export function observedElsewhere(
  managed: Managed,
  { kind, own = nameOf(managed) }: Pick<Part, 'kind' | 'own'>,
  { message, newName, by }: Renamed,
): Observation<never> {
  const beside = `${kind} ${escapeIdentifier(own)} keeps ${keeps[kind]}`;
  return {
    exists: false,
    isUpToDate: false,
    renamed: by === undefined ? `${message}. Or, ${coreAdvice.createEmpty(managed, beside)}` : message,
    ...(newName !== undefined && { newName }),
    ...(by !== undefined && { taken: message, takenBy: by }),
  };
}

/** A database or role that has the name of the managed resource's own, and belongs to another resource. */
export type Taken = Omit<Part, 'own'> & { readonly namesake: Marked };

/** The observation of a lost database or role whose name another resource has. `own`: the kind of the external resource. */
export const observedTaken = (own: Part['kind'], taken: Taken, holderOf: HolderOf): Observation<never> =>
  takenBy(own, {
    kind: taken.kind,
    name: escapeIdentifier(taken.namesake.name),
    holder: holderIn(holderOf, taken)?.what,
  });
