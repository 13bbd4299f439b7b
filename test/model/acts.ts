/** Acts of people, and faults. At most `maxActs` of them happen. */
import { deleteObject, edit, isClaimRefProtected, write } from './api-server.ts';
import type { Move } from './moves.ts';
import { describe, systemMoves } from './moves.ts';
import type { AnyObject, Claim, ClaimRef, Key, Objects, Resource } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  isClaimKey,
  isClaimSecretKey,
  isResourceKey,
  isReturnable,
  objectOf,
  provisionedName,
  resourceKey,
  resourceSecretKey,
  resourceWith,
} from './objects.ts';
import type { ActKind, ByHand, Scenario } from './scenario.ts';
import type { Draft, State, World } from './state.ts';
import {
  namespaceUid,
  newPassword,
  newUID,
  resourceNames,
  resourcesOf,
  withEntry,
  without,
} from './state.ts';

interface Act {
  readonly kind: ActKind;
  readonly text: string;
  apply(draft: Draft): void;
}

/** False or undefined: it is not possible now. */
type PossibleAct = Act | false | undefined;

const act = (kind: ActKind, text: string, apply: (draft: Draft) => void): Act => ({ kind, text, apply });

export function actMoves(state: State, world: World): Move[] {
  const { scenario } = world;
  if (state.actsLeft === 0) return [];
  const possible = [
    ...Object.keys(scenario.claims).flatMap((claim) => claimActs(state, scenario, claim)),
    ...resourceNames(state).flatMap((name) => resourceActs(state, scenario, name)),
    ...(scenario.resources ?? []).map((resource) => recreation(state, resource)),
    ...faults(state, scenario),
    ...backupActs(state, world),
  ];
  return possible.flatMap((each) =>
    each && isAllowed(state, scenario, each) ? [counted(state, scenario, each)] : [],
  );
}

const isAllowed = ({ actsDone }: State, { acts, eachActOnce }: Scenario, { kind }: Act): boolean =>
  acts.includes(kind) && !(eachActOnce && actsDone.includes(kind));

const counted = (state: State, { eachActOnce }: Scenario, { kind, text, apply }: Act): Move => ({
  text: () => text,
  apply(draft) {
    draft.actsLeft -= 1;
    if (eachActOnce) draft.actsDone = [...state.actsDone, kind].sort();
    apply(draft);
  },
});

export const newClaim = (draft: Draft, scenario: Scenario, claim: string): Claim => ({
  uid: newUID(draft),
  deleting: false,
  finalizer: false,
  resourceRef: scenario.claims[claim]?.resourceRef ?? '',
  bound: false,
  ...(scenario.claimsHaveOwner && { ownerExists: true }),
  ...(scenario.isHeld && { isHeld: true }),
  ...(scenario.hasParameter && { parameter: 1 }),
  ...(scenario.isProtected && { isProtected: true }),
});

export const newResource = (draft: Draft, { name, policy, claimRef, given }: ByHand): Resource => ({
  ...resourceWith({
    name,
    uid: newUID(draft),
    finalizer: false,
    policy,
    provisioned: false,
    claimRef: claimRef ?? null,
  }),
  ...given,
});

/** A database that this process did not make. If another version kept its Secret, a team may know the password. */
export function makeDatabase(draft: Draft, { name, database }: ByHand, owner: string): void {
  const password = newPassword(draft);
  draft.external = withEntry(draft.external, name, password);
  if (database === 'exists') return;
  write(draft, resourceSecretKey(name), { owner, password, rotation: 0, for: '', isUnnoted: true });
}

function claimActs({ objects }: State, scenario: Scenario, name: string): PossibleAct[] {
  const { onlyDeletedClaims = [name], claims } = scenario;
  const key = claimKey(name);
  const claim = objectOf(objects, key);
  if (!claim) {
    const create = (draft: Draft): void => write(draft, key, newClaim(draft, scenario, name));
    return [
      act('createClaim', `a user creates claim ${name}`, create),
      ...copiedClaims(objects, scenario, name),
      ...claimSecretActs(objects, name),
    ];
  }
  const lives = !claim.deleting;
  return [
    lives &&
      onlyDeletedClaims.includes(name) &&
      act('deleteClaim', `a user deletes claim ${name}`, (draft) => deleteObject(draft, key)),
    lives &&
      claim.bound &&
      act('restoreClaimAlone', `an administrator restores claim ${name} alone, with a new UID`, (draft) =>
        edit(draft, key, { uid: newUID(draft), bound: false }),
      ),
    (claim.bound || (scenario.retention && claim.finalizer && claim.resourceRef === '')) &&
      act('stripFinalizer', `a user removes the finalizer of claim ${name} and deletes the claim`, (draft) =>
        write(draft, key, undefined),
      ),
    lives &&
      !claim.bound &&
      !claims[name]?.class &&
      act('editResourceRef', `a user edits resourceRef of claim ${name}`, (draft) =>
        edit(draft, key, {
          resourceRef: claim.resourceRef === 'm0' ? 'm1' : 'm0',
          ...(isBindingNow(draft, claim) && { isEditedLate: true }),
        }),
      ),
    lives &&
      act('editParameter', `a user edits the parameter of claim ${name}`, (draft) =>
        edit(draft, key, {
          parameter: claim.parameter === 1 ? 2 : 1,
          ...(claim.bound && { isEditedLate: true }),
        }),
      ),
    lives &&
      claim.resourceRef === '' &&
      !claim.startsEmpty &&
      act('startEmpty', `the author of claim ${name} wants no previous resource`, (draft) =>
        edit(draft, key, { startsEmpty: true }),
      ),
    lives &&
      !claim.wantsNoSecret &&
      act('wantNoSecret', `a user removes the name of the Secret from claim ${name}`, (draft) =>
        edit(draft, key, { wantsNoSecret: true }),
      ),
    claim.isProtected &&
      act('endProtection', `the author of claim ${name} ends its protection`, (draft) =>
        edit(draft, key, { isProtected: false }),
      ),
    release(key, claim),
    ...claimSecretActs(objects, name),
  ];
}

/** A copy of the claim from before its deletion names its resource. */
const copiedClaims = (objects: Objects, scenario: Scenario, name: string): PossibleAct[] =>
  Object.values(objects).flatMap((each) =>
    'claimRef' in each && each.claimRef?.claim === name
      ? act('createFromCopy', `a user creates claim ${name}, which names ${each.name}`, (draft) =>
          write(draft, claimKey(name), { ...newClaim(draft, scenario, name), resourceRef: each.name }),
        )
      : [],
  );

/** Whether a resource is Bound to the claim, or is about to be. */
const isBindingNow = ({ objects, pending }: Draft, claim: Claim): boolean =>
  Object.values(objects).some(
    (each) => 'phase' in each && each.phase === 'Bound' && each.claimRef?.uid === claim.uid,
  ) || Object.values(pending).some(({ name }) => name === 'Bind');

const release = (
  key: Key<'claim'> | Key<'resource'>,
  { isHeld, deleting, finalizer }: Claim | Resource,
): PossibleAct =>
  isHeld &&
  deleting &&
  act('letGo', `another controller removes its finalizer from ${key}`, (draft) =>
    finalizer ? edit(draft, key, { isHeld: false }) : write(draft, key, undefined),
  );

function claimSecretActs(objects: Objects, claim: string): PossibleAct[] {
  const key = claimSecretKey(claim);
  const secret = objectOf(objects, key);
  if (!secret) {
    const create = (draft: Draft): void => write(draft, key, { owner: '', password: '' });
    return [act('foreignSecret', `a user creates a Secret with the name of claim ${claim}'s Secret`, create)];
  }
  const remove = (draft: Draft): void => write(draft, key, undefined);
  return [
    act('editClaimSecret', `a user deletes the Secret of claim ${claim}`, remove),
    secret.password !== '' &&
      act('editClaimSecret', `a user edits the Secret of claim ${claim}`, (draft) =>
        edit(draft, key, { password: '' }),
      ),
    secret.owner === '' &&
      act('foreignSecret', `a user deletes the foreign Secret of claim ${claim}`, remove),
  ];
}

function resourceActs(state: State, scenario: Scenario, name: string): PossibleAct[] {
  const { objects, external } = state;
  const key = resourceKey(name);
  const resource = objectOf(objects, key);
  const living = resource?.deleting === false ? resource : undefined;
  return [
    living && act('deleteResource', `an administrator deletes ${name}`, (draft) => deleteObject(draft, key)),
    living?.phase === 'Bound' &&
      act('restoreResourceAlone', `an administrator restores ${name} alone, with a new UID`, (draft) =>
        edit(draft, key, { uid: newUID(draft) }),
      ),
    ...claimRefActs(scenario, living),
    external[name] !== undefined &&
      act('loseExternal', `someone deletes the database of ${name} in the external system`, (draft) => {
        draft.external = without(draft.external, name);
        draft.parameters = without(draft.parameters, name);
      }),
    living &&
      isReturnable(living) &&
      act('giveBack', `an administrator gives ${name} back`, (draft) =>
        edit(draft, key, { isGivenBackTo: namespaceUid(draft) }),
      ),
    living?.deleteAt !== undefined &&
      act('removeDate', `an administrator removes the date of ${name}`, (draft) =>
        edit(draft, key, { deleteAt: undefined }),
      ),
    living?.policy === 'Delete' &&
      act('retain', `an administrator changes the policy of ${name} to Retain`, (draft) =>
        edit(draft, key, { policy: 'Retain' }),
      ),
    living &&
      act('rotate', `an administrator requests a rotation of ${name}`, (draft) =>
        edit(draft, key, { rotation: living.rotation + 1 }),
      ),
    living?.restriction === undefined &&
      scenario.restriction !== undefined &&
      living &&
      act(
        'restrict',
        `an administrator restricts the policies of ${name} (${scenario.restriction})`,
        (draft) => edit(draft, key, { restriction: scenario.restriction }),
      ),
    living?.restriction !== undefined &&
      act('allow', `an administrator allows all changes of ${name}`, (draft) =>
        edit(draft, key, { restriction: undefined }),
      ),
    resource && release(key, resource),
    ...resourceSecretActs(state, name),
  ];
}

function claimRefActs({ claims }: Scenario, resource: Resource | undefined): PossibleAct[] {
  if (!resource?.claimRef || isClaimRefProtected(resource)) return [];
  const { name, claimRef } = resource;
  const set = (changed: ClaimRef | null) => (draft: Draft) =>
    edit(draft, resourceKey(name), { claimRef: changed });
  const reserved = Object.keys(claims).filter((claim) => claim !== claimRef.claim);
  return [
    act('removeClaimRef', `an administrator removes claimRef of ${name}`, set(null)),
    claimRef.uid !== '' &&
      act(
        'removeClaimRefUID',
        `an administrator removes claimRef.uid of ${name}`,
        set({ ...claimRef, uid: '' }),
      ),
    ...reserved.map((claim) =>
      act('reserve', `an administrator reserves ${name} for claim ${claim}`, set({ claim, uid: '' })),
    ),
  ];
}

function resourceSecretActs({ objects, external, previousPassword }: State, name: string): PossibleAct[] {
  const key = resourceSecretKey(name);
  const secret = objectOf(objects, key);
  if (!secret) {
    const password = external[name];
    const give = (draft: Draft): void =>
      write(draft, key, { owner: '', password: password ?? '', rotation: 0, for: '', isUnnoted: true });
    return [
      password !== undefined &&
        act('giveSecret', `a person writes the password of ${name} into its Secret`, give),
    ];
  }
  const setPassword = (isRefused: boolean) => (draft: Draft) => {
    draft.previousPassword = secret.password;
    edit(draft, key, { password: newPassword(draft), isRefused });
  };
  const edits = `an administrator edits the password of ${name}`;
  return [
    act('editSecret', `an administrator deletes the Secret of ${name}`, (draft) =>
      write(draft, key, undefined),
    ),
    !secret.isUnnoted &&
      act('stripNote', `a person removes the note from the Secret of ${name}`, (draft) =>
        edit(draft, key, { isUnnoted: true, isGiven: undefined, for: '', rotation: 0 }),
      ),
    act('editSecret', edits, setPassword(false)),
    act('editSecretRefused', `${edits} to one that the external system refuses`, setPassword(true)),
    previousPassword !== '' &&
      secret.password !== previousPassword &&
      act('undoEdit', `an administrator sets the previous password of ${name} again`, (draft) =>
        edit(draft, key, { password: previousPassword, isRefused: false }),
      ),
  ];
}

const recreation = ({ objects }: State, resource: ByHand): PossibleAct =>
  !objects[resourceKey(resource.name)] &&
  act('recreateResource', `an administrator creates ${resource.name} again`, (draft) =>
    write(draft, resourceKey(resource.name), newResource(draft, resource)),
  );

function faults(state: State, scenario: Scenario): PossibleAct[] {
  const { pending, memory, watches, formerLeader } = state;
  const stopped = Object.values(watches);
  const crashMatters =
    Object.keys(pending).length > 0 ||
    Object.keys(memory).length > 0 ||
    stopped.some((watch) => watch.afterRestart);
  const keys = watchedKeys(state, scenario);
  const stopAll = (afterRestart: boolean) => (draft: Draft) => {
    for (const key of keys) stopWatch(draft, key, afterRestart);
  };
  return [
    resourcesOf(state).some(({ deleteAt = 0 }) => deleteAt > state.clock) &&
      act('timePasses', 'the date passes', (draft) => {
        draft.clock += 1;
      }),
    !Object.keys(state.objects).some(isClaimKey) &&
      act('recreateNamespace', 'the namespace is deleted with its Secrets and created again', (draft) => {
        for (const key of Object.keys(draft.objects).filter(isClaimSecretKey)) write(draft, key, undefined);
        draft.namespaces += 1;
      }),
    crashMatters && act('crash', 'crash; a new process starts', restart),
    !state.hasObstacle &&
      act('addObstacle', `an obstacle (${scenario.obstacle?.name})`, (draft) => {
        draft.hasObstacle = true;
        const { of = '' } = scenario.obstacle ?? {};
        if (isResourceKey(of) && draft.objects[of]) edit(draft, of, {}); // it lies in the object
      }),
    state.hasObstacle &&
      act('removeObstacle', `an administrator removes the obstacle (${scenario.obstacle?.name})`, (draft) => {
        draft.hasObstacle = false;
      }),
    ...(formerLeader === null && scenario.acts.includes('failover') ? failovers(state) : []),
    ...keys
      .filter((key) => !watches[key])
      .map((key) => act('stopWatch', `the watch of ${key} stops`, (draft) => stopWatch(draft, key, false))),
    stopped.length === 0 && act('stopAllWatches', 'all watches stop', stopAll(false)),
    stopped.length === 0 &&
      act('staleAPIServer', 'an API server falls behind; the next process will list from it', stopAll(true)),
  ];
}

const failovers = ({ pending }: State): Act[] =>
  Object.entries(pending).map(([id, underWay]) =>
    act(
      'failover',
      `another process becomes the leader; under way: ${id}: ${describe(underWay)}`,
      (draft) => {
        draft.formerLeader = underWay;
        restart(draft);
      },
    ),
  );

function restart(draft: Draft): void {
  draft.pending = {};
  draft.memory = {};
  const watches = Object.entries(draft.watches);
  draft.watches = Object.fromEntries(watches.map(([key, watch]) => [key, { ...watch, afterRestart: false }]));
}

function stopWatch(draft: Draft, key: string, afterRestart: boolean): void {
  const watch = { object: draft.objects[key], changed: false, afterRestart };
  draft.watches = withEntry(draft.watches, key, watch);
}

/** The keys of existing objects, and of objects that may be created. */
function watchedKeys({ objects }: State, { claims }: Scenario): string[] {
  const keys = new Set(Object.keys(objects));
  for (const name of Object.keys(claims)) {
    keys.add(claimKey(name)).add(claimSecretKey(name));
    const claim = objectOf(objects, claimKey(name));
    if (!claim) continue;
    const resource = claim.resourceRef || provisionedName(claim);
    keys.add(resourceKey(resource)).add(resourceSecretKey(resource));
  }
  return [...keys];
}

function backupActs(state: State, world: World): PossibleAct[] {
  const { scenario } = world;
  const isQuiet = Object.keys(state.pending).length === 0 && state.formerLeader === null;
  if (!isQuiet) return [];
  const backup =
    state.backup === null &&
    act('backup', 'an administrator makes a backup', (draft) => {
      draft.backup = state.objects;
    });
  return [backup, ...(scenario.acts.includes('restore') ? restores(state, world) : [])];
}

/** Without the act `backup`, the backup was made just before the restore. */
function restores(state: State, world: World): Act[] {
  const { acts, claims, backupMayMissClaim } = world.scenario;
  if (state.backup === null && acts.includes('backup')) return [];
  if (systemMoves(state, world).length > 0) return [];
  return ['', ...(backupMayMissClaim ? Object.keys(claims) : [])].map((missing) =>
    act(
      'restore',
      `an administrator restores the backup${missing && `; it lacks claim ${missing}`}`,
      (draft) => restore(draft, state.backup ?? state.objects, world.scenario, missing),
    ),
  );
}

/** All UIDs are new. Most backups have no status. */
function restore(draft: Draft, backup: Objects, { backupHasStatus }: Scenario, missingClaim: string): void {
  const missing: readonly string[] = [claimKey(missingClaim), claimSecretKey(missingClaim)];
  const retained = Object.entries(backup).filter(
    ([key, object]) => !missing.includes(key) && !('deleting' in object && object.deleting),
  );
  const restored = retained.map(([key, object]): [string, AnyObject] => {
    const renamed = 'uid' in object ? { ...object, uid: newUID(draft) } : object;
    const owned = 'ownerExists' in renamed ? { ...renamed, ownerExists: false } : renamed;
    return [key, backupHasStatus ? owned : withoutStatus(owned)];
  });
  Object.assign(draft, { pending: {}, memory: {}, watches: {}, backup: null });
  draft.namespaces += 1;
  draft.objects = Object.fromEntries(restored);
}

function withoutStatus(object: AnyObject): AnyObject {
  if ('bound' in object) return { ...object, bound: false };
  if (!('phase' in object)) return object;
  const { releasedFrom: _from, releasedNamespace: _in, deleteAt: _at, ...resource } = object;
  return { ...resource, phase: '', boundUID: '', applied: '' };
}
