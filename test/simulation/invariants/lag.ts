import { isListed } from '../faults.ts';
import type { Scenario } from '../scenario.ts';

/**
 * How long after something was so a process may say that it is: a few requests and a look outside after the watch has told
 * it, and where connections fail, as long as that may go unnoticed.
 */
export function lagMs({ pace, steps, faults }: Scenario): number {
  const isTroubled =
    steps.some(({ act }) => act.type.includes('watches') || act.type.includes('outage')) ||
    isListed(faults) ||
    Object.keys(faults).some((type) => type !== 'refused' && type !== 'twice' && type !== 'crash');
  const { watchMs, requestMs, outsideMs, readDelayMs } = pace;
  return 1_000 + 2 * watchMs + 10 * requestMs + 6 * outsideMs + readDelayMs + (isTroubled ? 240_000 : 0);
}

/** For how long a process stands still at most; what it says when it goes on was so before. */
export const stillMs = ({ steps }: Scenario): number =>
  Math.max(0, ...steps.map(({ act }) => (act.type === 'freeze' ? act.forMs : 0)));

/** When whoever stood still at a moment can see what happened then, without {@link lagMs}. */
export const seenMs = (atMs: number, { steps }: Scenario): number =>
  Math.max(
    atMs,
    ...steps.map((step) =>
      step.act.type === 'freeze' && step.atMs <= atMs ? step.atMs + step.act.forMs : 0,
    ),
  );
