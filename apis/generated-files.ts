import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import partition from 'lodash/partition.js';
import { stringify } from 'yaml';
import { apiReference } from './api-reference.ts';
import type { Definition } from './core/schema.ts';
import { crdName } from './core/v1alpha1/kind.ts';
import { compareNames } from './core/v1alpha1/name-order.ts';
import type { OwningPackage } from './crd.ts';
import { customResourceDefinition, definitionFile } from './crd.ts';

/** The contents of files by their paths in a project. */
export type GeneratedFiles = ReadonlyMap<string, string>;

export interface DefinitionFilesOptions {
  /** The first line, which names the generator. */
  readonly origin: string;
  /** The package of the project, which owns the definitions. */
  readonly owner: OwningPackage;
  /** The folder of a definition within `crds/`; default: none. Undefined: its file is not written. */
  readonly folderOf?: (definition: Definition) => string | undefined;
}

/** The definition of each kind, and the API reference of all. */
export function definitionFiles(
  definitions: readonly Definition[],
  { origin, owner, folderOf = () => '' }: DefinitionFilesOptions,
): GeneratedFiles {
  const sorted = definitions.toSorted((a, b) => compareNames(crdName(a), crdName(b)));
  const yaml = (definition: Definition): string =>
    `# ${origin}\n${stringify(customResourceDefinition(definition, owner), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
    })}`;
  return new Map([
    ...sorted.flatMap((definition): [string, string][] => {
      const folder = folderOf(definition);
      return folder === undefined
        ? []
        : [[join('crds', folder, definitionFile(definition)), yaml(definition)]];
    }),
    [join('docs', 'api-reference.md'), `<!-- ${origin} -->\n\n${apiReference(sorted)}`],
  ]);
}

export interface BringUpToDateOptions {
  /** Writes nothing. */
  readonly isCheck: boolean;
  /** A pattern for generated files: those that match and are no longer wanted are removed. */
  readonly owned?: string;
  /** The command for files that are not up to date, for example `run npm run generate`. */
  readonly remedy: string;
}

/**
 * Writes the files of a project that differ from the wanted content, removes generated files that are no longer wanted, and
 * prints each on standard output. A file is overwritten or removed only if its first line is the generator's, so that files
 * of others are kept. Returns one sentence for each problem, and then writes nothing: files of others with a wanted name,
 * and with `isCheck` files that are not up to date.
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
    const current = found.get(file);
    return current !== undefined && firstLine(current) !== firstLine(content);
  }).map((some) => some.map(([file]) => file)) as [string[], string[]];
  const unwanted = present.filter((file) => !wanted.has(file) && lines.has(firstLine(found.get(file) ?? '')));
  const conflicts = foreign.map(
    (file) => `${file} (it does not begin with "${firstLine(wanted.get(file)!)}")`,
  );
  const problems = [
    ...(isCheck && stale.length + unwanted.length > 0
      ? [`these files are not up to date, ${remedy}: ${[...stale, ...unwanted].join(', ')}`]
      : []),
    ...(foreign.length > 0
      ? [
          `these files were not generated, so they are not overwritten; move or remove them: ${conflicts.join(', ')}`,
        ]
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

/** The first line, without the line end of another system. */
const firstLine = (content: string): string => content.split('\n', 1)[0]!.trimEnd();

/** Undefined: the file does not exist. Empty if it cannot be read, for example a folder: it counts as a file of others. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/** Name and version in the package.json of a folder. Empty if there is none. */
export function packageIn(root: string): OwningPackage {
  const { name, version } = JSON.parse(read(join(root, 'package.json')) || '{}') as OwningPackage;
  return { name, version };
}
