/**
 * A model checker. From a start, it explores every order of the calls of the controllers, of watches that continue, of
 * the garbage collector, and of at most `maxActs` acts of people and faults. It explores breadth first, so a trace is a
 * shortest one. From every state, the system is also left alone under one fair schedule: it must come to rest in a
 * correct state.
 */
import { actMoves, makeDatabase, newClaim, newResource } from './acts.ts';
import { write } from './api-server.ts';
import { checkRest } from './at-rest.ts';
import type { Controllers } from './decision.ts';
import type { Invariant } from './invariants.ts';
import { checkState, checkStep, Violation } from './invariants.ts';
import type { Move } from './moves.ts';
import { systemMoves } from './moves.ts';
import { claimKey, resourceKey } from './objects.ts';
import type { Scenario } from './scenario.ts';
import type { State, World } from './state.ts';
import { emptyState, fingerprintOf } from './state.ts';

export interface Exploration {
  /** `limit`: there are more states than were to be explored. */
  readonly verdict: 'holds' | 'fails' | 'limit';
  readonly states: number;
  readonly violation?: {
    readonly invariant: Invariant;
    readonly why: string;
    readonly trace: readonly string[];
  };
}

/** A move on the way from the start, for a trace. */
interface Entry {
  readonly id: string | undefined;
  readonly decides: boolean | undefined;
  readonly text: string;
}

/** How a state was reached first. */
interface Node {
  readonly index: number;
  readonly parent?: Node;
  readonly entry?: Entry;
}

/** After so many moves without a rest, the system never comes to rest. */
const mostMovesToRest = 400;

export function explore(
  scenario: Scenario,
  controllers: Controllers,
  mostStates = Number.POSITIVE_INFINITY,
): Exploration {
  const search = new Search({ scenario, controllers, decisions: new Map() }, mostStates);
  try {
    return { verdict: search.run() ? 'holds' : 'limit', states: search.states };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const { invariant, message: why } = error;
    return { verdict: 'fails', states: search.states, violation: { invariant, why, trace: search.trace() } };
  }
}

class Search {
  readonly #world: World;
  readonly #mostStates: number;
  /** The fingerprints of all states that were found. */
  readonly #seen = new Set<string>();
  /** The fingerprints of states from which the system came to rest in a correct state. */
  readonly #good = new Set<string>();
  /** The state that is explored. */
  #node: Node = { index: 0 };
  /** The moves from there. */
  #tail: Move[] = [];

  constructor(world: World, mostStates: number) {
    this.#world = world;
    this.#mostStates = mostStates;
  }

  get states(): number {
    return this.#seen.size;
  }

  /** False: there are more states. Throws a Violation. */
  run(): boolean {
    const first = this.#start();
    this.#seen.add(fingerprintOf(first));
    let frontier: (readonly [State, Node])[] = [[first, this.#node]];
    while (frontier.length > 0) {
      const found: (readonly [State, Node])[] = [];
      for (const [state, node] of frontier) {
        this.#node = node;
        this.#exploreFrom(state, found);
        if (this.#seen.size > this.#mostStates) return false;
      }
      frontier = found;
    }
    return true;
  }

  /** The moves to the state that violates an invariant. */
  trace(): readonly string[] {
    const entries = this.#tail.map(entryOf);
    for (let { entry, parent } = this.#node; entry && parent; { entry, parent } = parent)
      entries.unshift(entry);
    // A decision is shown only if its call does not follow at once.
    return entries
      .filter(({ decides, id }, at) => !decides || id !== entries[at + 1]?.id)
      .map(({ text }) => text);
  }

  #start(): State {
    const { scenario } = this.#world;
    const draft = emptyState(scenario);
    for (const each of scenario.resources ?? []) {
      const resource = newResource(draft, each);
      write(draft, resourceKey(each.name), scenario.isHeld ? { ...resource, isHeld: true } : resource);
      if (each.database) makeDatabase(draft, each, resource.uid);
    }
    for (const claim of scenario.start) write(draft, claimKey(claim), newClaim(draft, scenario, claim));
    const start = scenario.startSettled ? this.#settle(draft, fingerprintOf(draft)) : draft;
    this.#good.clear(); // the acts were not counted yet
    return { ...start, actsLeft: scenario.maxActs };
  }

  #exploreFrom(state: State, found: (readonly [State, Node])[]): void {
    const node = this.#node;
    const moves = systemMoves(state, this.#world);
    const chosen = chooseFrom(moves, node.index);
    let afterChosen: readonly [State, string] | undefined;
    for (const move of [...moves, ...actMoves(state, this.#world)]) {
      this.#tail = [move];
      const next = this.#next(state, move);
      const fingerprint = fingerprintOf(next);
      if (move === chosen) afterChosen = [next, fingerprint];
      if (this.#seen.has(fingerprint)) continue;
      this.#seen.add(fingerprint);
      found.push([next, { index: this.#seen.size - 1, parent: node, entry: entryOf(move) }]);
    }
    this.#tail = chosen ? [chosen, { text: () => '(from here on, no more acts)', apply: () => {} }] : [];
    if (afterChosen) this.#settle(...afterChosen);
    else checkRest(state, this.#world);
  }

  #next(state: State, move: Move): State {
    const draft = { ...state };
    move.apply(draft);
    checkStep(state, draft);
    checkState(draft);
    return draft;
  }

  /** One fair schedule until nothing moves, or until a state from which the rest is known to be correct. */
  #settle(from: State, fingerprintOfFrom: string): State {
    const path: string[] = [];
    let state = from;
    let fingerprint = fingerprintOfFrom;
    for (let at = 0; !this.#good.has(fingerprint); at += 1) {
      if (at === mostMovesToRest) {
        this.#tail.length = 40;
        throw new Violation('ComesToRest', 'the system never comes to rest');
      }
      path.push(fingerprint);
      const move = chooseFrom(systemMoves(state, this.#world), at);
      if (!move) {
        checkRest(state, this.#world);
        break;
      }
      this.#tail.push(move);
      state = this.#next(state, move);
      fingerprint = fingerprintOf(state);
    }
    for (const fingerprint of path) this.#good.add(fingerprint);
    return state;
  }
}

const chooseFrom = (moves: readonly Move[], at: number): Move | undefined =>
  moves.find(({ urgent }) => urgent) ?? moves[at % moves.length];

const entryOf = ({ id, decides, text }: Move): Entry => ({ id, decides, text: text() });
