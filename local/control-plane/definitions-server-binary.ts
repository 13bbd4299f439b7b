import { join } from 'node:path';
import { isSupported } from '../../runtime/client/server-version.ts';
import type { BinarySet, BinarySource, CacheOptions } from '../../tools/offline/binary-cache.ts';
import { fetchAhead } from '../../tools/offline/binary-cache.ts';
import { DEFINITIONS_SERVER, definitionsServerBuild } from '../../tools/offline/definitions-server-build.ts';
import { optionalBinaries, prepareOptional } from '../../tools/offline/optional-binaries.ts';
import type { ControlPlaneBinaries } from './binaries.ts';
import { apiServerVersion } from './binaries.ts';
import { proveRules } from './smoke-test.ts';

/** The server by which a control plane enforces the rules of definitions. */
export type RulesSupport =
  /** Its own kube-apiserver. */
  | { readonly by: 'itself' }
  /** This apiextensions-apiserver, beside its kube-apiserver. */
  | { readonly by: 'definitions server'; readonly path: string }
  | { readonly by: 'none'; readonly reason: string };

/** How to get a definitions server. Only tests need other values than the defaults. */
export interface DefinitionsServerOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Tests a new one before it enters the cache. Throws if it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const noun = 'definitions server';
const cached = {
  name: `definitions-server-${process.platform}-${process.arch}`,
  files: [DEFINITIONS_SERVER],
};

/**
 * Lets a control plane of these binaries enforce rules: builds a definitions server if its kube-apiserver is older than 1.28
 * and the cache has none. A failure is returned, and not retried for a day.
 */
export async function prepareRules(
  { directory }: Pick<ControlPlaneBinaries, 'directory'>,
  { sources = [definitionsServerBuild], prove, ...options }: DefinitionsServerOptions,
): Promise<RulesSupport> {
  const known = await rulesSupport({ directory }, options.environment);
  if (known.by !== 'none') return known;
  const set: BinarySet = {
    ...cached,
    sources,
    proof: 'start it beside kube-apiserver, define a kind with a rule, break the rule',
    prove: prove ?? ((candidate) => proveRules(directory, join(candidate, DEFINITIONS_SERVER))),
  };
  await prepareOptional(set, { ...options, noun });
  return rulesSupport({ directory }, options.environment);
}

/** Fetches the source of a definitions server. A failure is left to `prepareRules`, which tries again and reports it. */
export const fetchRulesSource = (options: CacheOptions): Promise<void> =>
  fetchAhead({ ...cached, sources: [definitionsServerBuild] }, options).catch(() => {});

/** How a control plane of these binaries can enforce rules at present. Builds nothing. */
export async function rulesSupport(
  { directory }: Pick<ControlPlaneBinaries, 'directory'>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RulesSupport> {
  if (isSupported(await apiServerVersion(directory))) return { by: 'itself' };
  const found = await optionalBinaries(cached, { environment, noun, command: 'npm run control-plane' });
  return found.isThere
    ? { by: 'definitions server', path: join(found.directory, DEFINITIONS_SERVER) }
    : { by: 'none', reason: found.reason };
}
