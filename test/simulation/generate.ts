import type { Chance } from './chance.ts';
import { chanceOf } from './chance.ts';
import type { FaultRates, Scenario } from './scenario.ts';
import { awsAndGcp } from './workload/aws-and-gcp.ts';
import type { Draft } from './workload/draft.ts';
import { createDraft } from './workload/draft.ts';
import { hostile } from './workload/hostile.ts';
import { inventory } from './workload/inventory.ts';
import { isCloseCall, themesOf } from './workload/themes.ts';

const minuteMs = 60_000;

/**
 * The world of a seed: the demo's clouds and PostgreSQL; the same among users and clouds that do harm; or AWS and Google
 * Cloud, whose official clients take several times as long.
 */
export const worldNames = ['demo', 'hostile', 'clouds'] as const;
export type WorldName = (typeof worldNames)[number];

/** Makes a scenario from a seed: the actions of users and machines, their times, and the faults. */
export function generate(seed: number, world: WorldName = 'demo'): Scenario {
  const chance = chanceOf(seed);
  const pick = <T>(from: readonly T[], ...name: readonly (string | number)[]): T =>
    from[Math.floor(chance('pick', ...name) * from.length)] as T;
  const troubleMs = pick([1, 2, 5], 'trouble') * minuteMs;
  const draft = createDraft(seed, chance, troubleMs);
  if (world === 'clouds') {
    awsAndGcp(draft.by('clouds'));
  } else if (world === 'hostile') {
    hostile(draft.by('hostile'));
  } else {
    draft.have(...inventory);
    for (const { name, write } of themesOf(draft)) write(draft.by(name));
  }
  return {
    seed,
    pace: {
      requestMs: pick([1, 10, 10, 100, 1000], 'requestMs'),
      watchMs: pick([1, 10, 10, 100, 1000, 5000], 'watchMs'),
      outsideMs: pick([1, 50, 50, 500], 'outsideMs'),
      provisioningMs: pick([0, 0, 2000, 30_000], 'provisioningMs'),
      deletionMs: pick([0, 0, 2000, 20_000], 'deletionMs'),
      readDelayMs: pick([0, 0, 500, 3000], 'readDelayMs'),
    },
    objects: draft.objects,
    steps: draft.steps.toSorted((a, b) => a.atMs - b.atMs),
    ...(world === 'hostile' && { isLoose: chance('is loose') < 0.4 }),
    ...(draft.reactions.length > 0 && { reactions: draft.reactions }),
    troubleMs,
    ...(world === 'clouds' && { stacks: ['aws', 'gcp'] as const }),
    ...faultsIn(world, draft),
    collectsGarbage: chance('gc') < 0.7,
    ...(chance('replicas') < 0.2 && { replicas: 2 }),
  };
}

function faultsIn(world: WorldName, draft: Draft): Pick<Scenario, 'faults' | 'areWritesAlone'> {
  const { chance } = draft;
  if (world === 'hostile') return { faults: { ...ratesOf(chance), ...garbledRateOf(draft) } };
  return isCloseCall(draft)
    ? { faults: focusedRatesOf(chance), areWritesAlone: true }
    : { faults: ratesOf(chance) };
}

/** Answers of clouds, in some scenarios. */
const garbledRateOf = (draft: Draft): FaultRates =>
  draft.has(0.4, 'has', 'garbled') ? { garbled: 0.3 * draft.chance('rate', 'garbled') } : {};

const faultTypes = ['refused', 'page', 'unreachable', 'answer lost', 'twice', 'slow', 'crash'] as const;

/** Some types of faults, and not the others: where everything fails, little is tried. */
const ratesOf = (chance: Chance): FaultRates => drawnRates(chance, { share: 0.35, crash: 0.02, other: 0.1 });

/** One type of faults or two, often, so that what comes between two writes is met. */
const focusedRatesOf = (chance: Chance): FaultRates =>
  drawnRates(chance, { share: 0.25, crash: 0.15, other: 0.3 });

function drawnRates(chance: Chance, most: Readonly<Record<'share' | 'crash' | 'other', number>>): FaultRates {
  const chosen = faultTypes.filter((type) => chance('has', type) < most.share);
  return Object.fromEntries(
    chosen.map((type) => [type, (type === 'crash' ? most.crash : most.other) * chance('rate', type)]),
  );
}
