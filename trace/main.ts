/** `npm run trace -- <kind> <name> [-n <namespace>]`: why something can be used, or cannot. */
import { stacks } from '../app/stacks.ts';
import { runTraceHere } from './run-here.ts';

await runTraceHere(process.argv.slice(2), stacks);
