import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { ConditionErrorClass } from '../../controllers/core/error-class.ts';

/** A failure as a condition reports it: the message for people, the error for programs. */
export interface Failure {
  readonly message: string;
  readonly error: Condition['error'] | undefined;
}

/** The fault that an error of an external system shows. */
export type ExternalTrouble =
  | 'wrong credentials'
  | 'not allowed'
  | 'provider down'
  | 'rate limited'
  | 'quota'
  | 'name taken'
  | 'refused';

/** Undefined: other faults explain it. */
const troubles: Readonly<Record<ConditionErrorClass, ExternalTrouble | undefined>> = {
  CredentialsUnreadable: 'wrong credentials',
  CredentialsRefused: 'wrong credentials',
  Forbidden: 'not allowed',
  Unreachable: 'provider down',
  Throttled: 'rate limited',
  QuotaExceeded: 'quota',
  Conflict: 'name taken',
  Invalid: 'refused',
  NotReady: 'refused',
  Unknown: 'refused',
  ExternalMissing: undefined,
  OtherSystem: undefined,
  SecretsForbidden: undefined,
  SecretsExcluded: undefined,
};

/** Undefined: the failure is not about an external system. A class that this version does not know counts as `refused`. */
export function externalTrouble(error: Condition['error'] | undefined): ExternalTrouble | undefined {
  if (error === undefined) return undefined;
  return Object.hasOwn(troubles, error.class) ? troubles[error.class as ConditionErrorClass] : 'refused';
}

/** Whether a condition reports that no external resource exists. */
export const isExternalMissing = ({ error }: Pick<Partial<Condition>, 'error'>): boolean =>
  isOfClass(error, 'ExternalMissing');

/** Whether an error is of one of these classes. A class that does not exist does not compile. */
export const isOfClass = (
  error: Condition['error'] | undefined,
  ...classes: readonly ConditionErrorClass[]
): boolean => error !== undefined && (classes as readonly string[]).includes(error.class);
