/** Plays the points that its parent sends, some at a time, and answers with what each broke. */
import { referencesOf } from './examples.ts';
import type { BrokenPoint, PointsReport, PointsTask } from './play-points.ts';
import type { RecordedReference } from './points.ts';
import { record, violationsOf } from './points.ts';

/** Each reference is played once in each process. */
const recorded = new Map<string, Promise<RecordedReference>>();

process.on('message', async ({ example, name, numbers }: PointsTask) => {
  const recording = recorded.get(name) ?? record(referencesOf(example).find((each) => each.name === name)!);
  recorded.set(name, recording);
  const reference = await recording;
  const broken: BrokenPoint[] = [];
  for (const number of numbers) {
    const violations = await violationsOf(reference.points[number]!, reference);
    if (violations.length > 0) broken.push({ number, violations });
  }
  process.send?.({
    name,
    played: numbers.length,
    broken,
    memoryBytes: process.memoryUsage().rss,
  } satisfies PointsReport);
});
