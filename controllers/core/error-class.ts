import type { Condition, ControllerErrorClass } from '../../apis/core/v1alpha1/condition.ts';
import type { ExternalErrorClass } from '../../clients/external-error.ts';
import { errorClassOf, errorFactsOf } from '../../clients/external-error.ts';
import { apiErrorIn, isForbidden } from '../../runtime/client/errors.ts';
import { bugIn } from '../../runtime/log/bug.ts';

export type ConditionErrorClass = ExternalErrorClass | ControllerErrorClass;

export type ConditionError = NonNullable<Condition['error']> & { readonly class: ConditionErrorClass };

/** The classes of errors that can affect every resource of a provider, in the order in which a call can meet them. */
export const providerErrorClasses = [
  'CredentialsUnreadable',
  'Unreachable',
  'CredentialsRefused',
  'Throttled',
  'QuotaExceeded',
  'Forbidden',
] as const;
export type ProviderErrorClass = (typeof providerErrorClasses)[number];

/** Whether the external system has accepted the credentials of a call that failed. */
export const haveCredentialsWorked = (errorClass: ProviderErrorClass): boolean =>
  ['Throttled', 'QuotaExceeded', 'Forbidden'].includes(errorClass);

const isExternal = (error: unknown): boolean => apiErrorIn(error) === undefined && bugIn(error) === undefined;

/** The class of an error that can affect every resource of a provider. Undefined: it affects only one resource. */
export function providerErrorClassOf(error: unknown): ProviderErrorClass | undefined {
  const errorClass = isExternal(error) ? errorClassOf(error) : 'Unknown';
  return providerErrorClasses.find((each) => each === errorClass);
}

/** The same for an error of `connect`: other external errors, and a Secret that RBAC hides, are CredentialsUnreadable. */
export const connectErrorClassOf = (error: unknown): ProviderErrorClass | undefined =>
  isExternal(error) || isForbidden(error)
    ? (providerErrorClassOf(error) ?? 'CredentialsUnreadable')
    : undefined;

/** The field `error` of a condition, for the failure of a step. Undefined: the condition needs only its message. */
export function conditionErrorOf(
  error: unknown,
  step: 'connect' | 'call' | undefined,
): ConditionError | undefined {
  const { isExcluded, namespace } = apiErrorIn(error)?.secretsOf ?? {};
  if (isExcluded !== undefined) {
    return { class: isExcluded ? 'SecretsExcluded' : 'SecretsForbidden', ...(namespace && { namespace }) };
  }
  if (step === undefined || !isExternal(error)) return undefined;
  const { advice, holder } = errorFactsOf(error) ?? {};
  return {
    class: (step === 'connect' ? connectErrorClassOf(error) : undefined) ?? errorClassOf(error),
    ...(advice && { advice: advice.kinds, ...(advice.fields && { fields: advice.fields }) }),
    ...(holder && { holder }),
  };
}
