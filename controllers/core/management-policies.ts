import type { ManagedSpec, ManagementAction } from '../../apis/core/v1alpha1/managed.ts';

/**
 * The supported sets of actions without `*` (crossplane-runtime v1.16, and three sets of v1.17 and v1.20), as
 * initials: Observe, Create, Update, Delete, LateInitialize.
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

/** The API's default is everything. */
const policiesOf = (spec: ManagedSpec): ReadonlySet<ManagementAction> =>
  new Set(spec.managementPolicies ?? ['*']);

const isDefault = (policies: ReadonlySet<ManagementAction>): boolean =>
  policies.size === 1 && policies.has('*');

/** The problem of a resource's policies. Order and repetition do not matter. */
export function invalidPolicies(spec: ManagedSpec): string | undefined {
  const policies = policiesOf(spec);
  const initials = sorted([...policies].map((policy) => initialOf[policy] ?? '?').join(''));
  if (isDefault(policies) || supported.has(initials)) return undefined;
  const given = [...policies].toSorted().join(', ');
  return `spec.managementPolicies has an unsupported value: [${given}]; use ["*"] alone, or a supported set that includes Observe`;
}

/** The advice for messages. Observe, Delete and Update alone are not a supported set. */
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

/** Observed, never created or changed, and not paused. */
export const isNeverChanged = (spec: ManagedSpec): boolean =>
  !isPausedByPolicies(spec) && !shouldCreate(spec) && !shouldUpdate(spec);

/**
 * Whether the external resource is deleted with the managed resource. Management policies other than the default
 * decide, else the deletion policy, else the legacy reclaim policy, else it is deleted.
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
