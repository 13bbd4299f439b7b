import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { assignedKinds, managedKinds } from '../kinds.ts';
import { deletionIn, inClouds, whereIs } from '../oracle/outside-resources.ts';
import { lastPartOf, recordedName } from '../oracle/recorded-name.ts';

/** As in the docs: management policies other than the default decide, then deletionPolicy, then reclaimPolicy. */
export function mayDelete({ spec }: Managed): boolean {
  const { managementPolicies: policies = ['*'], deletionPolicy, reclaimPolicy } = spec;
  if (policies.length !== 1 || policies[0] !== '*') return policies.includes('Delete');
  return deletionPolicy === undefined ? reclaimPolicy !== 'Retain' : deletionPolicy === 'Delete';
}

/**
 * A process deletes an external resource only if a managed resource of that external name was being deleted, and its
 * policies said Delete.
 */
export const externalRetained: InvariantOf = (world) => {
  /** By `system sort external name`: the managed resources that were being deleted with their external resource. */
  const given = new Map<string, Set<string>>();
  /** The same of kinds whose names the cloud assigns, which may not be known yet: `system sort managed resource`. */
  const leaving = new Set<string>();
  /** The owner of each external resource in a cloud before the last call, and since when. */
  let owners = new Map<string, { readonly owner: string | undefined; readonly sinceMs: number }>();
  const look = (): void => {
    const before = owners;
    owners = new Map(
      inClouds(world).map(({ system, sort, name, owner }) => {
        const place = `${system} ${sort} ${name}`;
        const former = before.get(place);
        return [place, former?.owner === owner && former ? former : { owner, sinceMs: world.elapsedMs }];
      }),
    );
  };
  return {
    name: 'an external resource that policies keep is never deleted, nor one of another managed resource',
    changed({ kind, after, before }) {
      if (!managedKinds.includes(kind)) return [];
      const managed = (after ?? before) as unknown as Managed;
      const { name, deletionTimestamp } = managed.metadata;
      if (deletionTimestamp === undefined || !mayDelete(managed)) return [];
      const { system, sort } = whereIs(kind);
      if (assignedKinds.includes(kind)) leaving.add(`${system} ${sort} ${name}`);
      for (const each of [recordedName(managed), lastPartOf(externalName(managed))]) {
        const place = `${system} ${sort} ${each}`;
        given.set(place, (given.get(place) ?? new Set()).add(name));
      }
      return [];
    },
    called({ by, system, verb, target, isRefused, isWrite }) {
      if (system === 'api' || !isWrite) return [];
      const deletion = deletionIn(system, verb, target);
      const place = `${system} ${deletion?.sort} ${deletion?.name}`;
      const { owner, sinceMs = 0 } = owners.get(place) ?? {};
      look();
      if (deletion === undefined || isRefused || !isProcess(by)) return [];
      if (owner !== undefined && leaving.has(`${system} ${deletion.sort} ${owner}`)) return [];
      const givers = given.get(place);
      if (givers === undefined) return [`${by} deletes ${target} in ${system}`];
      // Two resources share an external name, and one is created while the other is deleted: docs/reliability.md.
      const isNew = world.elapsedMs - sinceMs < 60_000 && sinceMs > 0;
      return owner === undefined || givers.has(owner) || isNew
        ? []
        : [`${by} deletes ${target} in ${system}, which is ${owner}’s`];
    },
  };
};
