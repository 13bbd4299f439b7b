/**
 * `npm run perturb [-- flags]`: plays each example as it is, and then again with every single thing that can go wrong,
 * one a run; prints where a promise was broken or the end is another. Ends with 0 only if that is nowhere, with 2 for a
 * wrong flag.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import chunk from 'lodash/chunk.js';
import { BadFlag, fileFlag, numberFlag, wordFlag } from '../../../local/flags.ts';
import { parsedOrExit, readCommandLine } from '../../../local/read-command-line.ts';
import { exampleNames, referencesOf } from './examples.ts';
import { playPoints } from './play-points.ts';
import type { RecordedReference } from './points.ts';
import { pointKinds, record } from './points.ts';

const usage = `flags:
  --example NAME     one of ${exampleNames.join(', ')} (all)
  --points KIND      one of ${pointKinds.join(', ')} (all)
  --part K/N         the Kth of N parts of the points, so that they can be tried one after the other (1/1)
  --jobs N           runs at a time (the number of cores)
  --save FOLDER      writes down the scenario of each point that breaks something`;

/** So much is said of one point. */
const mostTold = 5;
/** So many points are handed to a process at once. */
const atOnce = 20;
const betweenTellingMs = 60_000;

const print = (...lines: readonly string[]): void => {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
};

/** Whether a task is in a part, by its number. Throws BadFlag. */
function partFlag(flag: string, text: string): (number: number) => boolean {
  const [part = 0, count = 0] = /^\d+\/\d+$/.test(text) ? text.split('/').map(Number) : [];
  if (part < 1 || part > count) throw new BadFlag(`${flag}: ${JSON.stringify(text)} is no part as 1/2`);
  return (number) => number % count === part - 1;
}

const { examples, kinds, isInPart, jobs, save } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        example: { type: 'string' },
        points: { type: 'string' },
        part: { type: 'string', default: '1/1' },
        jobs: { type: 'string', default: String(availableParallelism()) },
        save: { type: 'string' },
      },
    },
    read: ({ values }) => ({
      examples:
        values.example === undefined ? exampleNames : [wordFlag('--example', values.example, exampleNames)],
      kinds: values.points === undefined ? pointKinds : [wordFlag('--points', values.points, pointKinds)],
      isInPart: partFlag('--part', values.part),
      jobs: numberFlag('--jobs', values.jobs, { min: 1 }),
      save: values.save === undefined ? undefined : fileFlag('--save', values.save, 'folder'),
    }),
  }),
);
const startedMs = performance.now();
const references = new Map<string, RecordedReference>();
const all = [];
for (const example of examples) {
  for (const reference of referencesOf(example)) {
    const recorded = await record(reference);
    const { name, points } = recorded;
    references.set(name, recorded);
    const numbers = [...points.keys()].filter((number) => kinds.includes(points[number]!.kind));
    all.push(...chunk(numbers, atOnce).map((some) => ({ example, name, numbers: some })));
    const counts = kinds.map((kind) => `${points.filter((point) => point.kind === kind).length} ${kind}`);
    print(`${name}: points: ${counts.join(', ')}`);
  }
}

const tasks = all.filter((_, number) => isInPart(number));
const runs = tasks.reduce((sum, { numbers }) => sum + numbers.length, 0);
let violations = 0;
let saved = 0;
let ended = 0;
let reportedMs = startedMs;
await playPoints(jobs, tasks, ({ name, played, broken }) => {
  ended += played;
  for (const { number, violations: found } of broken) {
    violations += found.length;
    const point = references.get(name)!.points[number]!;
    print('', `${name}: ${point.name}`, ...found.slice(0, mostTold).map((what) => `  ${what}`));
    if (found.length > mostTold) print(`  and ${found.length - mostTold} more`);
    if (save === undefined) continue;
    saved += 1;
    const file = join(save, `point-${saved}.json`);
    mkdirSync(save, { recursive: true });
    writeFileSync(file, `${JSON.stringify(point.scenario, null, 2)}\n`);
    print(`  npm run simulate -- --scenario ${file}`);
  }
  if (performance.now() - reportedMs < betweenTellingMs) return;
  reportedMs = performance.now();
  print(`${ended} of ${runs} runs, ${violations} violations so far`);
});
print(
  '',
  `${ended} runs in ${Math.round((performance.now() - startedMs) / 1000)} s, ${violations} violations`,
);
process.exit(violations === 0 ? 0 : 1);
