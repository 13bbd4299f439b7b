import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BinarySet, CacheOptions } from './binary-cache.ts';
import { cachedBinaries, cachedFolder, cacheRoot, missingFiles } from './binary-cache.ts';

/** Optional binaries, or the reason why there are none. */
export type OptionalBinaries =
  | { readonly isThere: true; readonly directory: string }
  | { readonly isThere: false; readonly reason: string };

export interface OptionalBinariesOptions extends CacheOptions {
  /** The noun in messages and in the name of the note of a failure: `definitions server`. */
  readonly noun: string;
  /** The command that gets them, for the reason why there are none. Default: the one that gets all of them. */
  readonly command?: string;
  /** Gets them again, also if they are in the cache, or if an attempt failed. Those in the cache stay until then. */
  readonly isFresh?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The delay before another attempt after a failure. An attempt takes minutes, and mirrors change daily. */
const retryAfterMs = 24 * 60 * 60 * 1_000;

interface Failure {
  readonly atMs: number;
  readonly reason: string;
}

const noteOf = (noun: string, environment: NodeJS.ProcessEnv): string =>
  join(cacheRoot(environment), `${noun.replaceAll(' ', '-')}-failure.json`);

async function failureOf(noun: string, environment: NodeJS.ProcessEnv): Promise<Failure | undefined> {
  const text = await readFile(noteOf(noun, environment), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Failure);
}

/** The first line of an error, without the log after it. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** Puts a set into the cache, if a source has it. A failure is returned, and not retried for a day. */
export async function prepareOptional(
  set: BinarySet,
  { environment, progress, noun, isFresh = false, now = Date.now }: OptionalBinariesOptions,
): Promise<OptionalBinaries> {
  const known = await optionalBinaries(set, { environment, noun });
  if (known.isThere && !isFresh) return known;
  const failure = await failureOf(noun, environment);
  const note = noteOf(noun, environment);
  if (!isFresh && failure !== undefined && now() - failure.atMs < retryAfterMs) {
    progress.note(`no ${noun}, as found out earlier (delete ${note} to try again): ${failure.reason}`);
    return known;
  }
  try {
    await cachedBinaries(set, { environment, progress, isFresh });
    await rm(note, { force: true });
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors : [error];
    const reason = failures.map(firstLine).join('; ');
    await mkdir(dirname(note), { recursive: true });
    await writeFile(note, `${JSON.stringify({ atMs: now(), reason } satisfies Failure)}\n`);
    if (isFresh) return { isThere: false, reason };
  }
  return optionalBinaries(set, { environment, noun });
}

/** Whether the cache has a set. Gets nothing. */
export async function optionalBinaries(
  set: Pick<BinarySet, 'name' | 'files'>,
  {
    environment,
    noun,
    command = 'node local/control-plane/prepare.ts',
  }: Pick<OptionalBinariesOptions, 'environment' | 'noun' | 'command'>,
): Promise<OptionalBinaries> {
  const directory = cachedFolder(set, environment);
  if ((await missingFiles(directory, set.files)).length === 0) return { isThere: true, directory };
  const failure = await failureOf(noun, environment);
  const untried = `there is no ${noun}; ${command} gets one`;
  return { isThere: false, reason: failure?.reason ?? untried };
}
