import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BinarySet, BinarySource, CacheOptions } from '../../tools/offline/binary-cache.ts';
import { isExecutable } from '../../tools/offline/command.ts';
import {
  CONTROLLER_MANAGER,
  controllerManagerBuild,
  controllersSource,
} from '../../tools/offline/debian-build.ts';
import { optionalBinaries, prepareOptional } from '../../tools/offline/optional-binaries.ts';
import type { ControlPlaneBinaries } from './binaries.ts';
import type { ControllerManagerProgram } from './controller-manager.ts';
import { proveDeletion } from './smoke-test.ts';

/** A kube-controller-manager, or why there is none. */
export type ControllerManagerSupport =
  | ControllerManagerProgram
  | { readonly by: 'none'; readonly reason: string };

/** How to get one. Only tests need other values than the defaults. */
export interface ControllerManagerOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Tests a new one before it enters the cache. Throws if it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
}

const noun = CONTROLLER_MANAGER;

/** The name includes a hash of the source: a changed source is built again. */
const cached = () => {
  const hash = createHash('sha256').update(readFileSync(controllersSource)).digest('hex').slice(0, 12);
  return {
    name: `controller-manager-${hash}-${process.platform}-${process.arch}`,
    files: [CONTROLLER_MANAGER],
  };
};

/**
 * Builds the two controllers that we need if there is no kube-controller-manager. A failure is returned, and not
 * retried for a day.
 */
export async function prepareControllerManager(
  { directory }: Pick<ControlPlaneBinaries, 'directory'>,
  { sources = [controllerManagerBuild], prove, ...options }: ControllerManagerOptions,
): Promise<ControllerManagerSupport> {
  const known = await controllerManagerSupport(options.environment);
  if (known.by !== 'none') return known;
  const set: BinarySet = {
    ...cached(),
    sources,
    proof: 'start it beside kube-apiserver, delete a namespace',
    prove:
      prove ??
      ((candidate) => proveDeletion(directory, { by: 'build', path: join(candidate, CONTROLLER_MANAGER) })),
  };
  await prepareOptional(set, { ...options, noun });
  return controllerManagerSupport(options.environment);
}

/** The present kube-controller-manager: that of KUBEBUILDER_ASSETS, else that of the cache. Builds nothing. */
export async function controllerManagerSupport(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ControllerManagerSupport> {
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets && (await isExecutable(join(assets, CONTROLLER_MANAGER)))) {
    return { by: 'assets', path: join(assets, CONTROLLER_MANAGER) };
  }
  const found = await optionalBinaries(cached(), { environment, noun });
  return found.isThere
    ? { by: 'build', path: join(found.directory, CONTROLLER_MANAGER) }
    : { by: 'none', reason: found.reason };
}
