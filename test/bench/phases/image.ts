import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stacks as defaultStacks } from '../../../app/stacks.ts';
import { fcpStack } from '../../../stacks/demo-clouds/fcp/stack.ts';
import { bundle } from '../../../tools/bundle.ts';
import { compileCacheFolder, imageUser, writeCompileCache } from '../../../tools/image/compile-cache.ts';
import { budgets } from '../budgets.ts';
import { deleteClaims } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { anonymousMiB } from '../process-usage.ts';
import type { Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { bindAtOnce } from './at-once.ts';
import { starts } from './startup.ts';

/** The default stacks, and the one of the claims. */
const flags = ['--stacks', [...defaultStacks, fcpStack].map(({ name }) => name).join(',')];
const betweenReadingsMs = 50;

/**
 * The start and the memory of the bundle that the image runs, with what Node compiled of it: anonymous memory, because
 * processes share the pages of Node. No stack may be running.
 */
export async function image(scene: Scene, count: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'services-stack-bench-image-'));
  try {
    await bundle(folder);
    await writeCompileCache(folder, process.getuid?.() ?? imageUser);
    const compiled = {
      NODE_COMPILE_CACHE: join(folder, compileCacheFolder),
      NODE_COMPILE_CACHE_PORTABLE: '1',
    };
    const environment = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', ...compiled };
    const options = { program: join(folder, 'main.js'), flags, environment };
    const { cpuSeconds } = await starts(scene, options);
    const stack = await scene.start(options);
    const { pid } = stack.process.child;
    const ready = anonymousMiB(pid);
    let peak = ready;
    const reading = setInterval(() => {
      peak = Math.max(peak, anonymousMiB(pid));
    }, betweenReadingsMs);
    await bindAtOnce(scene, stack, { prefix: 'image', count, spec: { classRef } }).finally(() =>
      clearInterval(reading),
    );
    await deleteClaims(scene);
    await stack.end();
    const limit = count <= 1_000 ? { limit: budgets.imageMiB } : {};
    return [
      figure('image: process CPU until the first write of a reconcile', cpuSeconds, 's', {
        limit: budgets.imageStartSeconds,
      }),
      figure('image: anonymous memory when ready', ready, 'MiB'),
      { name: `image: peak of anonymous memory, ${count} claims`, value: peak, unit: 'MiB', ...limit },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
