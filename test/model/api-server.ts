/** The API server and the external system: how a write or a call changes the state. */
import type { Act, Call, CreateCall, DeleteCall, ExternalCall, PatchCall } from './decision.ts';
import {
  checkBoundAsRequested,
  checkCallChangesSomething,
  checkClaimsFreeResourceOnly,
  checkCreatedOnce,
  checkCredentialInUseStays,
  checkDatabaseOfResourceStays,
  checkDeletedOnce,
  checkForeignSecretStays,
  checkResourceInUseStays,
  checkResourceIsAvailable,
  checkRestrictionIsObeyed,
  checkRetainedLossStays,
  checkTakenBackAsAllowed,
} from './invariants.ts';
import type { AnyObject } from './objects.ts';
import { generated, isClaimSecretKey, isResourceKey, nameOf } from './objects.ts';
import type { Draft, World } from './state.ts';
import { newPassword, newUID, withEntry, without } from './state.ts';

/** The controller of a managed resource. */
export const managedId = (resource: string): string => `managed resource ${resource}`;

/** A rule of the definition: `claimRef` cannot change while the stored phase is Bound. */
export function isClaimRefProtected(object: AnyObject): boolean {
  return 'phase' in object && object.phase === 'Bound';
}

/**
 * Every write of an object; undefined deletes it. `by` is the controller that writes, undefined for people, faults and
 * the former leader. A pending call with an outdated resourceVersion is a 409, which ends the run of its controller.
 */
export function write(draft: Draft, key: string, object: AnyObject | undefined, by?: string): void {
  draft.objects = object ? withEntry(draft.objects, key, object) : without(draft.objects, key);
  if (object && 'phase' in object && object.phase === 'Bound')
    draft.data = withEntry(draft.data, object.name, true);
  if (isClaimSecretKey(key) && object) remember(draft, nameOf(key), object);
  for (const id of Object.keys(draft.pending)) {
    if (conflicts(draft.pending[id], key)) endRun(draft, id);
  }
  if (conflicts(draft.formerLeader, key)) draft.formerLeader = null;
  if (isResourceKey(key) && by !== managedId(nameOf(key))) preventRecord(draft, managedId(nameOf(key)));
  const watch = draft.watches[key];
  if (!watch) return;
  const afterRestart = watch.afterRestart || by !== undefined; // the process sees its own write
  draft.watches = withEntry(draft.watches, key, { ...watch, changed: true, afterRestart });
}

export const edit = (draft: Draft, key: string, change: Partial<AnyObject>): void =>
  write(draft, key, { ...draft.objects[key], ...change } as AnyObject);

/** The object is deleted, or marked if it has a finalizer. */
export function deleteObject(draft: Draft, key: string, by?: string): void {
  const object = draft.objects[key];
  const stays = object && 'finalizer' in object && (object.finalizer || object.isHeld);
  write(draft, key, stays ? { ...object, deleting: true } : undefined, by);
}

function remember(draft: Draft, claim: string, object: AnyObject): void {
  if (!('password' in object) || !object.password) return;
  const known = new Set(draft.knows[claim]).add(object.password);
  draft.knows = withEntry(draft.knows, claim, [...known]);
}

function conflicts(act: Act | null | undefined, key: string): boolean {
  const call = act?.call;
  return call !== undefined && 'versioned' in call && call.versioned && call.key === key;
}

function endRun(draft: Draft, id: string): void {
  draft.pending = without(draft.pending, id);
  draft.memory = without(draft.memory, id);
}

/** A credential is recorded with the resourceVersion from before the external call, so any other write prevents it. */
function preventRecord(draft: Draft, id: string): void {
  draft.memory = without(draft.memory, id);
  const act = draft.pending[id];
  if (act?.call.verb === 'CreateExternal' || act?.call.verb === 'SetPassword') {
    const call = { ...act.call, cannotRecord: true };
    draft.pending = withEntry(draft.pending, id, { ...act, call });
  }
}

/** `id` is the controller, undefined for the former leader. */
export function carryOut(draft: Draft, call: Call, id: string | undefined, world: World): void {
  if (call.verb === 'create') carryOutCreate(draft, call, id);
  else if (call.verb === 'patch') carryOutPatch(draft, call, id);
  else if (call.verb === 'delete') carryOutDelete(draft, call, id, world);
  else carryOutExternal(draft, call, id, world);
}

function carryOutCreate(draft: Draft, { key, object }: CreateCall, id: string | undefined): void {
  if (draft.objects[key]) return;
  const uid = 'uid' in object && object.uid === generated && { uid: newUID(draft) };
  const password = 'password' in object && object.password === generated && { password: newPassword(draft) };
  write(draft, key, { ...object, ...uid, ...password }, id);
}

function carryOutPatch(draft: Draft, call: PatchCall, id: string | undefined): void {
  const object = draft.objects[call.key];
  if (!object || ('claimRef' in call.set && isClaimRefProtected(object))) return;
  if (id !== undefined) {
    checkClaimsFreeResourceOnly(object, call);
    checkResourceIsAvailable(object, call);
    checkTakenBackAsAllowed(draft, object, call);
    checkForeignSecretStays(object, call);
    checkBoundAsRequested(draft, object, call);
  }
  checkCredentialInUseStays(draft, object, call);
  const password = call.set.password === generated && { password: newPassword(draft), isRefused: false };
  const generation = 'generation' in object &&
    'parameter' in call.set && { generation: (object.generation ?? 0) + 1 };
  const changed = { ...object, ...call.set, ...password, ...generation } as AnyObject;
  if (call.endsRun && id !== undefined) draft.memory = without(draft.memory, id);
  if (id !== undefined) checkCallChangesSomething(object, changed, call);
  const isGone = 'finalizer' in changed && changed.deleting && !changed.finalizer && !changed.isHeld;
  write(draft, call.key, isGone ? undefined : changed, id);
}

function carryOutDelete(draft: Draft, call: DeleteCall, id: string | undefined, world: World): void {
  const { key, uid } = call;
  const object = draft.objects[key];
  if (!object || ('uid' in object ? object.uid : object.owner) !== uid) return;
  checkResourceInUseStays(draft, object, world.scenario);
  if (id !== undefined) checkDeletedOnce(object, call);
  deleteObject(draft, key, id);
}

function carryOutExternal(draft: Draft, call: ExternalCall, id: string | undefined, world: World): void {
  checkRestrictionIsObeyed(draft, call, world.scenario);
  const { verb, name, password = '', parameter } = call;
  if (verb === 'DeleteExternal') {
    checkDatabaseOfResourceStays(draft, call);
    draft.external = without(draft.external, name);
    draft.parameters = without(draft.parameters, name);
    draft.data = without(draft.data, name);
    return;
  }
  if (verb === 'SetPassword' && !draft.external[name]) return;
  if (verb === 'CreateExternal') {
    checkCreatedOnce(draft, call);
    checkRetainedLossStays(draft, call);
  }
  if (world.scenario.isShownLate && !draft.external[name]) draft.hidden = withEntry(draft.hidden, name, true);
  draft.external = withEntry(draft.external, name, password);
  if (parameter !== undefined) draft.parameters = withEntry(draft.parameters, name, parameter);
  if (id !== undefined && !call.cannotRecord) draft.memory = withEntry(draft.memory, id, password);
}
