import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { knowsRules } from '../../runtime/client/server-version.ts';
import type { ControlPlaneBinaries } from './binaries.ts';
import { apiServerVersion } from './binaries.ts';
import type { BinarySet, BinarySource, CacheOptions } from './binary-cache.ts';
import { cachedBinaries, cachedFolder, cacheRoot, missingFiles } from './binary-cache.ts';
import { DEFINITIONS_SERVER, definitionsServerBuild } from './definitions-server-build.ts';
import { proveRules } from './smoke-test.ts';

/** How a control plane comes to enforce rules. */
export type RulesSupport =
  /** Its kube-apiserver knows them. */
  | { readonly by: 'itself' }
  /** This apiextensions-apiserver does, beside it. */
  | { readonly by: 'definitions server'; readonly path: string }
  | { readonly by: 'nobody'; readonly reason: string };

/** How to get a definitions server; the defaults are what everybody wants. */
export interface DefinitionsServerOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Decides whether a fresh one may enter the cache: throws when it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What failed is not tried again at once: it costs minutes, and Debian's unstable suite moves by the day. */
const RETRY_AFTER_MS = 24 * 60 * 60 * 1_000;

const setOf = (sources: readonly BinarySource[], prove: BinarySet['prove']): BinarySet => ({
  name: `definitions-server-${process.platform}-${process.arch}`,
  files: [DEFINITIONS_SERVER],
  sources,
  proof: 'start it beside kube-apiserver, define a kind with a rule, break the rule',
  prove,
});

const noteOf = (environment: NodeJS.ProcessEnv): string =>
  join(cacheRoot(environment), 'definitions-server-failure.json');

interface Failure {
  readonly atMs: number;
  readonly reason: string;
}

async function failureOf(environment: NodeJS.ProcessEnv): Promise<Failure | undefined> {
  const text = await readFile(noteOf(environment), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Failure);
}

/** What failed, without the log that follows. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/**
 * Sees to it that a control plane of these binaries can enforce rules: builds a definitions server if its
 * kube-apiserver does not know them and the cache has none. A failure is an answer, and is noted for a day.
 */
export async function prepareRules(
  { directory }: Pick<ControlPlaneBinaries, 'directory'>,
  options: DefinitionsServerOptions,
): Promise<RulesSupport> {
  const { environment, progress, sources = [definitionsServerBuild], now = Date.now } = options;
  const { prove = (candidate) => proveRules(directory, join(candidate, DEFINITIONS_SERVER)) } = options;
  const known = await rulesSupport({ directory }, environment);
  if (known.by !== 'nobody') return known;
  const failure = await failureOf(environment);
  const note = noteOf(environment);
  if (failure !== undefined && now() - failure.atMs < RETRY_AFTER_MS) {
    progress.note(
      `no definitions server, as found out earlier (delete ${note} to try again): ${failure.reason}`,
    );
    return known;
  }
  try {
    await cachedBinaries(setOf(sources, prove), { environment, progress });
    await rm(note, { force: true });
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors : [error];
    const reason = failures.map(firstLine).join('; ');
    await mkdir(dirname(note), { recursive: true });
    await writeFile(note, `${JSON.stringify({ atMs: now(), reason } satisfies Failure)}\n`);
  }
  return rulesSupport({ directory }, environment);
}

/** How a control plane of these binaries can enforce rules as things are; builds nothing. */
export async function rulesSupport(
  { directory }: Pick<ControlPlaneBinaries, 'directory'>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RulesSupport> {
  if (knowsRules(await apiServerVersion(directory))) return { by: 'itself' };
  const set = setOf([], async () => {});
  const folder = cachedFolder(set, environment);
  if ((await missingFiles(folder, set.files)).length === 0) {
    return { by: 'definitions server', path: join(folder, DEFINITIONS_SERVER) };
  }
  const failure = await failureOf(environment);
  const untried = 'there is no definitions server; node local/control-plane/prepare.ts builds one';
  return { by: 'nobody', reason: failure?.reason ?? untried };
}
