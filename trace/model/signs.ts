/*
 * The signs of faults: decisions of the controllers, reasons of conditions and classes of errors. A sign returns the
 * message that belongs to it, or undefined if the view does not show it.
 */

import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { BindingDecision } from '../../controllers/core/claim-binding/decision.ts';
import type { ConditionErrorClass } from '../../controllers/core/error-class.ts';
import type { FirstDecision } from '../../controllers/core/managed/run/decide.ts';
import type { CredentialDecision } from '../../controllers/core/managed/run/decide-credential.ts';
import type { ExternalTrouble, Failure } from './external-trouble.ts';
import { externalTrouble, isExternalMissing, isOfClass } from './external-trouble.ts';
import { isOneOf } from './fault-parts.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

export type Sign = (view: View) => string | undefined;

/** A sign without a message. */
export const when =
  (isShown: (view: View) => boolean): Sign =>
  (view) =>
    isShown(view) ? '' : undefined;

const always = (): boolean => true;

const decided =
  <Decision extends { readonly name: string }>(
    decisionOf: (view: View) => Decision | undefined,
    name: Decision['name'],
    isShown: (view: View) => boolean,
  ): Sign =>
  (view) => {
    const decision: { readonly name: string; readonly message?: string } | undefined = decisionOf(view);
    return decision?.name === name && isShown(view) ? (decision.message ?? '') : undefined;
  };

/** The binding controller's decision about the claim. */
export const binding = (name: BindingDecision['name'], isShown: (view: View) => boolean = always): Sign =>
  decided((view) => view.binding, name, isShown);

/** The first decision of the managed resource's controller. */
export const first = (name: FirstDecision['name'], isShown: (view: View) => boolean = always): Sign =>
  decided((view) => view.first, name, isShown);

export const credential = (name: CredentialDecision['name']): Sign =>
  decided((view) => view.decided?.credential, name, always);

/** The reason of the claim's Ready condition. */
export const claimReason =
  (reason: string): Sign =>
  ({ theClaim }) => {
    const ready = readyOf(theClaim);
    return ready.reason === reason ? (ready.message ?? reason) : undefined;
  };

/** The first of these signs that the view shows. */
export const anyOf =
  (...signs: readonly Sign[]): Sign =>
  (view) =>
    signs.map((sign) => sign(view)).find((message) => message !== undefined);

/** The last call of the external system failed with an error of this fault. */
export const lastError =
  (name: ExternalTrouble, isShown: (failure: Failure) => boolean = () => true): Sign =>
  (view) => {
    const failure = lastFailure(view);
    return failure && externalTrouble(failure.error) === name && isShown(failure)
      ? failure.message
      : undefined;
  };

/** A condition of one of the objects reports an error of one of these classes. */
export const anyError =
  (...classes: readonly ConditionErrorClass[]): Sign =>
  (view) =>
    failureOf(view, ...classes)?.message;

export function failureOf(view: View, ...classes: readonly ConditionErrorClass[]): Failure | undefined {
  const { theClaim, theManaged, provider, subject } = view;
  const claims = subject.known.sort === 'claim' ? [syncedOf(theClaim), readyOf(theClaim)] : [];
  const conditions = [
    ...(isOfMany(view) ? usersOf(view) : [theManaged]).map(syncedOf),
    readyOf(thereOf(provider)),
    ...claims,
  ];
  return conditions.flatMap(failureIn).find(({ error }) => isOfClass(error, ...classes));
}

const isOfMany = ({ subject }: View): boolean => isOneOf(subject.known.sort, ['class', 'provider']);
const usersOf = ({ users }: View) => thereOf(users) ?? [];

const failureIn = ({ status, message, error }: ReturnType<typeof syncedOf>): readonly Failure[] =>
  status === 'False' && message !== undefined ? [{ message, error }] : [];

/**
 * The failure of the last call of the external system. The managed resource reports it. For a class or provider, a managed
 * resource that uses it reports it, if none works. If the managed resource cannot be read, the claim reports it.
 */
export function lastFailure(view: View): Failure | undefined {
  const { theManaged, theClaim, managed } = view;
  if (isOfMany(view)) {
    const observed = usersOf(view).map(syncedOf);
    if (observed.some(({ status }) => status === 'True')) return undefined;
    return observed.flatMap(failureIn).find(({ error }) => externalTrouble(error) !== undefined);
  }
  if (theManaged !== undefined) return failureIn(syncedOf(theManaged))[0];
  if (managed.is !== 'withheld' || theClaim === undefined) return undefined;
  return [readyOf(theClaim), syncedOf(theClaim)]
    .flatMap(({ message, error }) => (message === undefined ? [] : [{ message, error }]))
    .find(({ error }) => error !== undefined);
}

/** A condition of the managed resource reports that no external resource exists. Without policies it is paused. */
export const missingExternalSign: Sign = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined || wasDeleted(theManaged)) return undefined;
  const [synced, ready] = [syncedOf(theManaged), readyOf(theManaged)];
  const shown = [synced, ready].find((one) => one.status === 'False' && isExternalMissing(one));
  if (shown === undefined || theManaged.spec.managementPolicies?.length === 0) return undefined;
  return ready.message ?? shown.message ?? '';
};
