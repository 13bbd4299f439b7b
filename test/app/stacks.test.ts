import { join } from 'node:path';
import { test } from 'node:test';
import { allStacks } from '../../app/stacks.ts';
import { checkStacks } from '../../controllers/author/check-stacks.ts';
import { describeStacks } from '../../testing/describe-stacks.ts';

describeStacks(allStacks, { manifests: join(import.meta.dirname, '..', '..', 'examples') });

test('each choice of these stacks can run in one process, which does not check them', () => {
  // One stack has all that it refers to, and all together do not conflict: so this holds for each choice of them.
  for (const chosen of [allStacks, ...allStacks.map((stack) => [stack])]) checkStacks(chosen);
});
