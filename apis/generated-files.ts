import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import partition from 'lodash/partition.js';
import { stringify } from 'yaml';
import { apiReference } from './api-reference.ts';
import type { Definition } from './core/schema.ts';
import { compareNames } from './core/v1alpha1/name-order.ts';
import { crdName, customResourceDefinition } from './crd.ts';

/** What is to be in files, by their paths in a project. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Each kind's definition, and the API reference of all. `origin` says what they were made by. */
export function definitionFiles(definitions: readonly Definition[], origin: string): GeneratedFiles {
  const sorted = definitions.toSorted((a, b) => compareNames(crdName(a), crdName(b)));
  const yaml = (definition: Definition): string =>
    `# ${origin}\n${stringify(customResourceDefinition(definition), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
    })}`;
  return new Map([
    ...sorted.map((definition): [string, string] => [
      join('crds', `${definition.group}_${definition.plural}.yaml`),
      yaml(definition),
    ]),
    [join('docs', 'api-reference.md'), `<!-- ${origin} -->\n\n${apiReference(sorted)}`],
  ]);
}

export interface BringUpToDateOptions {
  /** Writes nothing. */
  readonly isCheck: boolean;
  /** A pattern of where generated files are: those of them that are not wanted any more go. */
  readonly owned?: string;
  /** What to do about files that are not up to date, as `run npm run generate`. */
  readonly remedy: string;
}

/**
 * Writes the files of a project that are not as they are wanted, removes those that are not wanted any more, and tells of
 * each on standard output. A file is overwritten or removed only if it begins with the line of what generates it: the first
 * of the wanted one. Yields a sentence for each thing that is wrong: files of somebody else's that are in the way, and as
 * a check those that are not up to date. Nothing is written then.
 */
export function bringUpToDate(
  root: string,
  wanted: GeneratedFiles,
  { isCheck, owned, remedy }: BringUpToDateOptions,
): readonly string[] {
  const lines = new Set([...wanted.values()].map(firstLine));
  const present = owned === undefined ? [] : globSync(owned, { cwd: root }).toSorted(compareNames);
  const found = new Map([...wanted.keys(), ...present].map((file) => [file, read(join(root, file))]));
  const changed = [...wanted].filter(([file, content]) => found.get(file) !== content);
  const [foreign, stale] = partition(changed, ([file, content]) => {
    const there = found.get(file);
    return there !== undefined && firstLine(there) !== firstLine(content);
  }).map((some) => some.map(([file]) => file)) as [string[], string[]];
  const unwanted = present.filter((file) => !wanted.has(file) && lines.has(firstLine(found.get(file) ?? '')));
  const inTheWay = foreign.map(
    (file) => `${file} (it does not begin with "${firstLine(wanted.get(file)!)}")`,
  );
  const problems = [
    ...(isCheck && stale.length + unwanted.length > 0
      ? [`not up to date, ${remedy}: ${[...stale, ...unwanted].join(', ')}`]
      : []),
    ...(foreign.length > 0
      ? [`not generated, so not overwritten; move or remove them first: ${inTheWay.join(', ')}`]
      : []),
  ];
  if (isCheck || problems.length > 0) return problems;
  for (const file of stale) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted.get(file)!);
    process.stdout.write(`wrote ${file}\n`);
  }
  for (const file of unwanted) {
    rmSync(join(root, file));
    process.stdout.write(`removed ${file}\n`);
  }
  return [];
}

/** As it would be without the line ends of another system. */
const firstLine = (content: string): string => content.split('\n', 1)[0]!.trimEnd();

/** Undefined: there is nothing. What is there but cannot be read, as a folder, is nothing of ours. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}
