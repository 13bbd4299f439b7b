/*
 *   names ──▶ template.ts ─▶ template-imports.ts ─▶ spellings.ts ──▶ files, if none of them is there
 *   layout ──▶ where they go                                   └──▶ registration.ts: the list of stacks
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import uniqBy from 'lodash/uniqBy.js';
import { stacksOf } from '../stacks-of.ts';
import { UsageError } from '../usage-error.ts';
import type { Layout } from './layout.ts';
import type { Names } from './names.ts';
import { pluralOf } from './names.ts';
import { registered } from './registration.ts';
import { respelling, templateNames } from './spellings.ts';
import type { Identifiers } from './template.ts';
import { identifiersIn, template } from './template.ts';
import { importsRewritten } from './template-imports.ts';

/** What was written, for its author. */
export interface NewService {
  /** Files that were not there before, in order. */
  readonly written: readonly string[];
  /** Files that hold more than before. */
  readonly extended: readonly string[];
  readonly remarks: readonly string[];
  /** Where a file of the template is now. */
  pathOf(file: string): string;
}

/**
 * Writes a new service into a repository: all of it, or, where a name or a file of it is taken, nothing. Throws UsageError
 * with a line for each thing that is in its way.
 */
export async function newService(root: string, names: Names, layout: Layout): Promise<NewService> {
  const respell = respelling(names);
  const sources = template();
  const pathOf = (file: string): string => {
    const path = layout.paths[file];
    if (path === undefined) throw new Error(`${file} of the template goes nowhere`);
    return path;
  };

  const isThere = (path: string): boolean => existsSync(join(root, path));
  const own = Object.keys(layout.paths).filter((file) => !layout.shared.includes(file));
  const missing = layout.shared.filter((file) => !isThere(pathOf(file)));
  const files = [...own, ...missing].map((file) => ({ file, path: respell(pathOf(file)) }));
  const { product, files: needed, remarks } = layout.needs(root);
  refuse([
    ...sameIdentifiers(identifiersIn(sources.values()), respell),
    ...samePaths(files.map(({ path }) => path)),
    ...takenFolders(layout.folders.map(respell), isThere, names),
    ...files.filter(({ path }) => isThere(path)).map(({ path }) => `${path} is there already`),
  ]);
  refuse(await takenNames(root, names, layout));

  const contentOf = (file: string): string =>
    respell(
      importsRewritten(file, sources.get(file) ?? '', { pathOf, moduleOf: layout.moduleOf }),
    ).replaceAll('own-stacks', product);
  const list = layout.list.file;
  const isListed = files.some(({ path }) => path === list);
  const extension = isListed ? [] : [[list, listWith(root, layout, respell)] as const];
  const written = files.map(({ file, path }) => [path, contentOf(file)] as const);

  const all = new Map([...needed, ...extension, ...written]);
  const [extended, added] = [
    [...all.keys()].filter(isThere),
    [...all.keys()].filter((path) => !isThere(path)),
  ];
  for (const [path, content] of all) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  layout.finish?.(
    root,
    [...all.keys()].filter((path) => path.endsWith('.ts')),
  );
  return {
    written: added.toSorted(),
    extended: extended.toSorted(),
    remarks,
    pathOf: (file) => respell(pathOf(file)),
  };
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UsageError([...problems, 'nothing was written'].join('\n'));
}

/** Names that would stand for two things in the code: the first of each argument. */
function sameIdentifiers(
  { used, declared }: Identifiers,
  respell: (text: string) => string,
): readonly string[] {
  const clashes = [...Map.groupBy(used, respell)].flatMap(([name, of]) => {
    const made = of.filter((identifier) => declared.has(identifier));
    const from = made.map(argumentOf).find((argument) => argument !== undefined);
    return of.length === 1 || from === undefined ? [] : [{ name, from }];
  });
  return uniqBy(clashes, ({ from }) => from).map(
    ({ name, from }) =>
      `${from}: "${name}" would stand for two things in the code of the service; choose another name`,
  );
}

/** What an identifier of the template is made of. */
function argumentOf(identifier: string): string | undefined {
  const made = Object.entries({ '--claim': 'claim', '<Kind>': 'kind', '--stack': 'stack' } as const);
  return made.find(([, name]) =>
    identifier.toLowerCase().includes(templateNames[name].replace('-', '').toLowerCase()),
  )?.[0];
}

const samePaths = (paths: readonly string[]): readonly string[] =>
  [...Map.groupBy(paths, (path) => path)].flatMap(([path, of]) =>
    of.length === 1 ? [] : [`<Kind>: two files would be ${path}; choose another name`],
  );

const takenFolders = (
  folders: readonly string[],
  isThere: (path: string) => boolean,
  { stack }: Names,
): readonly string[] =>
  folders
    .filter(isThere)
    .map((folder) => `--stack: the name "${stack}" is taken: ${folder}/ is there already`);

/** Names that the stacks of the repository have. */
async function takenNames(
  root: string,
  { kind, claim, group, stack }: Names,
  { list }: Layout,
): Promise<readonly string[]> {
  const file = join(root, list.file);
  if (!existsSync(file)) return [];
  const stacks = await stacksOf(file);
  const plurals = ['Provider', 'ProviderConfig', kind, `${kind}Class`, claim].map((name) =>
    pluralOf(name.toLowerCase()),
  );
  return stacks.flatMap(({ name, definitions }) => [
    ...(name === stack ? [`--stack: there is a stack "${name}" already, in ${list.file}`] : []),
    ...definitions
      .filter((definition) => definition.group === group && plurals.includes(definition.plural))
      .map(
        (definition) =>
          `--group: the stack "${name}" has a ${definition.kind} in ${group} already; give the new stack a group of its own`,
      ),
  ]);
}

function listWith(
  root: string,
  { list: { file, imports } }: Layout,
  respell: (text: string) => string,
): string {
  const source = readFileSync(join(root, file), 'utf8');
  return registered(source, { file, name: respell('toyShopStack'), from: respell(imports) });
}
