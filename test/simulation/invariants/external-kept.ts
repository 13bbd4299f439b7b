import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess, overtaking } from '../invariant.ts';
import { assignedKinds, managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { deletionIn, inClouds, subjectOf, whereIs } from '../oracle/outside-resources.ts';
import { lastPartOf, recordedName } from '../oracle/recorded-name.ts';

/** As in docs: management policies other than the default decide, then deletionPolicy, then reclaimPolicy. */
export function mayDelete({ spec }: Managed): boolean {
  const { managementPolicies: policies = ['*'], deletionPolicy, reclaimPolicy } = spec;
  if (policies.length !== 1 || policies[0] !== '*') return policies.includes('Delete');
  return deletionPolicy === undefined ? reclaimPolicy !== 'Retain' : deletionPolicy === 'Delete';
}

/** What is of a name in a system, among those of its sort. */
const placeOf = (system: string, { sort, name }: Pick<Outside, 'sort' | 'name'>): string =>
  `${system} ${sort} ${name}`;

/**
 * Nothing outside is deleted unless its managed resource was being deleted, and its policies said then that it goes with
 * it.
 */
export const externalKept: InvariantOf = (world) => {
  /** Who gave up what is of a name in a system: names of managed resources. */
  const given = new Map<string, Set<string>>();
  /** Whose names are given by a cloud: what is theirs there, is known by its owner until they know the name. */
  const leaving = new Set<string>();
  /** Whose what is of a name in a cloud was when it was last looked at. */
  let owners = new Map<string, string | undefined>();
  /** What is new outside, until a process has written to its resource: somebody may let go of that while it is made. */
  const untold = new Set<string>();
  /**
   * Of what is to go: which processes are at it, in a cloud from when they looked at it first; and, once another resource
   * has the name, which still may be, since they were overtaken by one that ran beside them by mistake.
   */
  const dropping = new Map<string, Set<string>>();
  const late = new Map<string, Set<string>>();

  function look(isOurs: boolean): void {
    const before = owners;
    owners = new Map(inClouds(world).map(({ system, owner, ...thing }) => [placeOf(system, thing), owner]));
    for (const place of owners.keys()) if (isOurs && !before.has(place)) untold.add(place);
  }

  function noteDropping(by: string, place: string): void {
    if ((given.get(place)?.size ?? 0) > 0) dropping.set(place, (dropping.get(place) ?? new Set()).add(by));
  }

  /** Whether what has the name of a former one now stands for this, or may, for it does not know its own yet. */
  function isTakenUp(owner: string, { sort, name }: Pick<Outside, 'sort' | 'name'>): boolean {
    return assignedKinds
      .filter((kind) => whereIs(kind).sort === sort)
      .flatMap((kind) => (world.cluster.find(kind, { name: owner }) as Managed | undefined) ?? [])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .some((heir) => {
        const known = lastPartOf(externalName(heir));
        return hasFinalizer(heir, finalizerNames.managed) && (known === undefined || known === name);
      });
  }

  return {
    name: 'what policies keep outside is never deleted there, nor what is somebody else’s',
    changed({ by, kind, after, before }) {
      if (!managedKinds.includes(kind)) return [];
      const managed = (after ?? before) as unknown as Managed;
      const { name, deletionTimestamp } = managed.metadata;
      const { system, sort } = whereIs(kind);
      const names = [recordedName(managed), lastPartOf(externalName(managed))];
      const places = names.flatMap((each) =>
        each === undefined ? [] : [placeOf(system, { sort, name: each })],
      );
      // What has its name now may take it up, and has once it has our finalizer.
      if (deletionTimestamp === undefined && hasFinalizer(managed, finalizerNames.managed)) {
        for (const place of places) {
          if (given.get(place)?.delete(name) === true) {
            late.set(place, new Set([...(dropping.get(place) ?? [])].filter((each) => each !== by)));
          }
          dropping.delete(place);
        }
      }
      if (after !== undefined && isProcess(by)) for (const place of places) untold.delete(place);
      const isOvertaken = by === overtaking || places.some((place) => untold.has(place));
      const isLeaving = deletionTimestamp !== undefined || (after === undefined && isOvertaken);
      if (!isLeaving || !mayDelete(managed)) return [];
      if (assignedKinds.includes(kind)) leaving.add(`${system} ${sort} ${name}`);
      for (const place of places) given.set(place, (given.get(place) ?? new Set()).add(name));
      return [];
    },
    asked({ by, call }) {
      const [verb = '', system = '', target = ''] = call.split(' ');
      if (verb === 'GET') noteDropping(by, placeOf(system, subjectOf(system, verb, target)));
      return [];
    },
    called({ by, system, verb, target, isRefused, isWrite }) {
      if (system === 'api' || !isWrite) return [];
      const deletion = deletionIn(system, verb, target);
      const place = placeOf(system, deletion ?? { sort: '', name: '' });
      const owner = owners.get(place);
      look(isProcess(by));
      // A role is what the creation of a database, too, begins with.
      const isOfOurs = system === 'postgresql' && isProcess(by) && !isRefused;
      if (isOfOurs && verb === 'CREATE ROLE') untold.add(placeOf(system, { sort: '', name: target }));
      if (isOfOurs) noteDropping(by, placeOf(system, { sort: '', name: target }));
      if (deletion === undefined || isRefused || !isProcess(by)) return [];
      const isOfLeaving = owner !== undefined && leaving.has(`${system} ${deletion.sort} ${owner}`);
      if (isOfLeaving && !isTakenUp(owner, deletion)) return [];
      const givers = given.get(place);
      if (givers === undefined || givers.size === 0) {
        // One call is under way in a cloud; in PostgreSQL several follow each other.
        const isLate = system === 'postgresql' ? late.get(place)?.has(by) : late.get(place)?.delete(by);
        return isLate === true ? [] : [`${by} deletes ${target} in ${system}`];
      }
      return owner === undefined || givers.has(owner)
        ? []
        : [`${by} deletes ${target} in ${system}, which is ${owner}’s`];
    },
  };
};
