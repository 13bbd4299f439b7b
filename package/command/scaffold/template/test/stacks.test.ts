import { join } from 'node:path';
import { describeStacks } from '../../../../testing.ts';
import { stacks } from '../src/stacks.ts';

describeStacks(stacks, { manifests: join(import.meta.dirname, '..', 'examples') });
