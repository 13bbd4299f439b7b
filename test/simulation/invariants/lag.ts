import { isListed } from '../faults.ts';
import type { Scenario } from '../scenario.ts';

/** How long a process without faults may take to know a change: the watch, and a few requests. */
const listedMs = ({ pace: { watchMs, requestMs } }: Scenario): number => 1_000 + 2 * watchMs + 10 * requestMs;

/**
 * How long a process may report a state after its end. It needs a few requests and an external observation
 * after the watch reported the change. If connections fail, add the time in which that may not be noticed.
 */
export function lagMs(scenario: Scenario): number {
  const { pace, steps, faults } = scenario;
  const isTroubled =
    steps.some(({ act }) => /watches|outage|definition/.test(act.type)) ||
    isListed(faults) ||
    Object.keys(faults).some((type) => type !== 'refused' && type !== 'twice' && type !== 'crash');
  const { outsideMs, readDelayMs } = pace;
  return listedMs(scenario) + 6 * outsideMs + readDelayMs + (isTroubled ? 240_000 : 0);
}

/** For how long a process stands still at most; what it says when it goes on was so before. */
export const stillMs = ({ steps }: Scenario): number =>
  Math.max(0, ...steps.map(({ act }) => (act.type === 'freeze' ? act.forMs : 0)));

/** Yields when every process that lives knows what happened at a moment, though it stood still then. */
export function knowing(scenario: Scenario): (atMs: number) => number {
  const lag = lagMs(scenario);
  return (atMs) => {
    const thaws = scenario.steps.map(({ act, ...step }) =>
      act.type === 'freeze' && step.atMs <= atMs ? step.atMs + act.forMs : 0,
    );
    return Math.max(atMs, ...thaws) + lag;
  };
}
