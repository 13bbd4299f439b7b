import memoize from 'lodash/memoize.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { hasOwnEffect } from '../doors.ts';
import type { Violation } from '../invariant.ts';
import { allInvariants } from '../invariants.ts';
import { claimKinds } from '../kinds.ts';
import { play } from '../play.ts';
import type { Act, CallFault, Reaction, Scenario } from '../scenario.ts';
import type { World } from '../world.ts';
import type { EndState } from './end-state.ts';
import { endDifferences, endState, ownerRecord } from './end-state.ts';
import type { Reference } from './examples.ts';

/** Crash points; answers that are lost, refused or late; stale reads; states that are never seen. */
export const pointKinds = ['crash', 'answer', 'stale', 'unseen'] as const;

type PointKind = (typeof pointKinds)[number];

/** One thing that goes wrong in an otherwise quiet run. */
export interface Point {
  readonly kind: PointKind;
  /** The faults and their places, for readers. */
  readonly name: string;
  readonly scenario: Scenario;
}

/** A reference, everything that can go wrong in it, and how it ends. */
export interface RecordedReference extends Reference {
  readonly points: readonly Point[];
  readonly end: EndState;
  /**
   * How it ends where claims chose so among the classes that their selectors match: it is played once more, and the
   * classes that were chosen instead come late.
   */
  endWith(choices: Choices): Promise<EndState>;
}

/** The class that provisioned each claim: `FavouriteDBInstanceClass favourite-small`, by the claim's name. */
type Choices = Readonly<Record<string, string>>;

/** Plays a reference. Throws if it breaks a promise by itself. */
export async function record(reference: Reference): Promise<RecordedReference> {
  const { world, end } = await playWell(reference.name, reference.scenario);
  const usual = choicesIn(world);
  const endWithout = memoize(
    async (classes: readonly string[]): Promise<EndState> => {
      const played = await playWell(`${reference.name}, late: ${classes}`, late(reference.scenario, classes));
      return played.end;
    },
    (classes) => String(classes.toSorted()),
  );
  return {
    ...reference,
    points: pointsOf(reference, world.history),
    end,
    endWith(choices) {
      const avoided = Object.entries(usual).flatMap(([claim, chosen]) =>
        choices[claim] === undefined || choices[claim] === chosen ? [] : [chosen],
      );
      return avoided.length === 0 ? Promise.resolve(end) : endWithout(avoided);
    },
  };
}

/** Plays a run without faults. Throws if it breaks a promise. */
async function playWell(name: string, scenario: Scenario) {
  const played = await playToEnd(scenario);
  if (played.violations.length === 0) return played;
  throw new Error(`${name}, unperturbed: ${played.violations.map(reported).join('; ')}`);
}

const choicesIn = ({ cluster }: World): Choices =>
  Object.fromEntries(
    claimKinds
      .flatMap((kind) => cluster.all(kind) as readonly Claim[])
      .flatMap(({ kind, metadata, spec: { classRef } }) =>
        classRef === undefined
          ? []
          : [[`${kind} ${objectKeyText(metadata)}`, `${classRef.kind} ${classRef.name}`]],
      ),
  );

/** After every claim has chosen. */
const lateMs = 60_000;

/** The same run, in which these are created late. */
const late = (scenario: Scenario, names: readonly string[]): Scenario => ({
  ...scenario,
  steps: scenario.steps.map(({ atMs, act }) => {
    const isLate = act.type === 'create' && names.includes(`${act.object.kind} ${act.object.metadata.name}`);
    return { atMs: isLate ? atMs + lateMs : atMs, act };
  }),
});

/** Plays a run in which something goes wrong. Answers what was broken, and where its end is not the reference's. */
export async function violationsOf(
  { scenario }: Point,
  { endWith }: RecordedReference,
): Promise<readonly string[]> {
  const { violations, world, end } = await playToEnd(scenario);
  return [...violations.map(reported), ...endDifferences(await endWith(choicesIn(world)), end)];
}

async function playToEnd(scenario: Scenario) {
  const owners = ownerRecord();
  const outcome = await play(scenario, { invariants: [...allInvariants, () => owners] });
  return { ...outcome, end: endState(outcome.world, owners) };
}

const reported = ({ invariant, what }: Violation): string => `${invariant}: ${what}`;

/** The faults that a request may have. */
const answers: readonly CallFault[] = [
  ...(['answer lost', 'twice', 'unreachable'] as const).map((type) => ({ type })),
  ...([200, 404] as const).map((code) => ({ type: 'page' as const, code })),
  ...([409, 429, 500, 503, 504] as const).map((code) => ({ type: 'refused' as const, code })),
  // The answer and the request come so late that the caller does not wait any more.
  { type: 'slow', thereMs: 0, backMs: 40_000 },
  { type: 'slow', thereMs: 40_000, backMs: 0 },
];

const crashes: readonly CallFault[] = [0, 10_000].flatMap((downMs) => [
  { type: 'crash' as const, when: 'before' as const, downMs },
  { type: 'crash' as const, when: 'after' as const, downMs },
]);

/** How watches are held up, of one kind or of all, from a change on. */
const staleness = (kind: string | undefined): readonly (readonly Act[])[] => {
  const of = kind === undefined ? {} : { kind };
  const held = (forMs: number): Act => ({ type: 'hold watches', ...of, forMs });
  const restart: Act = { type: 'crash', downMs: 0 };
  return [
    [held(2_000)],
    [held(60_000)],
    [{ type: 'hold watches until a write', ...of, forMs: 60_000 }],
    [restart, held(2_000)],
    [restart, held(60_000)],
  ];
};

/** Every single thing that can go wrong in the part of a reference that is perturbed. */
function pointsOf({ scenario, fromMs }: Reference, history: World['history']): readonly Point[] {
  const isIn = ({ atMs }: { readonly atMs: number }): boolean => atMs >= fromMs && atMs <= scenario.troubleMs;
  const withFault = (kind: PointKind, call: string, fault: CallFault): Point => ({
    kind,
    name: `${JSON.stringify(fault)} at ${call}`,
    scenario: { ...scenario, faults: [{ call, fault }] },
  });
  const withReactions = (kind: PointKind, what: string, atChange: number, acts: readonly Act[]): Point => ({
    kind,
    name: `${JSON.stringify(acts)} at change ${atChange}, of ${what}`,
    scenario: { ...scenario, reactions: acts.map((act): Reaction => ({ atChange, act })) },
  });
  const requests = history.requests.filter(isIn).filter(({ name }) => !/^p\d+ watch /.test(name));
  const withFaults = (kind: PointKind, faults: readonly CallFault[]): readonly Point[] =>
    requests.flatMap((request) =>
      faults
        .filter((fault) => hasOwnEffect(fault, request))
        .map((fault) => withFault(kind, request.name, fault)),
    );
  const changes = history.changed
    .map(({ key, ...each }, index) => ({
      ...each,
      number: index + 1,
      what: `${each.kind} ${objectKeyText(key)}`,
    }))
    .filter(isIn);
  return [
    ...withFaults('crash', crashes),
    ...withFaults('answer', answers),
    ...changes.flatMap(({ kind, number, what }) =>
      [...staleness(kind), ...staleness(undefined)].map((acts) => withReactions('stale', what, number, acts)),
    ),
    ...changes.flatMap(({ kind, number, what }) =>
      [1, 2, 5].map((count) =>
        withReactions('unseen', what, number, [{ type: 'miss changes', kind, count, forMs: 60_000 }]),
      ),
    ),
  ];
}
