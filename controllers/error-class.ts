import type { Condition, ControllerErrorClass } from '../apis/core/v1alpha1/condition.ts';
import { controllerErrorIn } from '../apis/core/v1alpha1/condition.ts';
import type { ProviderReason, ReadyReason } from '../apis/core/v1alpha1/ready-reasons.ts';
import type { ExternalErrorClass } from '../clients/external-error.ts';
import { errorClassOf, errorFactsOf } from '../clients/external-error.ts';
import { apiErrorIn, isForbidden, isRefused } from '../runtime/client/errors.ts';
import { bugIn } from '../runtime/log/bug.ts';

export type ConditionErrorClass = ExternalErrorClass | ControllerErrorClass;

export type ConditionError = NonNullable<Condition['error']> & { readonly class: ConditionErrorClass };

/** The classes of errors that can affect every resource of a provider, sorted by how far the failed call got. */
export const providerErrorClasses = [
  'CredentialsUnreadable',
  'Unreachable',
  'TlsFailed',
  'Exhausted',
  'LoginRefused',
  'CredentialsRefused',
  'Throttled',
  'QuotaExceeded',
  'ReadOnly',
  'Forbidden',
] as const;
export type ProviderErrorClass = (typeof providerErrorClasses)[number];

const reasons = {
  CredentialsUnreadable: 'CannotReadCredentials',
  CredentialsRefused: 'CredentialsRefused',
  LoginRefused: 'LoginRefused',
  Unreachable: 'ProviderUnreachable',
  TlsFailed: 'TlsFailed',
  Exhausted: 'ServerExhausted',
  ReadOnly: 'ServerReadOnly',
  Throttled: 'Throttled',
  QuotaExceeded: 'QuotaExceeded',
  Forbidden: 'Forbidden',
  Invalid: 'InvalidValue',
  Conflict: 'Conflict',
  MarkLost: 'MarkLost',
  NotReady: undefined,
  OutOfService: 'OutOfService',
  Unknown: undefined,
  OtherSystem: 'OtherSystem',
  ExternalMissing: 'ExternalResourceNotFound',
  ExternalRenamed: 'ExternalResourceRenamed',
  SecretConflict: 'SecretConflict',
  NamespaceNotFound: 'NamespaceNotFound',
  DependencyNotFound: 'DependencyNotFound',
  DependencyDeleting: 'DependencyDeleting',
  StoreTokenUnreadable: 'CannotReadCredentials',
  StoreFailing: undefined,
  RequestRefused: 'RequestRefused',
  SecretsForbidden: 'SecretsForbidden',
  SecretsExcluded: 'SecretsExcluded',
  CredentialCannotChange: 'CredentialCannotChange',
  NoEffect: 'NoEffect',
  DataLost: undefined,
  ObserveOnly: 'ObserveOnly',
  StackBug: 'StackBug',
} as const satisfies Readonly<Record<ConditionErrorClass, ReadyReason | undefined>>;

/** The reason that a provider's Ready condition gets if calls fail with this class. */
export const providerReasonOf = (errorClass: ProviderErrorClass): ProviderReason => reasons[errorClass];

/** The reason that Ready gets for the field `error` of a condition. Undefined if the error's class has no reason. */
export const reasonOfError = (error: Condition['error']): ReadyReason | undefined =>
  error !== undefined && Object.hasOwn(reasons, error.class)
    ? reasons[error.class as ConditionErrorClass]
    : undefined;

/** Whether a call that failed with this class shows that the external system accepted the credentials. */
export const haveCredentialsWorked = (errorClass: ProviderErrorClass): boolean =>
  ['Throttled', 'QuotaExceeded', 'ReadOnly', 'Forbidden'].includes(errorClass);

const isExternal = (error: unknown): boolean =>
  [apiErrorIn, bugIn, controllerErrorIn].every((found) => found(error) === undefined);

/** The class of an error that can affect every resource of a provider. Undefined if it affects only one resource. */
export function providerErrorClassOf(error: unknown): ProviderErrorClass | undefined {
  const errorClass = isExternal(error) ? errorClassOf(error) : 'Unknown';
  return providerErrorClasses.find((each) => each === errorClass);
}

/**
 * The class of an error of `connect`, by default CredentialsUnreadable. Undefined for a bug, for an error of a
 * controller, and for an error of the API server other than a 403.
 */
export const connectErrorClassOf = (error: unknown): ProviderErrorClass | undefined =>
  isExternal(error) || isForbidden(error)
    ? (providerErrorClassOf(error) ?? 'CredentialsUnreadable')
    : undefined;

/** The field `error` of a condition for the failure of a step. Undefined if no class describes the failure. */
export function conditionErrorOf(
  error: unknown,
  step: 'connect' | 'call' | undefined,
): ConditionError | undefined {
  if (bugIn(error) !== undefined) return { class: 'StackBug' };
  const { isExcluded, namespace } = apiErrorIn(error)?.secretsOf ?? {};
  if (isExcluded !== undefined) {
    return { class: isExcluded ? 'SecretsExcluded' : 'SecretsForbidden', ...(namespace && { namespace }) };
  }
  const own = controllerErrorIn(error);
  if (own !== undefined) return { class: own.errorClass, ...(own.namespace && { namespace: own.namespace }) };
  if (step === undefined && isRefused(error)) return { class: 'RequestRefused' };
  if (step === undefined || !isExternal(error)) return undefined;
  const { advice, holder } = errorFactsOf(error) ?? {};
  return {
    class: (step === 'connect' ? connectErrorClassOf(error) : undefined) ?? errorClassOf(error),
    ...(advice && { advice: advice.kinds, ...(advice.fields && { fields: advice.fields }) }),
    ...(holder && { holder }),
  };
}
