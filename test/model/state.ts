import { hash } from 'node:crypto';
import type { Act, Controllers, Decision, View } from './decision.ts';
import type { AnyObject, Claim, Key, Objects, Resource } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  isResourceKey,
  nameOf,
  objectOf,
  resourceKey,
  resourceSecretKey,
} from './objects.ts';
import type { Scenario } from './scenario.ts';

/** The space that is explored. */
export interface World {
  readonly scenario: Scenario;
  readonly controllers: Controllers;
  /** By `viewTextOf`, then by controller and its run: the decisions. Most states have a view that was seen before. */
  readonly decisions: Map<string, Map<string, Decision>>;
}

/** A watch that stopped. */
interface StoppedWatch {
  /** The version that the process sees. Undefined: none. */
  readonly object?: AnyObject | undefined;
  /** There is a newer version. */
  readonly changed: boolean;
  /** The process sees the newest version until it restarts. */
  readonly afterRestart: boolean;
}

export type ByKey<T> = Readonly<Record<string, T>>;

/** A state that a move changes. The values of its fields are never changed, only replaced. */
export interface Draft {
  /** The objects of the API server, by key. */
  objects: Objects;
  /** The external system: the password of each database, by the name of the resource. */
  external: ByKey<string>;
  /** The parameter with which each database was created, by the name of the resource. It never changes. */
  parameters: ByKey<number>;
  /** The databases that the external system does not show yet, by the name of the resource. */
  hidden: ByKey<true>;
  /** By controller: the decision that is not carried out yet. */
  pending: ByKey<Act>;
  /** By controller of a managed resource: the password that its run has set and not yet recorded. */
  memory: ByKey<string>;
  /** By key. */
  watches: ByKey<StoppedWatch>;
  /** A call of a former leader that is still under way. */
  formerLeader: Act | null;
  backup: Objects | null;
  hasObstacle: boolean;
  /** Time passes only as an act. */
  clock: number;
  /** How often the namespace was created. */
  namespaces: number;
  /** The resources that were Bound, so that their databases have the data of a team. */
  data: ByKey<true>;
  /** Before an administrator edited it. */
  previousPassword: string;
  actsLeft: number;
  actsDone: readonly string[];
  /** The numbers of the newest UID and of the newest password. */
  uids: number;
  passwords: number;
  /** By claim: all passwords that the Secret of the claim ever held. */
  knows: ByKey<readonly string[]>;
}

export type State = Readonly<Draft>;

export const emptyState = ({ claims, obstacle }: Scenario): Draft => ({
  objects: {},
  external: {},
  parameters: {},
  hidden: {},
  pending: {},
  memory: {},
  watches: {},
  formerLeader: null,
  backup: null,
  hasObstacle: obstacle !== undefined && !obstacle.isLate,
  clock: 0,
  namespaces: 1,
  data: {},
  previousPassword: '',
  actsLeft: 0,
  actsDone: [],
  uids: 100,
  passwords: 500,
  knows: Object.fromEntries(Object.keys(claims).map((claim) => [claim, []])),
});

export function withEntry<T>(entries: ByKey<T>, key: string, value: T): ByKey<T> {
  return { ...entries, [key]: value };
}

export function without<T>(entries: ByKey<T>, key: string): ByKey<T> {
  if (!(key in entries)) return entries;
  const { [key]: _, ...others } = entries;
  return others;
}

export function newUID(draft: Draft): string {
  draft.uids += 1;
  return `u${draft.uids}`;
}

export function newPassword(draft: Draft): string {
  draft.passwords += 1;
  return `p${draft.passwords}`;
}

export const resourcesOf = ({ objects }: State): Resource[] =>
  Object.keys(objects)
    .filter(isResourceKey)
    .map((key) => objects[key] as Resource);

/** The process sees an old version of this object. */
export function isOutdated({ watches }: State, key: string): boolean {
  const watch = watches[key];
  return watch?.changed === true && !watch.afterRestart;
}

/** The names of the existing resources, and of deleted resources that the process still sees. */
export function resourceNames(state: State): string[] {
  const names = new Set(resourcesOf(state).map(({ name }) => name));
  for (const key in state.watches)
    if (isResourceKey(key) && state.watches[key]?.object) names.add(nameOf(key));
  return [...names].sort();
}

/** The owning claim, if it exists with the UID in `claimRef`. */
export function ownerOf({ objects }: State, { claimRef }: Resource): Claim | undefined {
  const claim = claimRef?.uid ? objectOf(objects, claimKey(claimRef.claim)) : undefined;
  return claim?.uid === claimRef?.uid ? claim : undefined;
}

/** Whether the claim of the resource uses it: the claim is not being deleted, or is protected. */
export function hasLivingOwner(state: State, resource: Resource): boolean {
  const owner = ownerOf(state, resource);
  return owner !== undefined && (!owner.deleting || owner.isProtected === true);
}

/** The process sees the stopped version of an object, except for the keys that it reads from the API server. */
export function viewOf(
  state: State,
  { claims, obstacle, retention }: Scenario,
  readKeys: readonly Key[] = [],
): View {
  const { objects, watches } = state;
  const visible = Object.keys(watches).length === 0 ? objects : visibleObjects(state, readKeys);
  return {
    claim: (name) => objectOf(visible, claimKey(name)),
    claimSecret: (claim) => objectOf(visible, claimSecretKey(claim)),
    resource: (name) => objectOf(visible, resourceKey(name)),
    resources: () => resourceNames(state).flatMap((name) => objectOf(visible, resourceKey(name)) ?? []),
    resourceSecret: (resource) => objectOf(visible, resourceSecretKey(resource)),
    policyOfClass: (claim) => claims[claim]?.class,
    retention,
    clock: state.clock,
    namespaceUid: namespaceUid(state),
    obstacleOf: (key) => (state.hasObstacle && obstacle?.of === key ? obstacle.name : undefined),
  };
}

/** A namespace that is created again has another UID. */
export const namespaceUid = ({ namespaces }: State): string => `namespace ${namespaces}`;

function visibleObjects({ objects, watches }: State, readKeys: readonly string[]): Objects {
  const visible = { ...objects };
  for (const [key, { object, afterRestart }] of Object.entries(watches)) {
    if (afterRestart || readKeys.includes(key)) continue;
    if (object) visible[key] = object;
    else delete visible[key];
  }
  return visible;
}

/** Two states that differ only in the numbers of UIDs and passwords have the same fingerprint. */
export function fingerprintOf(state: State): string {
  const renamed = new Map<string, string>();
  const rename = (id: string): string => {
    let name = renamed.get(id);
    if (name === undefined) {
      name = `${id[0]}${renamed.size}`;
      renamed.set(id, name);
    }
    return name;
  };
  const text = textOf(state).replace(/\b[up]\d{3}\b/g, rename);
  const known = Object.entries(state.knows).map(([claim, passwords]) => {
    const names = passwords.flatMap((password) => renamed.get(password) ?? []);
    return claim + names.sort().join();
  });
  return hash('sha1', text + known.join(''), 'base64');
}

/** States with the same text show the same objects to the process. */
export const viewTextOf = ({ objects, watches, hasObstacle, clock, namespaces }: State): string =>
  `${entriesTextOf(objects)}|${entriesTextOf(watches)}|${clock} ${namespaces}${hasObstacle ? '|obstacle' : ''}`;

const textOf = (state: State): string =>
  [
    entriesTextOf(state.objects),
    inOrder(state.external, String),
    inOrder(state.parameters, String),
    inOrder(state.hidden, String),
    inOrder(state.pending, ({ call }) => jsonOf(call)),
    inOrder(state.memory, String),
    entriesTextOf(state.watches),
    state.formerLeader && jsonOf(state.formerLeader.call),
    state.backup && jsonOf(state.backup),
    state.hasObstacle,
    state.clock,
    state.namespaces,
    inOrder(state.data, String),
    state.previousPassword,
    state.actsLeft,
    state.actsDone,
  ].join('|');

function inOrder<T>(entries: ByKey<T>, textOfValue: (value: T) => string): string {
  let text = '';
  for (const key of Object.keys(entries).sort()) text += `${key}=${textOfValue(entries[key] as T)};`;
  return text;
}

/** Values are never changed, so the text of each is made once. */
function once(makeText: (value: object) => string): (value: object) => string {
  const texts = new WeakMap<object, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = makeText(value);
    texts.set(value, text);
    return text;
  };
}

const jsonOf = once((value) => JSON.stringify(value));
const entriesTextOf = once((entries) => inOrder(entries as ByKey<object>, jsonOf));
