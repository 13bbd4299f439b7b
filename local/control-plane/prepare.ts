/** Gets the control plane's binaries and nothing else: run before the tests, so that none of them waits for it. */
import { controlPlaneBinaries } from './binaries.ts';
import { textProgress } from './progress.ts';

const progress = textProgress();
try {
  const { directory, source } = await controlPlaneBinaries({ progress });
  progress.note(`binaries in ${directory} (${source})`);
  // A download given up for being late may still hold the process.
  process.exit(0);
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
