/** `npm run trace -- <kind> <name> [-n <namespace>]`: why an object can or cannot be used. */

import { runTraceHere } from '../trace/run-here.ts';
import { allStacks } from './stacks.ts';

await runTraceHere(process.argv.slice(2), allStacks);
