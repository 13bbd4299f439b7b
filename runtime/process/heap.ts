import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/*
 * Keeps the process small, and yet has V8 collect garbage seldom: import it first.
 *
 *   young generation   8 MiB for each of its halves: V8 begins with 1, and grows to 64 in a burst
 *   old generation     a fifth more than is alive, where V8 allows up to as much again
 *
 * V8 takes the size of the young generation from its command line only, and `node main.ts` must do without flags. While
 * it runs, one can say by how much it grows when it next does. docs/decisions/0005-memory.md has the figures.
 */

/** MiB of each half of the young generation. */
const half = 8;

setFlagsFromString('--heap-growing-percent=20');
growAtOnce();
// V8 takes of it back while little happens. Only one half may be there to be measured.
new PerformanceObserver(() => growBy(youngMiB() < half ? 2 : 1)).observe({ type: 'gc' });

/** Makes objects that stay until V8 finds the young generation too small for them: two or three MiB, a few milliseconds. */
function growAtOnce(): void {
  growBy(half);
  const alive: number[][] = [];
  while (youngMiB() < half && alive.length < 20_000) {
    for (let count = 0; count < 1000; count += 1) alive.push(new Array<number>(16).fill(count));
  }
  growBy(1);
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** What is there of both halves. */
function youngMiB(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
