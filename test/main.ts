/**
 * `node test/main.ts [unit]` runs all tests, or only the unit tests. To load the modules costs more than most unit tests
 * do. So unit tests share a few processes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as Spec } from 'node:test/reporters';
import { memoryFolder } from './memory-folder.ts';
import type { TestProcess } from './processes.ts';
import { entryText, root, testFiles, testProcesses } from './processes.ts';

// For this process and those that it starts.
process.env.TMPDIR ??= memoryFolder() ?? tmpdir();
const folder = await mkdtemp(join(tmpdir(), 'services-stack-tests-'));

/** The file to run. */
async function entryOf({ name, files }: TestProcess): Promise<string> {
  const entry = join(folder, `${name.replaceAll('/', '-')}.mjs`);
  await writeFile(entry, entryText(files));
  return entry;
}

try {
  const processes = testProcesses(testFiles(process.argv.includes('unit') ? 'unit' : 'all'));
  const files = await Promise.all(processes.map(entryOf));
  const results = run({ files, cwd: root, concurrency: 4 });
  results.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  });
  await pipeline(results, new Spec(), process.stdout);
} finally {
  await rm(folder, { recursive: true, force: true });
}
