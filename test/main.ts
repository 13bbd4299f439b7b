/**
 * `node test/main.ts [unit]` runs all tests, or only the unit tests. To load the modules costs more than most unit tests
 * do. So unit tests share a few processes.
 *
 * All temporary files are in one folder, in memory if possible. `TMPDIR` chooses another place.
 */
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as Spec } from 'node:test/reporters';
import { memoryFolder } from './memory-folder.ts';
import type { TestProcess } from './processes.ts';
import { entryText, root, testFiles, testProcesses } from './processes.ts';

const { TMPDIR, TMP, TEMP } = process.env;
const parent = (TMPDIR || TMP || TEMP ? undefined : memoryFolder()) ?? tmpdir();
const folder = await mkdtemp(join(parent, 'services-stack-tests-'));
// PostgreSQL may run as another user.
await chmod(folder, 0o755);
process.env.TMPDIR = folder;
// The servers of the tests end soon, so they may collect garbage less often.
process.env.GOGC ??= '400';

const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
process.once('exit', remove);
const stopping = new AbortController();
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => {
    stopping.abort(); // ends the processes of the tests
    process.exit(128 + number);
  });
}

/** The file to run. */
async function entryOf({ name, files }: TestProcess): Promise<string> {
  const entry = join(folder, `${name.replaceAll('/', '-')}.mjs`);
  await writeFile(entry, entryText(files));
  return entry;
}

const processes = testProcesses(testFiles(process.argv.includes('unit') ? 'unit' : 'all'));
const files = await Promise.all(processes.map(entryOf));
// One more than cores, because a process often waits for its servers. More than four were never tried.
const concurrency = Math.min(availableParallelism() + 1, 4);
const results = run({ files, cwd: root, concurrency, signal: stopping.signal });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
await pipeline(results, new Spec(), process.stdout);
