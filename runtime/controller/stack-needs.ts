import type { InformerState } from '../cache/informer-state.ts';

/** The commands that install the definitions. */
export const installAdvice = 'run "kubectl apply -f crds/", or start with --install-crds';

/** The kinds that a stack needs; its controllers run together or not at all. Kinds are named by their keys. */
export interface StackNeeds {
  readonly name: string;
  /** The stack's own kinds: they must be listed completely. */
  readonly own: readonly string[];
  /** Kinds of other stacks that it reads: listed completely, or known to be missing. */
  readonly others: readonly string[];
}

/** The state of a stack. */
export interface StackState {
  readonly name: string;
  /** Its controllers may run. Running controllers continue when this becomes false. */
  readonly isComplete: boolean;
  /** Its own kinds that the API server does not have. */
  readonly missing: readonly string[];
  /** The other kinds that it waits for. */
  readonly awaited: readonly string[];
}

/** The state of a stack from the states of the informers. A kind without an informer is not awaited. */
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

/** The states of the stacks of these controllers, each once. */
export function stackStates(
  controllers: readonly { readonly stack?: StackNeeds }[],
  states: readonly Pick<InformerState, 'kind' | 'isSynced' | 'isMissing'>[],
): readonly StackState[] {
  const needs = new Set(controllers.flatMap(({ stack }) => (stack === undefined ? [] : [stack])));
  return [...needs].map((each) => stackState(each, states));
}
