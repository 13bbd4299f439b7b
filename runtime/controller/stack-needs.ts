import type { InformerState } from '../cache/informer-state.ts';

/** The commands that install the definitions. */
export const installAdvice = 'run "kubectl apply -f crds/", or start with --install-crds';

/** The kinds that a stack needs before it works. Kinds are named by their keys. */
export interface StackNeeds {
  readonly name: string;
  /** The stack's own kinds: they must be listed completely. */
  readonly own: readonly string[];
  /** Kinds of other stacks that it reads: listed completely, or known to be missing. */
  readonly others: readonly string[];
}

/** The stacks that a controller works for. It runs once one of them is complete. */
export interface ControllerNeeds {
  readonly stacks: readonly StackNeeds[];
  /**
   * Whether it also waits until every kind of every stack is listed or known to be missing: it decides for all of them,
   * and an object that it does not see yet would change the decision.
   */
  readonly awaitsAll?: true;
}

/** The state of a stack. */
export interface StackState {
  readonly name: string;
  /** It may work: its own kinds are listed, and it waits for no other kind. */
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

/** Whether a controller may start. */
export function mayStart(
  { stacks, awaitsAll }: ControllerNeeds,
  states: readonly Pick<InformerState, 'kind' | 'isSynced' | 'isMissing'>[],
): boolean {
  const allStates = stacks.map((each) => stackState(each, states));
  const isAwaiting = awaitsAll === true && allStates.some(({ awaited }) => awaited.length > 0);
  return !isAwaiting && allStates.some(({ isComplete }) => isComplete);
}

/** The states of the stacks of these controllers, each once. */
export function stackStates(
  controllers: readonly { readonly needs?: ControllerNeeds }[],
  states: readonly Pick<InformerState, 'kind' | 'isSynced' | 'isMissing'>[],
): readonly StackState[] {
  const stacks = new Set(controllers.flatMap(({ needs }) => needs?.stacks ?? []));
  return [...stacks].map((each) => stackState(each, states));
}
