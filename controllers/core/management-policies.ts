import type { ManagedSpec, ManagementAction } from '../../apis/core/v1alpha1/managed.ts';

/**
 * The sets of actions that make sense together, without `*` (crossplane-runtime v1.16, with the three sets
 * added in v1.17 and v1.20). Written as initials: Observe, Create, Update, Delete, LateInitialize.
 */
const supported = new Set(
  ['', 'O', 'CO', 'CLO', 'CDO', 'CDLO', 'COU', 'CLOU', 'CDOU', 'CDLOU', 'DO', 'OU', 'LO', 'LOU'].map(sorted),
);

const initialOf: Readonly<Record<string, string>> = {
  Observe: 'O',
  Create: 'C',
  Update: 'U',
  Delete: 'D',
  LateInitialize: 'L',
};

/** Absent policies are the API's default: everything. */
const policiesOf = (spec: ManagedSpec): ReadonlySet<ManagementAction> =>
  new Set(spec.managementPolicies ?? ['*']);

const isDefault = (policies: ReadonlySet<ManagementAction>): boolean =>
  policies.size === 1 && policies.has('*');

/** What is wrong with a resource's policies, or undefined. Order and repetition do not matter. */
export function invalidPolicies(spec: ManagedSpec): string | undefined {
  const policies = policiesOf(spec);
  const initials = sorted([...policies].map((policy) => initialOf[policy] ?? '?').join(''));
  if (isDefault(policies) || supported.has(initials)) return undefined;
  const given = [...policies].toSorted().join(', ');
  return `spec.managementPolicies has an unsupported value: [${given}]; use ["*"] alone, or a supported set that includes Observe`;
}

/** How policies come to allow Update, as messages say it: with Observe and Delete alone it makes no supported set. */
export function howToAllowUpdate(spec: ManagedSpec): string {
  const managementPolicies = [...policiesOf(spec), 'Update'] as const;
  return invalidPolicies({ ...spec, managementPolicies }) === undefined
    ? 'add Update'
    : 'add Create and Update';
}

/** Empty policies pause the resource. */
export const isPausedByPolicies = (spec: ManagedSpec): boolean => policiesOf(spec).size === 0;

const allows = (spec: ManagedSpec, action: ManagementAction): boolean => {
  const policies = policiesOf(spec);
  return policies.has(action) || policies.has('*');
};

export const shouldCreate = (spec: ManagedSpec): boolean => allows(spec, 'Create');
export const shouldUpdate = (spec: ManagedSpec): boolean => allows(spec, 'Update');
export const shouldLateInitialize = (spec: ManagedSpec): boolean => allows(spec, 'LateInitialize');

export function shouldOnlyObserve(spec: ManagedSpec): boolean {
  const policies = policiesOf(spec);
  return policies.size === 1 && policies.has('Observe');
}

/** It is looked at, and neither created nor changed, nor is it paused. */
export const isNeverChanged = (spec: ManagedSpec): boolean =>
  !isPausedByPolicies(spec) && !shouldCreate(spec) && !shouldUpdate(spec);

/**
 * What becomes of the external resource when the managed resource is deleted: management policies other than
 * the default decide; else the deletion policy, if set; else the legacy reclaim policy, if set; else it is
 * deleted.
 */
export function shouldDelete(spec: ManagedSpec): boolean {
  const policies = policiesOf(spec);
  if (!isDefault(policies)) return policies.has('Delete');
  if (spec.deletionPolicy !== undefined) return spec.deletionPolicy === 'Delete';
  return spec.reclaimPolicy !== 'Retain';
}

function sorted(initials: string): string {
  return [...initials].toSorted().join('');
}
