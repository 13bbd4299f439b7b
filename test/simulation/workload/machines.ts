import { guardFieldsOf } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { claimKinds, classKinds, managedKinds, providerKinds } from '../../fakes/defined-kinds.ts';
import type { Act } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { usualSystems } from './inventory.ts';

const usualClouds = ['favourite', 'other'];

/** Those of claims and secrets more often than others. */
const usuallyWatched = [
  ...[claimKinds, [SecretKind], managedKinds, claimKinds, [SecretKind], classKinds, providerKinds].flat(),
  StoreConfigKind,
].map(({ kind }) => kind);

const hourMs = 3_600_000;

/** Where machines do harm. */
interface Targets {
  /** Kinds whose watches fail alone. */
  readonly watched: readonly string[];
  /** External systems that may be unreachable. */
  readonly systems: readonly string[];
  /** Clouds whose resources are changed or lost. */
  readonly clouds: readonly string[];
}

/** The process dies, is stopped; watches and connections fail; clocks are set; others change the clouds. */
export function machines(
  draft: Draft,
  { watched, systems, clouds }: Targets = {
    watched: usuallyWatched,
    systems: usualSystems,
    clouds: usualClouds,
  },
): void {
  const acts: readonly (readonly [number, () => Act])[] = [
    [0.3, () => ({ type: 'crash', downMs: draft.chance('down') * 20_000 })],
    [0.15, () => ({ type: 'terminate', downMs: draft.chance('down 2') * 5_000 })],
    [
      0.3,
      () => ({
        type: 'freeze',
        nth: Math.floor(draft.chance('frozen') * 2),
        forMs: draft.chance('freeze for') * 40_000,
      }),
    ],
    [0.2, () => ({ type: 'compact' })],
    [0.2, () => ({ type: 'end watches' })],
    [
      0.2,
      () => ({
        type: 'hold watches',
        kind: draft.pick(watched, 'hold'),
        forMs: draft.chance('hold for') * 40_000,
      }),
    ],
    [0.1, () => ({ type: 'hold watches', forMs: draft.chance('hold all') * 20_000 })],
    [
      0.1,
      () => ({
        type: 'silence watches',
        kind: draft.pick(watched, 'silence'),
      }),
    ],
    [0.15, () => ({ type: 'api outage', forMs: draft.chance('api') * 30_000 })],
    [
      0.15,
      () => ({
        type: 'outage',
        system: draft.pick(systems, 'system'),
        forMs: draft.chance('out') * 60_000,
      }),
    ],
    [0.1, () => ({ type: 'set wall clock', byMs: Math.round(draft.between(-24, 24, 'wall') * hourMs) })],
    [
      0.15,
      () => ({
        type: 'drift',
        system: draft.pick(clouds, 'drifted'),
        nth: Math.floor(draft.chance('nth') * 5),
        level: 77,
      }),
    ],
    [
      0.1,
      () => ({
        type: 'lose',
        system: draft.pick(clouds, 'lost'),
        nth: Math.floor(draft.chance('nth 2') * 5),
      }),
    ],
    [0.05, () => olderDefinition(draft)],
  ];
  for (const [index, [share, act]] of acts.entries()) {
    if (draft.has(share, 'machine', index)) draft.at(draft.chance('machine at', index), act());
  }
}

function olderDefinition(draft: Draft): Act {
  const kind = draft.pick([...claimKinds, ...classKinds, ...managedKinds], 'kind');
  const field = draft.pick(guardFieldsOf(kind), 'field');
  return { type: 'older definition', kind: kind.kind, field, forMs: draft.chance('older for') * 60_000 };
}
