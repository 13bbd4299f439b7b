import type { LogLevel } from '../../runtime/log/log.ts';
import type { InvariantOf, Violation } from './invariant.ts';
import { allInvariants } from './invariants.ts';
import { haveOfficialClients } from './official-clients.ts';
import type { ListedFault, Scenario } from './scenario.ts';
import { usualStacks } from './scenario.ts';
import { World } from './world.ts';

/** How a scenario ended. */
export interface Outcome {
  readonly violations: readonly Violation[];
  /** The faults that happened: with them listed in place of rates the same happens again. */
  readonly fired: readonly ListedFault[];
  readonly trace: readonly string[];
  readonly log: readonly string[];
  readonly figures: World['figures'] & { readonly virtualMs: number };
  /** For what only a test of its own asks. */
  readonly world: World;
}

export interface PlayOptions {
  readonly invariants?: readonly InvariantOf[];
  readonly logLevel?: LogLevel;
}

const minuteMs = 60_000;
/** So long nothing must have been written for all to be at rest: longer than any retry waits. */
const restMs = 2.5 * minuteMs;
/** From the end of trouble until all is at rest, deletions of what provisions slowly included. */
const mostUntilRestMs = 30 * minuteMs;
/** More violations than this tell nothing new. */
const mostViolations = 20;

const atRest = 'once nothing changes any more, everything comes to rest';
const free = 'a restart writes nothing';

/** Plays a scenario from its first moment until all has come to rest, and judges it. The same scenario, the same outcome. */
export async function play(
  scenario: Scenario,
  { invariants = allInvariants, logLevel = 'info' }: PlayOptions = {},
): Promise<Outcome> {
  await haveOfficialClients(scenario.stacks ?? usualStacks);
  const world = new World(scenario, invariants, { logLevel });
  const { clock, countedWrites, figures } = world;
  const writes = (): number => countedWrites.count;
  const hasEnough = (): boolean => world.violations.length >= mostViolations;

  async function advance(ms: number): Promise<void> {
    try {
      await clock.advance(ms);
    } catch (error) {
      world.violate('time goes on', String(error));
    }
  }

  async function comeToRest(): Promise<void> {
    let quietMs = 0;
    for (let ms = 0; quietMs < restMs && !hasEnough(); ms += minuteMs / 2) {
      if (ms > mostUntilRestMs) {
        world.violate(atRest, 'there are writes without end');
        break;
      }
      const before = writes();
      await advance(minuteMs / 2);
      quietMs = writes() === before ? quietMs + minuteMs / 2 : 0;
    }
  }

  world.startMissing();
  const lastStepMs = Math.max(scenario.troubleMs, ...scenario.steps.map(({ atMs }) => atMs + 1));
  await advance(lastStepMs);
  world.endTrouble();

  await comeToRest();
  if (!hasEnough()) {
    await world.scrape();
    world.judge();
    // A kill while a creation is repeated would be one more crash.
    for (const process of world.processes) void process.terminate();
    await advance(minuteMs / 2);
    const before = writes();
    for (const process of world.processes) process.kill();
    world.startMissing();
    await advance(1.5 * minuteMs);
    if (writes() !== before) world.violate(free, `${writes() - before} writes`);
  }
  world.end();
  return {
    violations: world.violations,
    fired: world.fired,
    trace: world.trace.lines(),
    log: world.log,
    figures: { ...figures, virtualMs: Math.round(world.elapsedMs) },
    world,
  };
}
