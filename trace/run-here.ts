import { fromEvent } from 'rxjs';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { realClock } from '../runtime/time/clock.ts';
import { exitCodes, runTrace } from './command.ts';

/** Runs `trace` in this process and sets its exit code. Without a reader there is no answer. */
export async function runTraceHere(argv: readonly string[], stacks: readonly DefinedStack[]): Promise<void> {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.stderr.write(`cannot write the answer: ${message}\n`);
    process.exit(exitCodes.nothingFound);
  });
  process.exitCode = await runTrace(argv, {
    stacks,
    clock: realClock(),
    stdout: process.stdout,
    stderr: process.stderr,
    stop$: fromEvent(process, 'SIGINT'),
  });
}
