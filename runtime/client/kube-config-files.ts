import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import uniq from 'lodash/uniq.js';
import type { KubeConfigFile } from './kube-config-entries.ts';
import { fileIn, KubeConfigError } from './kube-config-entries.ts';

/** An entry of a kubeconfig, and the folder that its relative paths start from. */
export interface FoundEntry {
  readonly content: unknown;
  readonly folder: string;
}

/** All files together, as kubectl merges them: the first file that has a name wins. */
export interface MergedKubeConfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, FoundEntry>;
  readonly users: ReadonlyMap<string, FoundEntry>;
  readonly contexts: ReadonlyMap<string, FoundEntry>;
}

export interface KubeConfigPlaces {
  /** The file of `--kubeconfig`, which must exist. */
  readonly path?: string | undefined;
  /** The variables `KUBECONFIG` and `HOME` are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The kubeconfig files that kubectl would read, merged as it merges them (client-go's `ClientConfigLoadingRules`): that of
 * `--kubeconfig` alone, else those of `$KUBECONFIG`, else `~/.kube/config`. Files of the last two may be missing.
 * Undefined: there is no file. Throws KubeConfigError for a file that cannot be used.
 */
export async function kubeConfigFiles(places: KubeConfigPlaces): Promise<MergedKubeConfig | undefined> {
  const paths = pathsOf(places);
  if (paths.length === 0) return undefined;
  const files = await Promise.all(
    paths.map(async (path) => ({ path, file: fileIn(await contentOf(path), path) })),
  ).catch((error: unknown) => {
    if (places.path === undefined || !(error instanceof KubeConfigError)) throw error;
    throw new KubeConfigError(error.message, { place: '--kubeconfig', cause: error });
  });
  const entries = (list: 'clusters' | 'users' | 'contexts', field: string) =>
    new Map(files.toReversed().flatMap(({ path, file }) => [...entriesOf(file[list] ?? [], field, path)]));
  return {
    currentContext: files.map(({ file }) => file['current-context']).find(Boolean) ?? undefined,
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
    contexts: entries('contexts', 'context'),
  };
}

function pathsOf({ path, environment }: KubeConfigPlaces): readonly string[] {
  if (path !== undefined) return [resolve(path)];
  const { KUBECONFIG: listed, HOME: home = homedir() } = environment;
  const paths = listed ? listed.split(delimiter).filter(Boolean) : [join(home, '.kube', 'config')];
  return uniq(paths.map((each) => resolve(each))).filter((each) => existsSync(each));
}

/** JSON or YAML; an empty file is a kubeconfig without entries. */
async function contentOf(path: string): Promise<unknown> {
  const text = readableFile(path, 'kubeconfig');
  // Loaded here only, because a process in a cluster reads no kubeconfig.
  const {
    default: { parseDocument },
  } = await import('yaml'); // a bundle has its default export only
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) {
    const line = fault.linePos?.[0].line;
    throw new KubeConfigError(`${path} is not YAML${line === undefined ? '' : `: see line ${line}`}`);
  }
  return document.toJS() ?? {};
}

function* entriesOf(
  list: NonNullable<KubeConfigFile['clusters']>,
  field: string,
  path: string,
): Generator<[string, FoundEntry]> {
  const names = new Set<string>();
  for (const { name, [field]: content } of list) {
    if (names.has(name)) throw new KubeConfigError(`${path}: ${field} "${name}" is there twice`);
    names.add(name);
    yield [name, { content, folder: dirname(path) }];
  }
}

/** The path for a path in an entry, which may be relative to the folder of the entry's file. */
export const pathIn = ({ folder }: FoundEntry, path: string): string =>
  isAbsolute(path) ? path : join(folder, path);

/** Reads a text file. Throws KubeConfigError if it cannot be read. `what` names its purpose in the message. */
export function readableFile(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new KubeConfigError(`cannot read ${what} ${path}: ${code}`, { cause: error });
  }
}
