import { play } from './play.ts';
import type { Pace, Scenario } from './scenario.ts';

/** Whether a scenario still breaks the promise it is about. */
export type StillFails = (scenario: Scenario) => Promise<boolean>;

/** Everything at once, so that each remaining time in a trace matters. */
export const brisk: Pace = {
  requestMs: 1,
  watchMs: 1,
  outsideMs: 1,
  provisioningMs: 0,
  deletionMs: 0,
  readDelayMs: 0,
};

/**
 * The smallest scenario found that still fails. Steps, faults and objects are removed, in large parts first
 * (Zeller's ddmin), and delays are removed. `most` bounds how many scenarios are tried. A scenario that does
 * not fail is returned unchanged.
 */
export async function shrink(scenario: Scenario, stillFails: StillFails, most = 400): Promise<Scenario> {
  let left = most;
  let best = scenario;

  async function attempt(change: (current: Scenario) => Scenario): Promise<boolean> {
    if (left <= 0) return false;
    left -= 1;
    const candidate = change(best);
    if (!(await stillFails(candidate))) return false;
    best = candidate;
    return true;
  }

  async function without<T>(
    items: readonly T[],
    replace: (current: Scenario, items: readonly T[]) => Scenario,
  ): Promise<void> {
    let remaining = items;
    for (let size = Math.ceil(remaining.length / 2); size > 0 && remaining.length > 0; ) {
      let hasShrunk = false;
      for (let from = 0; from < remaining.length; ) {
        const fewer = [...remaining.slice(0, from), ...remaining.slice(from + size)];
        if (await attempt((current) => replace(current, fewer))) {
          remaining = fewer;
          hasShrunk = true;
        } else {
          from += size;
        }
      }
      if (size === 1 && !hasShrunk) return;
      size = size === 1 ? 1 : Math.ceil(size / 2);
    }
  }

  const { fired } = await play(scenario);
  if (!(await attempt((current) => ({ ...current, faults: fired })))) return scenario;
  await without(scenario.steps, (current, steps) => ({ ...current, steps }));
  await without(scenario.reactions ?? [], (current, reactions) => ({ ...current, reactions }));
  await without(fired, (current, faults) => ({ ...current, faults }));
  await without(scenario.objects, (current, objects) => ({ ...current, objects }));
  await attempt((current) => ({ ...current, collectsGarbage: false }));
  for (const name of Object.keys(brisk) as (keyof Pace)[]) {
    await attempt((current) => ({ ...current, pace: { ...current.pace, [name]: brisk[name] } }));
  }
  await without(best.steps, (current, steps) => ({ ...current, steps }));
  return best;
}

/** That a scenario breaks the promise of a name. */
export const breaks =
  (invariant: string): StillFails =>
  async (scenario) => {
    const { violations } = await play(scenario);
    return violations.some((violation) => violation.invariant === invariant);
  };
