import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/*
 * Keeps the process small without frequent garbage collection. Import it first.
 *
 *   young generation   8 MiB for each of its halves: V8 starts with 1, and grows to 64 in a burst
 *   old generation     a fifth more than the live objects: V8 allows up to as much again
 *
 * V8 reads the size of the young generation from its command line only, and `node main.ts` must work without flags. While
 * it runs, only the factor of the next growth can be set. docs/decisions/0005-memory.md has the figures.
 */

/** MiB of each half of the young generation. */
const half = 8;
/** The factor by which V8 enlarges it. */
const byDefault = 2;
/**
 * The modules of Node.js that a start needs. Node.js has compiled them, but V8 uses the result only while all its flags have
 * their default values.
 */
const modulesOfNode = 'assert child_process crypto dns http2 https perf_hooks tls worker_threads zlib'.split(
  ' ',
);

growAtOnce();
for (const name of modulesOfNode) process.getBuiltinModule(name);
setFlagsFromString('--heap-growing-percent=20');
growBy(1);
// V8 shrinks it again while little happens. At a measurement only one half may be allocated.
new PerformanceObserver(() => growBy(youngMiB() < half ? 2 : 1)).observe({ type: 'gc' });

/** Creates live objects until V8 enlarges the young generation: two or three MiB, a few milliseconds. */
function growAtOnce(): void {
  growBy(half);
  const alive: number[][] = [];
  while (youngMiB() < half && alive.length < 20_000) {
    for (let count = 0; count < 1000; count += 1) alive.push(new Array<number>(16).fill(count));
  }
  growBy(byDefault);
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** The allocated size of both halves, in MiB. */
function youngMiB(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
