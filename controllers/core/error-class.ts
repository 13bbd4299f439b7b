import type { Condition, ControllerErrorClass } from '../../apis/core/v1alpha1/condition.ts';
import type { ExternalErrorClass } from '../../clients/external-error.ts';
import { errorClassOf, errorFactsOf } from '../../clients/external-error.ts';
import { apiErrorIn, isForbidden } from '../../runtime/client/errors.ts';
import { bugIn } from '../../runtime/log/bug.ts';

export type ConditionErrorClass = ExternalErrorClass | ControllerErrorClass;

export type ConditionError = NonNullable<Condition['error']> & { readonly class: ConditionErrorClass };

/** A failure of the provider, not of one resource. */
export type Fault = 'CredentialsUnreadable' | 'CredentialsRefused' | 'Unreachable';

const isExternal = (error: unknown): boolean => apiErrorIn(error) === undefined && bugIn(error) === undefined;

export function faultOf(error: unknown): Fault | undefined {
  const errorClass = isExternal(error) ? errorClassOf(error) : 'Unknown';
  return errorClass === 'CredentialsRefused' || errorClass === 'Unreachable' ? errorClass : undefined;
}

/** A Secret that RBAC hides from the controllers counts as unreadable. */
export const faultOfConnecting = (error: unknown): Fault | undefined =>
  isExternal(error) || isForbidden(error) ? (faultOf(error) ?? 'CredentialsUnreadable') : undefined;

/** The failure of a step as data. Undefined: the message contains everything. */
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
    class: (step === 'connect' ? faultOfConnecting(error) : undefined) ?? errorClassOf(error),
    ...(advice && { advice: advice.kinds, ...(advice.fields && { fields: advice.fields }) }),
    ...(holder && { holder }),
  };
}
