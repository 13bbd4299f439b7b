import type { Clock } from '../time/clock.ts';

/**
 * Joins the lines of one turn of the event loop, and passes them on at its end, or when the process exits: one system call
 * instead of one for each line.
 */
export function linesOfATurn(
  write: (lines: string) => void,
  { nextTurn }: Pick<Clock, 'nextTurn'>,
): (line: string) => void {
  let lines = '';
  const pass = (): void => {
    const written = lines;
    lines = '';
    if (written !== '') write(written);
  };
  process.on('exit', pass); // guard: otherwise the last lines before an exit or a crash are lost
  return (line) => {
    if (lines === '') void nextTurn().then(pass);
    lines += line;
  };
}
