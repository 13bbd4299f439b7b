import { fromEvent } from 'rxjs';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { realClock } from '../runtime/time/clock.ts';
import { runTrace } from './command.ts';

/** Runs `trace` in this process and sets its exit code. */
export async function runTraceHere(argv: readonly string[], stacks: readonly DefinedStack[]): Promise<void> {
  process.exitCode = await runTrace(argv, {
    stacks,
    clock: realClock(),
    stdout: process.stdout,
    stderr: process.stderr,
    stop$: fromEvent(process, 'SIGINT'),
  });
}
