/** `npm run trace -- <kind> <name> [-n <namespace>]`: why something can be used, or cannot. */
import { fromEvent } from 'rxjs';
import { stacks } from '../controllers/stacks.ts';
import { realClock } from '../runtime/time/clock.ts';
import { runTrace } from './command.ts';

const [, , ...words] = process.argv;
process.exitCode = await runTrace(words, {
  stacks,
  clock: realClock(),
  stdout: process.stdout,
  stderr: process.stderr,
  stop$: fromEvent(process, 'SIGINT'),
});
