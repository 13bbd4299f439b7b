import { join } from 'node:path';
import { allStacks } from '../../app/stacks.ts';
import { describeStacks } from '../../testing/describe-stacks.ts';

describeStacks(allStacks, { manifests: join(import.meta.dirname, '..', '..', 'examples') });
