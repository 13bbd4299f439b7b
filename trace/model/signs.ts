/*
 * The signs of faults: decisions of the controllers, reasons of conditions and classes of errors. A sign returns the
 * message that belongs to it, or undefined if the view does not show it.
 */

import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { completeReference } from '../../apis/core/v1alpha1/reference.ts';
import type { BindingDecision } from '../../controllers/claim-binding/decision.ts';
import type { ConditionErrorClass } from '../../controllers/error-class.ts';
import { isOngoing } from '../../controllers/managed/recording/operation-conditions.ts';
import type { firstDecisions } from '../../controllers/managed/run/decision.ts';
import { isPausedByPolicies } from '../../controllers/management-policies.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';
import { conditionsOf, readyOf, syncedOf } from './view.ts';

export type Sign = (view: View) => string | undefined;

/** A sign without a message. */
export const when =
  (isShown: (view: View) => boolean): Sign =>
  (view) =>
    isShown(view) ? '' : undefined;

/** The binding controller's decision about the claim. */
export const binding =
  (name: BindingDecision['name'], isShown: (view: View) => boolean = () => true): Sign =>
  (view) =>
    view.binding?.name === name && isShown(view) ? (view.binding.message ?? '') : undefined;

/** The first decision of the managed resource's controller. */
export const first =
  (name: (typeof firstDecisions)[number], isShown: (view: View) => boolean = () => true): Sign =>
  (view) => {
    const decision = view.first;
    return decision?.name === name && isShown(view) ? (decision.message ?? '') : undefined;
  };

/** The reason of the claim's Ready condition. */
export const claimReason =
  (reason: string): Sign =>
  ({ theClaim }) => {
    const ready = readyOf(theClaim);
    return ready.reason === reason ? (ready.message ?? reason) : undefined;
  };

/** The claim has no class for this reason. */
export const noClass =
  (
    reason:
      | 'InvalidClassSelector'
      | 'NoMatchingClass'
      | 'NoDefaultClass'
      | 'ClassNotFound'
      | 'AmbiguousClass',
  ): Sign =>
  (view) => {
    const { classRef, resourceRef } = view.theClaim?.spec ?? {};
    const isUndecided = completeReference(classRef) === undefined && resourceRef === undefined;
    return isUndecided ? claimReason(reason)(view) : undefined;
  };

/** The first of these signs that the view shows. */
export const anyOf =
  (...signs: readonly Sign[]): Sign =>
  (view) =>
    signs.map((sign) => sign(view)).find((message) => message !== undefined);

/** A failure as a condition reports it: the message for people, the error for programs. */
export interface Failure {
  readonly message: string;
  readonly error: Condition['error'] | undefined;
}

const failuresIn = (...conditions: readonly ReturnType<typeof syncedOf>[]): readonly Failure[] =>
  conditions.flatMap(({ status, message, error }) =>
    status === 'False' && message !== undefined ? [{ message, error }] : [],
  );

/** The fault of each class of error. Undefined: another row of the table explains it. */
const faultOfClass = {
  CredentialsUnreadable: 'unusable credentials',
  CredentialsRefused: 'wrong credentials',
  Forbidden: 'not allowed',
  LoginRefused: 'login refused',
  Unreachable: 'provider down',
  TlsFailed: 'no secure connection',
  Exhausted: 'server exhausted',
  ReadOnly: 'server read-only',
  Throttled: 'rate limited',
  QuotaExceeded: 'quota',
  Conflict: 'name taken',
  MarkLost: 'mark lost',
  Invalid: 'refused',
  NotReady: 'not ready',
  OutOfService: 'out of service',
  NoEffect: 'no effect',
  Unknown: 'refused',
  ExternalMissing: undefined,
  ExternalRenamed: undefined,
  DataLost: undefined,
  OtherSystem: undefined,
  SecretConflict: undefined,
  NamespaceNotFound: undefined,
  DependencyNotFound: undefined,
  DependencyDeleting: undefined,
  StoreTokenUnreadable: undefined,
  StoreFailing: undefined,
  RequestRefused: undefined,
  SecretsForbidden: undefined,
  SecretsExcluded: undefined,
  CredentialCannotChange: undefined,
  ObserveOnly: undefined,
  StackBug: undefined,
} as const satisfies Readonly<Record<ConditionErrorClass, string | undefined>>;

type ErrorFault = NonNullable<(typeof faultOfClass)[ConditionErrorClass]>;

/** Undefined: the failure is not about an external system. A class that this version does not know counts as `refused`. */
export function faultOfError(error: Condition['error'] | undefined): ErrorFault | undefined {
  if (error === undefined) return undefined;
  return Object.hasOwn(faultOfClass, error.class)
    ? faultOfClass[error.class as ConditionErrorClass]
    : 'refused';
}

/** Whether an error is of one of these classes. A class that does not exist does not compile. */
export const isOfClass = (
  error: Condition['error'] | undefined,
  ...classes: readonly ConditionErrorClass[]
): boolean => error !== undefined && (classes as readonly string[]).includes(error.class);

/** The last call of the external system failed with an error of this fault. */
export const lastError =
  (name: ErrorFault, isShown: (failure: Failure) => boolean = () => true): Sign =>
  (view) => {
    const failure = lastFailure(view);
    return failure && faultOfError(failure.error) === name && isShown(failure) ? failure.message : undefined;
  };

/** A conflict about an external resource that was observed, and that no other external name ends. */
export const inTheWay: Sign = (view) =>
  view.theManaged?.status?.externalIdentity === undefined
    ? undefined
    : lastError('name taken', ({ error }) => error?.advice?.includes('ChooseExternalName') !== true)(view);

/** A condition of one of the objects reports an error of one of these classes. */
export const anyError =
  (...classes: readonly ConditionErrorClass[]): Sign =>
  (view) =>
    failureOf(view, ...classes)?.message;

export function failureOf(view: View, ...classes: readonly ConditionErrorClass[]): Failure | undefined {
  const { theClaim, theManaged, provider, subject } = view;
  const claimConditions = subject.known.sort === 'claim' ? [syncedOf(theClaim), readyOf(theClaim)] : [];
  const resourceConditions = isOfMany(view)
    ? usersOf(view).map(syncedOf)
    : [readyOf(theManaged), syncedOf(theManaged)];
  const all = failuresIn(...resourceConditions, readyOf(thereOf(provider)), ...claimConditions);
  return all.find(({ error }) => isOfClass(error, ...classes));
}

const isOfMany = ({ subject: { known } }: View): boolean =>
  known.sort === 'class' || known.sort === 'provider';
const usersOf = ({ users }: View) => thereOf(users) ?? [];

/**
 * The failure of the last call of the external system. The managed resource reports it. For a class or provider, a managed
 * resource that uses it reports it, if none works. If the managed resource cannot be read, the claim reports it.
 */
export function lastFailure(view: View): Failure | undefined {
  const { theManaged, theClaim, managed } = view;
  if (isOfMany(view)) {
    const observed = usersOf(view).map(syncedOf);
    if (observed.some(({ status }) => status === 'True')) return undefined;
    return failuresIn(...observed).find(({ error }) => faultOfError(error) !== undefined);
  }
  if (theManaged !== undefined) return failuresIn(syncedOf(theManaged))[0];
  if (managed.is !== 'withheld' || theClaim === undefined) return undefined;
  // A Bound claim is Ready, and reports the failure all the same.
  return [readyOf(theClaim), syncedOf(theClaim)]
    .flatMap(({ message, error }) => (message === undefined ? [] : [{ message, error }]))
    .find(({ error }) => error !== undefined);
}

/** The external resource was observed, does not work, and the external system does not work on it. The error of Ready. */
export const unavailable =
  (error: 'OutOfService' | undefined): Sign =>
  ({ theManaged }) => {
    const ready = readyOf(theManaged);
    const isOut = ready.status === 'False' && ready.reason === 'Unavailable' && ready.error?.class === error;
    return isOut && !conditionsOf(theManaged).some(isOngoing) ? (ready.message ?? ready.reason) : undefined;
  };

/** A condition of the managed resource reports that no external resource exists. Without policies it is paused. */
export const missingExternalSign: Sign = (view) => {
  const { theManaged } = view;
  if (theManaged === undefined || wasDeleted(theManaged) || isPausedByPolicies(theManaged.spec))
    return undefined;
  return anyError('ExternalMissing')(view);
};
