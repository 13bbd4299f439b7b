import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';

/** Whose kinds are in which system. */
const groups: Readonly<Record<string, string>> = {
  favourite: 'fcp.crossplane.io',
  other: 'ocp.crossplane.io',
};

const isIn = (system: string, { group }: Kind): boolean => group.endsWith(groups[system] ?? '?');

/** As in docs: management policies other than the default decide, then deletionPolicy, then reclaimPolicy. */
export function mayDelete({ spec }: Managed): boolean {
  const { managementPolicies: policies = ['*'], deletionPolicy, reclaimPolicy } = spec;
  if (policies.length !== 1 || policies[0] !== '*') return policies.includes('Delete');
  return deletionPolicy === undefined ? reclaimPolicy !== 'Retain' : deletionPolicy === 'Delete';
}

/**
 * Nothing outside is deleted unless its managed resource was being deleted, and its policies said then that it goes with
 * it.
 */
export const externalKept: InvariantOf = () => {
  /** External names that a managed resource gave up, by system. */
  const given = new Set<string>();
  return {
    name: 'what policies keep outside is never deleted there',
    changed({ kind, after, before }) {
      if (!managedKinds.includes(kind)) return [];
      const object = (after ?? before) as KubernetesObject | undefined;
      if (object?.metadata.deletionTimestamp === undefined) return [];
      const managed = object as Managed;
      const name = externalName(managed);
      const system = Object.keys(groups).find((each) => isIn(each, kind));
      if (mayDelete(managed)) given.add(`${system} ${name}`);
      return [];
    },
    called({ by, system, verb, target, isRefused }) {
      if (verb !== 'DELETE' || groups[system] === undefined || isRefused || !isProcess(by)) return [];
      const name = decodeURIComponent(target.slice(target.lastIndexOf('/') + 1));
      return given.has(`${system} ${name}`) ? [] : [`${by} deletes ${target} in ${system}`];
    },
  };
};
