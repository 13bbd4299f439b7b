import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { apiReference } from './api-reference.ts';
import type { Definition } from './core/schema.ts';
import { compareNames } from './core/v1alpha1/name-order.ts';
import { crdName, customResourceDefinition } from './crd.ts';

/** What is to be in files, by their paths in a project. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Each kind's definition, with rules and without, and the API reference of all. `origin` says what they were made by. */
export function definitionFiles(definitions: readonly Definition[], origin: string): GeneratedFiles {
  const sorted = definitions.toSorted((a, b) => compareNames(crdName(a), crdName(b)));
  const yaml = (definition: Definition, withRules: boolean): string =>
    `# ${origin}\n${stringify(customResourceDefinition(definition, { withRules }), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
    })}`;
  return new Map([
    ...sorted.flatMap((definition): [string, string][] => {
      const file = `${definition.group}_${definition.plural}.yaml`;
      return [
        [join('crds', file), yaml(definition, false)],
        [join('crds', 'with-cel-rules', file), yaml(definition, true)],
      ];
    }),
    [join('docs', 'api-reference.md'), apiReference(sorted)],
  ]);
}

export interface BringUpToDateOptions {
  /** Writes nothing. */
  readonly isCheck: boolean;
  /** A pattern of files that are all generated: those that are not wanted go. */
  readonly owned?: string;
}

/**
 * Writes the files of a project that are not as they are wanted, and tells of each on standard output. As a check it yields
 * those files instead.
 */
export function bringUpToDate(
  root: string,
  wanted: GeneratedFiles,
  { isCheck, owned }: BringUpToDateOptions,
): readonly string[] {
  const present = owned === undefined ? [] : globSync(owned, { cwd: root });
  const stale = [
    ...[...wanted].filter(([file, content]) => read(join(root, file)) !== content).map(([file]) => file),
    ...present.filter((file) => !wanted.has(file)),
  ];
  if (isCheck) return stale;
  for (const file of stale) {
    const content = wanted.get(file);
    const path = join(root, file);
    if (content === undefined) rmSync(path);
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    process.stdout.write(`${content === undefined ? 'removed' : 'wrote'} ${file}\n`);
  }
  return [];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
