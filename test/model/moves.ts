/** The moves of the system itself: controllers, watches that continue, and the garbage collector. */
import pick from 'lodash/pick.js';
import { carryOut, deleteObject, edit, managedId, write } from './api-server.ts';
import type { Act, Decision, Run, View } from './decision.ts';
import { Violation } from './invariants.ts';
import type { AnyObject, Key } from './objects.ts';
import {
  isClaimKey,
  isClaimSecretKey,
  isResourceKey,
  isResourceSecretKey,
  nameOf,
  objectOf,
  resourceKey,
} from './objects.ts';
import type { Draft, State, World } from './state.ts';
import { isOutdated, resourceNames, viewOf, viewTextOf, withEntry, without } from './state.ts';

export interface Move {
  /** The controller. */
  readonly id?: string;
  /** The controller decides; its call is carried out by a later move. */
  readonly decides?: boolean;
  /** When the system is left alone, this move comes before others. */
  readonly urgent?: boolean;
  text(): string;
  apply(draft: Draft): void;
}

interface Controller {
  readonly id: string;
  /** The inputs of its decision besides the view. */
  readonly run?: Run;
  decide(see: View): Decision;
}

/**
 * A controller decides in one move, and its call is carried out in a later one. Anything may happen between the two: a
 * crash, another write, a deletion.
 */
export function systemMoves(state: State, world: World): Move[] {
  return [
    ...controllerMoves(state, world),
    ...formerLeaderMoves(state, world),
    ...watchMoves(state),
    ...showMoves(state),
    ...(world.scenario.hasNoGarbageCollector ? [] : garbageCollectorMoves(state)),
  ];
}

function controllerMoves(state: State, world: World): Move[] {
  const moves: Move[] = [];
  const controllers = controllersOf(state, world);
  const decide = decisionsOf(state, world);
  for (const controller of controllers) {
    const { id } = controller;
    const pending = state.pending[id];
    const decision = pending ?? decide(controller);
    if (pending) moves.push(carryOutMove(id, pending, world));
    else if (decision.call) moves.push(decideMove(id, decision));
  }
  for (const [id, pending] of Object.entries(state.pending)) {
    // The resource of this controller was deleted.
    if (!controllers.some((controller) => controller.id === id)) moves.push(carryOutMove(id, pending, world));
  }
  return moves;
}

const decideMove = (id: string, act: Act): Move => ({
  id,
  decides: true,
  text: () => `${id} decides: ${describe(act)}`,
  apply(draft) {
    draft.pending = withEntry(draft.pending, id, act);
  },
});

const carryOutMove = (id: string, act: Act, world: World): Move => ({
  id,
  text: () => `${id}: ${describe(act)}`,
  apply(draft) {
    draft.pending = without(draft.pending, id);
    carryOut(draft, act.call, id, world);
  },
});

function controllersOf(state: State, { scenario, controllers }: World): Controller[] {
  const { bindClaim, propagateSecret, reconcileManaged, releaseOrphan } = controllers;
  const claimControllers = (claim: string): Controller[] => [
    { id: `binding of claim ${claim}`, decide: (see) => bindClaim(see, claim) },
    { id: `Secret propagation of claim ${claim}`, decide: (see) => propagateSecret(see, claim) },
  ];
  const resourceControllers = (name: string): Controller[] => {
    const id = managedId(name);
    const run = runOf(state, name);
    return [
      { id, run, decide: (see) => reconcileManaged(see, name, run) },
      { id: `orphan check of resource ${name}`, decide: (see) => releaseOrphan(see, name) },
    ];
  };
  return [
    ...Object.keys(scenario.claims).flatMap(claimControllers),
    ...resourceNames(state).flatMap(resourceControllers),
  ];
}

/** The facts from outside the cluster for a run of a managed resource. */
export const runOf = ({ external, parameters, hidden, memory }: State, name: string): Run => ({
  exists: external[name] !== undefined && !hidden[name],
  parameter: parameters[name],
  applied: memory[managedId(name)],
});

/** A controller that sees the same objects again decides the same again. */
function decisionsOf(state: State, world: World): (controller: Controller) => Decision {
  const text = viewTextOf(state);
  const known = world.decisions.get(text) ?? new Map<string, Decision>();
  world.decisions.set(text, known);
  return (controller) => {
    const { id, run } = controller;
    const key = run ? `${id} ${run.exists} ${run.parameter} ${run.applied}` : id;
    const decision = known.get(key) ?? decisionOf(state, controller, world);
    known.set(key, decision);
    return decision;
  };
}

/** A controller decides again with what it read from the API server, until it has read all that it wants to read. */
function decisionOf(state: State, { decide }: Controller, { scenario }: World): Decision {
  let read: readonly Key[] = [];
  const decideWith = (keys?: readonly Key[]): Decision =>
    deciding(() => decide(viewOf(state, scenario, keys)));
  let decision = decideWith();
  const isUnread = (key: Key): boolean => !read.includes(key) && isOutdated(state, key);
  for (let round = 0; round < 4 && decision.call && decision.readFirst.some(isUnread); round += 1) {
    read = [...read, ...decision.readFirst];
    decision = decideWith(read);
  }
  const { call } = decision;
  const isConflict =
    call && 'versioned' in call && call.versioned && isOutdated(state, call.key) && !read.includes(call.key);
  return isConflict ? { name: 'Conflict' } : decision; // a 409 is certain
}

/** A decision that throws is a bug of the product. */
function deciding(decide: () => Decision): Decision {
  try {
    return decide();
  } catch (error) {
    throw new Violation(
      'DecisionIsMade',
      `a decision throws: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function formerLeaderMoves({ formerLeader }: State, world: World): Move[] {
  if (!formerLeader) return [];
  const apply = (draft: Draft): void => {
    draft.formerLeader = null;
    carryOut(draft, formerLeader.call, undefined, world);
  };
  const text = (): string => `the former leader's call is carried out: ${describe(formerLeader)}`;
  return [{ urgent: true, text, apply }];
}

const watchMoves = (state: State): Move[] =>
  Object.keys(state.watches)
    .filter((key) => isOutdated(state, key))
    .map((key) => ({
      urgent: true,
      text: () => `the watch of ${key} continues`,
      apply(draft) {
        draft.watches = without(draft.watches, key);
      },
    }));

const showMoves = ({ hidden }: State): Move[] =>
  Object.keys(hidden).map((name) => ({
    urgent: true,
    text: () => `the external system shows the database of ${name}`,
    apply(draft) {
      draft.hidden = without(draft.hidden, name);
    },
  }));

/** A Secret or a claim whose owner does not exist is deleted. */
const garbageCollectorMoves = (state: State): Move[] => [
  ...collectedSecrets(state),
  ...collectedClaims(state),
];

function collectedClaims(state: State): Move[] {
  return Object.entries(state.objects).flatMap(([key, object]) => {
    if (!('ownerExists' in object) || object.ownerExists || object.deleting) return [];
    const resource = objectOf(state.objects, resourceKey(object.resourceRef));
    const isCollected = resource !== undefined && resource.claimRef?.uid !== object.uid;
    return {
      text: () => `the garbage collector deletes ${key}`,
      apply(draft) {
        if (isCollected) edit(draft, key, { isCollected });
        deleteObject(draft, key);
      },
    };
  });
}

function collectedSecrets({ objects }: State): Move[] {
  const isOrphan = (key: string, object: AnyObject): boolean => {
    if (!('owner' in object) || !object.owner) return false;
    const isOwnerKind = isClaimSecretKey(key) ? isClaimKey : isResourceKey;
    return !Object.entries(objects).some(
      ([other, owner]) => isOwnerKind(other) && 'uid' in owner && owner.uid === object.owner,
    );
  };
  return Object.entries(objects)
    .filter(([key, object]) => isOrphan(key, object))
    .map(([key]) => ({
      text: () => `the garbage collector deletes ${key}`,
      apply: (draft) => write(draft, key, undefined),
    }));
}

/** A decision, for a trace. */
export function describe({ name, call }: Act): string {
  const target = 'key' in call ? describeKey(call.key) : call.name;
  const details = Object.entries(fieldsOf(call)).map(([field, value]) => `${field}: ${describeValue(value)}`);
  return `${name} ${target}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}

function describeKey(key: Key): string {
  if (isClaimSecretKey(key)) return `in the Secret of claim ${nameOf(key)}`;
  return `${isResourceSecretKey(key) ? 'in the Secret of ' : ''}${nameOf(key)}`;
}

function fieldsOf(call: Act['call']): object {
  if (call.verb === 'patch') return call.set;
  if (call.verb !== 'create') return 'password' in call ? pick(call, ['password', 'parameter']) : {};
  const { object } = call;
  if (!('owner' in object)) return {};
  return { password: object.password, ...('for' in object && { for: object.for }) };
}

function describeValue(value: unknown): unknown {
  if (value === '' || value === null) return 'none';
  if (typeof value !== 'object' || !('claim' in value) || !('uid' in value)) return value;
  return `${value.claim}/${value.uid || 'no uid'}`;
}
