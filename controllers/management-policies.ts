import uniq from 'lodash/uniq.js';
import { advice } from '../apis/core/v1alpha1/advice.ts';
import { ControllerError } from '../apis/core/v1alpha1/condition.ts';
import type { ManagedSpec, ManagementAction } from '../apis/core/v1alpha1/managed.ts';

/**
 * The supported sets of actions without `*` (crossplane-runtime v1.16, and three sets that v1.17 and v1.20 added), as
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

const byDefault: readonly ManagementAction[] = ['*'];

/** The policies of a resource. A resource without the field allows all actions. */
const policiesOf = (spec: Pick<ManagedSpec, 'managementPolicies'>): readonly ManagementAction[] =>
  spec.managementPolicies ?? byDefault;

const areOnly = (policies: readonly ManagementAction[], action: ManagementAction): boolean =>
  policies.length > 0 && policies.every((policy) => policy === action);

const isDefault = (policies: readonly ManagementAction[]): boolean => areOnly(policies, '*');

/** Why the management policies are not supported; undefined if they are. Order and repetition do not matter. */
export function invalidPolicies(spec: Pick<ManagedSpec, 'managementPolicies'>): string | undefined {
  const policies = uniq(policiesOf(spec));
  const initials = sorted(policies.map((policy) => initialOf[policy] ?? '?').join(''));
  if (isDefault(policies) || supported.has(initials)) return undefined;
  const given = policies.toSorted().join(', ');
  return `spec.managementPolicies has an unsupported value: [${given}]; ${advice.supportedPolicies}`;
}

/** Why `onLoss` is not supported; undefined if it is. A definition without rules admits any value. */
export function invalidOnLoss({ onLoss }: ManagedSpec): string | undefined {
  if (onLoss === undefined || onLoss === 'Recreate' || onLoss === 'Report') return undefined;
  return `spec.onLoss has an unsupported value: ${JSON.stringify(onLoss)}. Recreate and Report are supported`;
}

/** How to allow updates, for messages. If Update alone makes the policies unsupported, Create must be added, too. */
export function howToAllowUpdate(spec: ManagedSpec): string {
  const managementPolicies = [...policiesOf(spec), 'Update'] as const;
  const isEnough = invalidPolicies({ ...spec, managementPolicies }) === undefined;
  return advice.allowUpdate(isEnough ? 'Update' : 'Create and Update');
}

/** Whether the list of policies is empty, which pauses the resource. */
export const isPausedByPolicies = (spec: ManagedSpec): boolean => policiesOf(spec).length === 0;

const allows = (spec: Pick<ManagedSpec, 'managementPolicies'>, action: ManagementAction): boolean => {
  const policies = policiesOf(spec);
  return policies.includes(action) || policies.includes('*');
};

/** Whether the management policies allow to create the external resource. */
export const shouldCreate = (spec: Pick<ManagedSpec, 'managementPolicies'>): boolean =>
  allows(spec, 'Create');
/** Whether the management policies allow to change the external resource. */
export const shouldUpdate = (spec: ManagedSpec): boolean => allows(spec, 'Update');
export const shouldLateInitialize = (spec: ManagedSpec): boolean => allows(spec, 'LateInitialize');

export const shouldOnlyObserve = (spec: ManagedSpec): boolean => areOnly(policiesOf(spec), 'Observe');

/** Whether the controllers may create or update the external resource, and so give it a credential. */
export const mayChange = (spec: ManagedSpec): boolean => shouldCreate(spec) || shouldUpdate(spec);

/** Whether a managed resource may not change its external resource. */
export const isObserver = ({ spec }: { readonly spec: ManagedSpec }): boolean =>
  !mayChange(spec) && !shouldDelete(spec);

/** Whether the external resource is observed, but never created or updated. False for a paused resource. */
export const isNeverChanged = (spec: ManagedSpec): boolean => !isPausedByPolicies(spec) && !mayChange(spec);

/**
 * Whether the external resource is deleted with the managed resource. The first of these that is set decides:
 * management policies other than the default, the deletion policy, the legacy reclaim policy. Default: true.
 */
export function shouldDelete(spec: ManagedSpec): boolean {
  const policies = policiesOf(spec);
  if (!isDefault(policies)) return policies.includes('Delete');
  if (spec.deletionPolicy !== undefined) return spec.deletionPolicy === 'Delete';
  return spec.reclaimPolicy !== 'Retain';
}

/** The failure of a change, such as `update`, in a process with `--observe-only`. */
export const onlyObserves = (change: string): ControllerError =>
  new ControllerError(
    'ObserveOnly',
    `this process only observes, and would otherwise ${change} it; ${advice.endRehearsal}`,
  );

function sorted(initials: string): string {
  return [...initials].toSorted().join('');
}
