/** Gets the binaries of the control plane, and what enforces rules on it: run before the tests, so that none waits for it. */
import { controlPlaneBinaries } from './binaries.ts';
import { prepareRules } from './definitions-server-binary.ts';
import { textProgress } from './progress.ts';

const progress = textProgress();
try {
  const binaries = await controlPlaneBinaries({ progress });
  progress.note(`binaries in ${binaries.directory} (${binaries.source})`);
  const rules = await prepareRules(binaries, { environment: process.env, progress });
  progress.note(`rules are enforced by ${rules.by}${rules.by === 'nobody' ? `: ${rules.reason}` : ''}`);
  // A download given up for being late may still hold the process.
  process.exit(0);
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
