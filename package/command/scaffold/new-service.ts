/*
 *   names ──▶ template.ts ─▶ template-imports.ts ─▶ spellings.ts ──▶ files, if none of them exists
 *   layout ──▶ their paths                                     └──▶ registration.ts: the list of stacks
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
import { claimFile, identifiersIn, template } from './template.ts';
import { importsRewritten } from './template-imports.ts';

/** The result, for the author. */
export interface NewService {
  /** New files, sorted. */
  readonly written: readonly string[];
  /** Existing files that were extended, sorted. */
  readonly extended: readonly string[];
  readonly remarks: readonly string[];
  /** The files to adapt to the cloud, in this order, each with its contents. */
  readonly edits: readonly (readonly [path: string, contents: string])[];
}

const edits = [
  ['src/toy-shop/toy-shop-client.ts', "the cloud's API: paths, answers, error codes"],
  ['src/toy-shop/tiny-gadget.ts', 'the fields of spec and status'],
  [claimFile, 'the fields that an app team may choose'],
  ['src/toy-shop/external-client.ts', "the mapping between the kind's fields and the cloud's"],
  ['src/toy-shop/configure.ts', 'the resource that follows from a claim and a class'],
  ['test/toy-shop/fake-toy-shop.ts', 'the same API for the tests'],
  ['examples/toy-shop/00-provider.yaml', 'the address of the cloud'],
] as const;

/**
 * Writes a new service into a repository: all of it, or nothing if one of its names or files exists already. Throws
 * UsageError with one line for each conflict.
 */
export async function newService(root: string, names: Names, layout: Layout): Promise<NewService> {
  const respell = respelling(names);
  const sources = template();
  const pathOf = (file: string): string => {
    const path = layout.paths[file];
    if (path === undefined) throw new Error(`the layout has no path for ${file} of the template`);
    return path;
  };

  const isThere = (path: string): boolean => existsSync(join(root, path));
  const entryFor = (file: string) => (names.claim.isShared && file === claimFile ? 'claims' : undefined);
  const own = Object.keys(layout.paths).filter(
    (file) => !layout.shared.includes(file) && entryFor(file) === undefined,
  );
  const missing = layout.shared.filter((file) => !isThere(pathOf(file)));
  const files = [...own, ...missing].map((file) => ({ file, path: respell(pathOf(file)) }));
  const { product, files: needed, remarks } = layout.needs(root);
  refuse([
    ...sameIdentifiers(identifiersIn(sources.values()), respell, names),
    ...samePaths(files.map(({ path }) => path)),
    ...takenFolders(layout.folders.map(respell), isThere, names),
    ...files.filter(({ path }) => isThere(path)).map(({ path }) => `${path} exists already`),
  ]);
  refuse(await takenNames(root, names, layout));

  const contentOf = (file: string): string =>
    respell(
      importsRewritten(file, sources.get(file) ?? '', { pathOf, entryFor, moduleOf: layout.moduleOf }),
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
    edits: edits
      .filter(([file]) => entryFor(file) === undefined)
      .map(([file, what]) => [respell(pathOf(file)), what]),
  };
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new UsageError([...problems, 'No file was written.'].join('\n'));
}

/** Names that would mean two things in the code; the first one of each argument. */
function sameIdentifiers(
  { used, declared }: Identifiers,
  respell: (text: string) => string,
  { claim }: Names,
): readonly string[] {
  const claimArgument = claim.isShared ? '--claim' : '--new-claim';
  const clashes = [...Map.groupBy(used, respell)].flatMap(([name, of]) => {
    const own = of.filter((identifier) => declared.has(identifier));
    const from = own
      .map((name) => argumentOf(name, claimArgument))
      .find((argument) => argument !== undefined);
    return of.length === 1 || from === undefined ? [] : [{ name, from }];
  });
  return uniqBy(clashes, ({ from }) => from).map(
    ({ name, from }) =>
      `${from}: "${name}" would mean two different things in the code of the service: choose another name`,
  );
}

/** The argument that an identifier of the template contains. */
function argumentOf(identifier: string, claimArgument: string): string | undefined {
  const { claim, kind, stack } = templateNames;
  const parts = Object.entries({ [claimArgument]: claim.kind, '<Kind>': kind, '--stack': stack });
  return parts.find(([, name]) =>
    identifier.toLowerCase().includes(name.replace('-', '').toLowerCase()),
  )?.[0];
}

const samePaths = (paths: readonly string[]): readonly string[] =>
  [...Map.groupBy(paths, (path) => path)].flatMap(([path, of]) =>
    of.length === 1 ? [] : [`<Kind>: two files would have the path ${path}: choose another name`],
  );

const takenFolders = (
  folders: readonly string[],
  isThere: (path: string) => boolean,
  { stack }: Names,
): readonly string[] =>
  folders
    .filter(isThere)
    .map(
      (folder) => `--stack: the name "${stack}" is in use, because ${folder}/ exists: choose another name`,
    );

/** Conflicts with the names of the repository's stacks. */
async function takenNames(
  root: string,
  { kind, claim, group, stack }: Names,
  { list }: Layout,
): Promise<readonly string[]> {
  const file = join(root, list.file);
  if (!existsSync(file)) return [];
  const stacks = await stacksOf(file);
  const claims = claim.isShared ? [] : [claim.kind];
  const plurals = ['Provider', 'ProviderConfig', kind, `${kind}Class`, ...claims].map((name) =>
    pluralOf(name.toLowerCase()),
  );
  return stacks.flatMap(({ name, definitions }) => [
    ...(name === stack ? [`--stack: ${list.file} has a stack "${name}" already: choose another name`] : []),
    ...definitions
      .filter((definition) => definition.group === group && plurals.includes(definition.plural))
      .map(
        (definition) =>
          `--group: the stack "${name}" already has a ${definition.kind} in ${group}: use another group for the new stack`,
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
