import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../../tools/bundle.ts';
import { budgets } from '../budgets.ts';
import { deleteClaims } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { anonymousMiB } from '../process-usage.ts';
import type { Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { bindAtOnce } from './at-once.ts';

/** The default stacks, and the one of the claims. */
const stacks = ['--stacks', 'postgresql,aws,gcp,fcp'];
/** Of the image. Its compile cache needs the user of the image. */
const environment = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1' };
const betweenReadingsMs = 50;

/** The memory of the bundle that the image runs: anonymous memory, because processes share the pages of Node. */
export async function imageMemory(scene: Scene, count: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'services-stack-bench-image-'));
  try {
    await bundle(folder);
    const stack = await scene.start({ program: join(folder, 'main.js'), flags: stacks, environment });
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
      figure('image: anonymous memory when ready', ready, 'MiB'),
      { name: `image: peak of anonymous memory, ${count} claims`, value: peak, unit: 'MiB', ...limit },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
