/** Plays the seeds that its parent sends, one after the other, and answers with how each ended. */
import { generate } from './generate.ts';
import { play } from './play.ts';
import type { SeedReport, SeedTask } from './play-seeds.ts';

// Stacks of errors are not read here, and collecting them takes a twentieth of the time; a seed that fails
// is played again.
Error.stackTraceLimit = 0;

process.on('message', async ({ seed, world }: SeedTask) => {
  const { violations, figures } = await play(generate(seed, world));
  process.send?.({ seed, violations, figures, memoryBytes: process.memoryUsage().rss } satisfies SeedReport);
});
