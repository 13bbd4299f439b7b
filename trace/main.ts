/** `npm run trace -- <kind> <name> [-n <namespace>]`: why an object can or cannot be used. */
import { allStacks } from '../app/stacks.ts';
import { runTraceHere } from './run-here.ts';

await runTraceHere(process.argv.slice(2), allStacks);
