import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Change, InvariantOf, Seen } from '../invariant.ts';
import { isProcess, phaseOf } from '../invariant.ts';
import { claimKinds, classKinds, managedKinds } from '../kinds.ts';
import { recordedName } from '../oracle/recorded-name.ts';
import { lagMs, stillMs } from './lag.ts';

/** The reason and message of an Event, and its object. */
interface Told extends KubernetesObject {
  /**
   * The time of the report, not of the request: other requests may wait before it, and the API server may
   * refuse them.
   */
  readonly lastTimestamp?: string;
  readonly involvedObject: { readonly uid?: string; readonly kind?: string; readonly name?: string };
  readonly reason: string;
  readonly message: string;
}

/** Facts by name: until when they were so; for ever if they are still. */
class Facts {
  readonly #until = new Map<string, number>();

  set(fact: string, isSo: boolean, nowMs: number): void {
    if (isSo) this.#until.set(fact, Number.POSITIVE_INFINITY);
    else if (this.#until.get(fact) === Number.POSITIVE_INFINITY) this.#until.set(fact, nowMs);
  }

  wasSo(fact: string, sinceMs = 0): boolean {
    return (this.#until.get(fact) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }
}

const readyOf = (conditions: readonly Condition[] | undefined): Condition | undefined =>
  conditions?.find(({ type }) => type === 'Ready');

const isReady = (status: { readonly conditions?: readonly Condition[] | undefined } | undefined): boolean =>
  readyOf(status?.conditions)?.status === 'True';

/** The name of a managed resource's cloud in the simulation, and the resource in it. */
const placeOf = (managed: Managed): string =>
  `${managed.apiVersion.includes('fcp.') ? 'favourite' : 'other'} ${recordedName(managed)}`;

/** As in `FancySQLInstance team/orders (UID 12)`. */
const named = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${objectKeyText(metadata)} (UID ${metadata.uid})`;

/** As in `FavouriteDBInstanceClass 0 of 2`. */
const tallies = /(\w+Class) (\d+) of (\d+)/g;

/** How long an Event waited until it was sent. */
function waitedMs({ lastTimestamp = '', metadata: { creationTimestamp = '' } }: Told): number {
  return Math.max(0, Date.parse(creationTimestamp) - Date.parse(lastTimestamp)) || 0;
}

/** A statement of a status or an Event was true a moment ago or, for an Event, once. */
export const statementsTrue: InvariantOf = (world) => {
  const facts = new Facts();
  const lag = lagMs(world.scenario) + stillMs(world.scenario);
  const sets = (isSo: boolean, ...names: readonly string[]): void => {
    for (const name of names) facts.set(name, isSo, world.elapsedMs);
  };
  const wasLately = (fact: string, agoMs = 0): boolean => facts.wasSo(fact, world.elapsedMs - agoMs - lag);
  /** The claims there are, as messages name them. */
  const living = new Set<string>();
  /** How many classes there are of a kind. */
  const counts = new Map(classKinds.map(({ kind }) => [kind, 0]));
  sets(true, ...classKinds.map(({ kind }) => `0 ${kind}`));

  /** Reads all clouds: which are online, and which resources exist. */
  let online: readonly string[] = [];
  let there = new Set<string>();
  function look({ clouds }: Pick<Seen, 'clouds'>): void {
    const is: string[] = [];
    there = new Set();
    for (const system of ['favourite', 'other'] as const) {
      for (const { item, phase } of clouds[system].instances()) {
        sets(true, `there ${system} ${item.name}`);
        there.add(`${system} ${item.name}`);
        if (phase === 'online') is.push(`online ${system} ${item.name}`);
      }
      for (const { item, phase } of clouds[system].networks()) {
        sets(true, `there ${system} ${item.id}`);
        if (phase === 'online') is.push(`online ${system} ${item.id}`);
      }
    }
    sets(false, ...online.filter((each) => !is.includes(each)));
    sets(true, ...is);
    online = is;
  }

  /** The facts about a managed resource, now and before. */
  function note(before: Managed | undefined, after: Managed | undefined): void {
    const of = (managed: Managed): readonly (readonly [string, boolean])[] => {
      const { uid, name, deletionTimestamp } = managed.metadata;
      const claim = managed.spec.claimRef?.uid;
      const what = `${managed.kind} ${name}`;
      // A resource that is being deleted is Released while its claim, Bound before, reports Deleting until
      // its deletion.
      const isBound =
        managed.status?.bindingPhase === 'Bound' ||
        (deletionTimestamp !== undefined && facts.wasSo(`${claim} bound`));
      return [
        [`${uid} ready`, isReady(managed.status) && deletionTimestamp === undefined],
        [`${claim} named by ${what}`, claim !== undefined],
        [`${claim} bound`, isBound],
        [`${claim} ready`, isReady(managed.status) && deletionTimestamp === undefined],
        [`${what} deleted`, deletionTimestamp !== undefined],
        [`${what} Released`, managed.status?.bindingPhase === 'Released'],
      ];
    };
    if (before !== undefined) sets(false, ...of(before).map(([fact]) => fact));
    if (after === undefined) sets(true, `${before?.kind} ${before?.metadata.name} deleted`);
    else sets(true, ...of(after).flatMap(([fact, isSo]) => (isSo ? [fact] : [])));
  }

  function ofMessage(what: string, message = '', agoMs = 0): readonly string[] {
    return [...message.matchAll(tallies)].flatMap(([text, kind, , total]) =>
      wasLately(`${total} ${kind}`, agoMs)
        ? []
        : [`${what} says "${text}", and there are ${counts.get(kind ?? '')}`],
    );
  }

  function ofClaim(before: Claim | undefined, after: Claim): readonly string[] {
    const { uid } = after.metadata;
    const what = `${after.kind} ${objectKeyText(after.metadata)}`;
    const becomes = (is: (claim: Claim) => boolean): boolean =>
      is(after) && (before === undefined || !is(before));
    const isNews =
      readyOf(before?.status?.conditions)?.message !== readyOf(after.status?.conditions)?.message;
    return [
      ...(becomes(({ status }) => status?.bindingPhase === 'Bound') && !wasLately(`${uid} bound`)
        ? [`${what} says that it is Bound, and no managed resource is to it`]
        : []),
      ...(becomes(({ status }) => status?.bindingPhase === 'Released') && !facts.wasSo(`${uid} bound`)
        ? [`${what} says that it is Released, and was bound to nothing`]
        : []),
      ...(becomes(({ status }) => isReady(status)) && !wasLately(`${uid} ready`)
        ? [`${what} says that it is Ready, and its managed resource is not`]
        : []),
      ...(isNews ? ofMessage(what, readyOf(after.status?.conditions)?.message) : []),
    ];
  }

  function ofManaged(before: Managed | undefined, after: Managed): readonly string[] {
    const becomesReady = isReady(after.status) && !isReady(before?.status);
    if (becomesReady) look(world);
    return becomesReady && !wasLately(`online ${placeOf(after)}`) && isInCloud(after)
      ? [`${after.kind} ${after.metadata.name} says that it is Ready, and ${placeOf(after)} is not online`]
      : [];
  }

  /** A process that finds no resource needs no deletion request: an absent resource counts as deleted. */
  function isGone(uid = ''): boolean {
    look(world);
    return [...byPlace].some(
      ([place, uids]) => uids.has(uid) && facts.wasSo(`there ${place}`) && !there.has(place),
    );
  }

  function ofEvent(told: Told): readonly string[] {
    const { involvedObject, reason, message } = told;
    const { uid, kind, name } = involvedObject;
    const what = `Event ${reason} of ${kind} ${name}: ${message}`;
    const needs = (fact: string): readonly string[] => (facts.wasSo(fact) ? [] : [`${what}: never ${fact}`]);
    switch (reason) {
      case 'CreatedExternalResource':
        return facts.wasSo(`${uid} is elsewhere`) ? [] : needs(`${uid} made`);
      case 'DeletedExternalResource':
        return facts.wasSo(`${uid} is elsewhere`) || isGone(uid) ? [] : needs(`${uid} unmade`);
      case 'BoundManagedResource':
        return [...needs(`${uid} bound`), ...needs(`${uid} named by ${message.replace('bound to ', '')}`)];
      case 'CreatedManagedResource':
        return needs(`${uid} named by ${/^created (.*) from /.exec(message)?.[1]}`);
      case 'UnboundManagedResource': {
        const [, resource, end] = /^unbound from (.*), which is (deleted|gone|Released)$/.exec(message) ?? [];
        return end === undefined
          ? []
          : [
              ...(world.restored.has(uid ?? '') ? [] : needs(`${uid} named by ${resource}`)),
              ...needs(`${resource} ${end === 'gone' ? 'deleted' : end}`),
            ];
      }
      case 'ClaimNotFound':
        // One that never was is gone, too; and none comes back under its UID.
        return [...living].some((claim) => message.startsWith(claim)) ? [`${what}: it is there`] : [];
      case 'NoMatchingClass':
      case 'NoDefaultClass':
        return ofMessage(what, message, waitedMs(told));
      default:
        return [];
    }
  }

  /** The managed resources, by the place of their external resources. */
  const byPlace = new Map<string, Set<string>>();

  function ofResource({ by, before, after }: Change): readonly string[] {
    const [was, is] = [before, after] as unknown as readonly [Managed | undefined, Managed | undefined];
    const managed = is ?? was;
    if (managed !== undefined && isInCloud(managed)) {
      const place = placeOf(managed);
      const { uid = '' } = managed.metadata;
      if (!byPlace.get(place)?.has(uid)) byPlace.set(place, (byPlace.get(place) ?? new Set()).add(uid));
    } else if (managed !== undefined) {
      sets(true, `${managed.metadata.uid} is elsewhere`);
    }
    const said = isProcess(by) && is !== undefined ? ofManaged(was, is) : [];
    note(was, is);
    return said;
  }

  return {
    name: 'conditions and Events are true, or were true a moment ago',
    changed(change) {
      const { by, kind, before, after } = change;
      if (managedKinds.includes(kind)) return ofResource(change);
      if (claimKinds.includes(kind)) {
        if (before !== undefined) living.delete(named(before));
        if (after === undefined) return [];
        living.add(named(after));
        if (isProcess(by)) return ofClaim(before as Claim | undefined, after as unknown as Claim);
        // A client that may write statuses makes its own statements.
        if (phaseOf(after) !== phaseOf(before)) sets(true, `${after.metadata.uid} bound`);
        return [];
      }
      if (classKinds.includes(kind) && (before === undefined || after === undefined)) {
        const count = counts.get(kind.kind) ?? 0;
        const now = count + (after === undefined ? -1 : 1);
        sets(false, `${count} ${kind.kind}`);
        sets(true, `${now} ${kind.kind}`);
        counts.set(kind.kind, now);
        return [];
      }
      return kind.kind === 'Event' && before === undefined && isProcess(by)
        ? ofEvent(after as unknown as Told)
        : [];
    },
    shown() {
      look(world);
      return [];
    },
    called({ by, system, verb, target, isWrite }) {
      if (system === 'api' || !isProcess(by)) return [];
      if (verb === 'DELETE') {
        const name = decodeURIComponent(target.slice(target.lastIndexOf('/') + 1));
        for (const uid of byPlace.get(`${system} ${name}`) ?? []) sets(true, `${uid} unmade`);
      }
      look(world);
      if (isWrite) {
        for (const [place, uids] of byPlace) {
          if (facts.wasSo(`there ${place}`)) for (const uid of uids) sets(true, `${uid} made`);
        }
      }
      return [];
    },
  };
};

/** Whether its external resource is in one of the clouds, under a name that is known beforehand. */
const isInCloud = ({ apiVersion }: Managed): boolean =>
  /^database\.(fcp|ocp)\.crossplane\.io\//.test(apiVersion);
