/**
 * `node tools/image/compile-cache.ts FOLDER` lets Node compile the bundle in a folder, and keeps the result in
 * `compile-cache/` there, for the user of the image. A process whose file system is read-only then starts faster and smaller.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { freePort } from '../../local/free-port.ts';

/** The user and group of the process in the image. */
export const imageUser = 1000;
/** The folder of the cache, in the folder of the bundle. */
export const compileCacheFolder = 'compile-cache';

const betweenQuestionsMs = 100;
const mostQuestions = 600;

/** A cluster that does not answer: the process loads everything, and waits. */
const nowhere = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:9' } }],
  users: [{ name: 'nobody', user: { token: 'none' } }],
  contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'nobody' } }],
  'current-context': 'nowhere',
});

/**
 * Starts the bundle in a folder until its probes answer, and ends it. Node then writes the cache. The paths in it are
 * relative, so the folder may be moved. `user`: the one who reads it. Throws if the process does not start.
 */
export async function writeCompileCache(folder: string, user: number = imageUser): Promise<void> {
  const cache = join(folder, compileCacheFolder);
  await rm(cache, { recursive: true, force: true });
  const scratch = await mkdtemp(join(tmpdir(), 'services-stack-compile-'));
  try {
    const kubeconfig = join(scratch, 'kubeconfig');
    await writeFile(kubeconfig, nowhere, { mode: 0o600 });
    const probes = `127.0.0.1:${await freePort()}`;
    const flags = ['--kubeconfig', kubeconfig, `--health-probe-bind-address=${probes}`];
    const child = spawn(process.execPath, [join(folder, 'main.js'), ...flags], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1' },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    try {
      await answersAt(`http://${probes}/healthz`, () => child.exitCode);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  // Node ends the name of its folder with the user who wrote it, and looks for the one of the user who reads it.
  for (const name of await readdir(cache)) {
    await rename(join(cache, name), join(cache, name.replace(/-\d+$/, `-${user}`)));
  }
}

async function answersAt(url: string, exitCode: () => number | null): Promise<void> {
  for (let question = 0; question < mostQuestions; question += 1) {
    if (exitCode() !== null) throw new Error(`the bundle ended with code ${exitCode()} instead of starting`);
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await passed(betweenQuestionsMs);
  }
  throw new Error(`the bundle did not start in ${(mostQuestions * betweenQuestionsMs) / 1000} s`);
}

if (import.meta.main) await writeCompileCache(resolve(process.argv[2] ?? 'dist/bundle'));
