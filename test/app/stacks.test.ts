import { join } from 'node:path';
import { stacks } from '../../app/stacks.ts';
import { describeStacks } from '../../testing/describe-stacks.ts';

describeStacks(stacks, { manifests: join(import.meta.dirname, '..', '..', 'examples') });
