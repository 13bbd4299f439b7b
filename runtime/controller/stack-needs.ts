import type { InformerState } from '../cache/informer-state.ts';

/** What brings definitions. */
export const installAdvice = 'run "kubectl apply -f crds/", or start with --install-crds';

/** What a stack waits for: its controllers run together or not at all. Kinds by their keys. */
export interface StackNeeds {
  readonly name: string;
  /** Kinds that must be complete in their stores. */
  readonly own: readonly string[];
  /** Kinds of other stacks that it reads: complete, or known not to be there. */
  readonly others: readonly string[];
}

/** How a stack fares. */
export interface StackState {
  readonly name: string;
  /** Its controllers may run. Once they do, they go on. */
  readonly isComplete: boolean;
  /** Kinds of its own of which the API server says that they are not there. */
  readonly missing: readonly string[];
  /** The other kinds that it waits for. */
  readonly awaited: readonly string[];
}

/** How a stack fares by the states of the informers; a kind without one is not awaited. */
export function stackState(
  { name, own, others }: StackNeeds,
  states: readonly Pick<InformerState, 'kind' | 'isSynced' | 'isMissing'>[],
): StackState {
  const byKind = new Map(states.map((state) => [state.kind, state]));
  const lacks = (kind: string): boolean => byKind.get(kind)?.isSynced === false;
  const isMissing = (kind: string): boolean => byKind.get(kind)?.isMissing === true;
  const lacking = [...own.filter(lacks), ...others.filter((kind) => lacks(kind) && !isMissing(kind))];
  return {
    name,
    isComplete: lacking.length === 0,
    missing: own.filter(isMissing).toSorted(),
    awaited: lacking.filter((kind) => !isMissing(kind)).toSorted(),
  };
}

/** How the stacks of these controllers fare, each once. */
export function stackStates(
  controllers: readonly { readonly stack?: StackNeeds }[],
  states: readonly Pick<InformerState, 'kind' | 'isSynced' | 'isMissing'>[],
): readonly StackState[] {
  const needs = new Set(controllers.flatMap(({ stack }) => (stack === undefined ? [] : [stack])));
  return [...needs].map((each) => stackState(each, states));
}
