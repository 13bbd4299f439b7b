import { guardFieldsOf } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { claimKinds, classKinds, managedKinds, providerKinds } from '../../fakes/defined-kinds.ts';
import type { Act } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { usualSystems } from './inventory.ts';

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

const usualTargets: Targets = {
  watched: usuallyWatched,
  systems: usualSystems,
  clouds: ['favourite', 'other'],
};

/** The process dies, is stopped; watches and connections fail; clocks are set; others change the clouds. */
export function machines(draft: Draft, { watched, systems, clouds }: Targets = usualTargets): void {
  const upTo = (ms: number, name: string): number => draft.chance(name) * ms;
  const nthOf = (count: number, name: string): number => Math.floor(draft.chance(name) * count);
  const held = (): Act => {
    const kind = draft.pick(watched, 'hold');
    return { type: 'hold watches', kind, forMs: upTo(40_000, 'hold for') };
  };
  const outage = (): Act => {
    const system = draft.pick(systems, 'system');
    return { type: 'outage', system, forMs: upTo(60_000, 'out') };
  };
  const drift = (): Act => {
    const system = draft.pick(clouds, 'drifted');
    return { type: 'drift', system, nth: nthOf(5, 'nth'), level: 77 };
  };
  const acts: readonly (readonly [number, () => Act])[] = [
    [0.3, () => ({ type: 'crash', downMs: upTo(20_000, 'down') })],
    [0.15, () => ({ type: 'terminate', downMs: upTo(5_000, 'down 2') })],
    [0.3, () => ({ type: 'freeze', nth: nthOf(2, 'frozen'), forMs: upTo(40_000, 'freeze for') })],
    [0.2, () => ({ type: 'compact' })],
    [0.2, () => ({ type: 'end watches' })],
    [0.2, held],
    [0.1, () => ({ type: 'hold watches', forMs: upTo(20_000, 'hold all') })],
    [0.1, () => ({ type: 'silence watches', kind: draft.pick(watched, 'silence') })],
    [0.15, () => ({ type: 'api outage', forMs: upTo(30_000, 'api') })],
    [0.15, outage],
    [0.1, () => ({ type: 'set wall clock', byMs: Math.round(draft.between(-24, 24, 'wall') * hourMs) })],
    [0.15, drift],
    [0.1, () => ({ type: 'lose', system: draft.pick(clouds, 'lost'), nth: nthOf(5, 'nth 2') })],
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
