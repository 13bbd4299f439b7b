/*
 *   an external client classifies each of its errors once, by code ──▶ `errorClass` on the error ──▶ conditions, metrics, trace
 */

/**
 * The kind of failure of a call of an external system:
 * - `CredentialsRefused`: the external system does not accept the credentials.
 * - `Forbidden`: the credentials work, and do not allow this call.
 * - `LoginRefused`: the external system does not let this user in, whatever the password: its rules for access.
 * - `Unreachable`: no answer: no connection, a timeout, a gateway without the system behind it.
 * - `TlsFailed`: no secure connection: the certificate is not trusted, or there is no TLS.
 * - `Exhausted`: the server has no connection, disk or memory left. The same call works later.
 * - `ReadOnly`: the server changes nothing, for example because it is a standby.
 * - `Throttled`: too many requests; the same call works later.
 * - `QuotaExceeded`: a limit of the account. The same call fails until a user frees resources or
 *   raises the limit.
 * - `Invalid`: the external system refuses the values of the request, for example a password that its policy refuses.
 * - `Conflict`: another resource has the name, or blocks the call.
 * - `MarkLost`: the external resource was managed here. It has no mark now, or that of another resource; or another one
 *   has its name.
 * - `NotReady`: something that the call needs is busy, locked or does not exist yet.
 * - `OutOfService`: the external resource is in a state that only a person ends: it failed, was stopped, or lacks
 *   something that it needs.
 * - `Unknown`: anything else.
 */
export const externalErrorClasses = [
  'CredentialsRefused',
  'LoginRefused',
  'Forbidden',
  'Unreachable',
  'TlsFailed',
  'Exhausted',
  'ReadOnly',
  'Throttled',
  'QuotaExceeded',
  'Invalid',
  'Conflict',
  'MarkLost',
  'NotReady',
  'OutOfService',
  'Unknown',
] as const;
/** One of {@link externalErrorClasses}. */
export type ExternalErrorClass = (typeof externalErrorClasses)[number];

/**
 * The action with which a user can fix an error:
 * - `ChangeFields`: change `fields` of the managed resource.
 * - `ChangeProvider`: change `fields` of the Provider or ProviderConfig.
 * - `ChangeCredential`: edit or delete the password in the connection Secret of the managed resource.
 * - `ChooseExternalName`: give the managed resource another external name.
 * - `ObserveOnly`: only observe the external resource, with spec.managementPolicies.
 * - `HandOver`: mark the external resource as owned by the managed resource; the message contains the command.
 */
export type AdviceKind =
  | 'ChangeFields'
  | 'ChangeProvider'
  | 'ChangeCredential'
  | 'ChooseExternalName'
  | 'ObserveOnly'
  | 'HandOver';

/** The advice of an error. `fields` are paths from the root of the object, such as `spec.forProvider.engineVersion`. */
export interface Advice {
  readonly kinds: readonly AdviceKind[];
  readonly fields?: readonly string[];
}

/**
 * The owner of an external resource that has the wanted name. `kind` and `name` are from its tags; absent: the tags do
 * not name them.
 */
export interface Holder {
  readonly by: 'Nobody' | 'AnotherResource';
  readonly kind?: string;
  readonly name?: string;
}

/** The data of an external client's error, beside its message. */
export interface ErrorFacts {
  readonly errorClass: ExternalErrorClass;
  readonly advice?: Advice | undefined;
  readonly holder?: Holder | undefined;
}

/** An error of an external client that is no answer of a server, or whose client has no error type of its own. */
export class ExternalError extends Error implements ErrorFacts {
  override readonly name = 'ExternalError';
  readonly errorClass: ExternalErrorClass;
  readonly advice: Advice | undefined;
  readonly holder: Holder | undefined;

  constructor(
    message: string,
    { errorClass, advice, holder, cause }: ErrorFacts & { readonly cause?: unknown },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.errorClass = errorClass;
    this.advice = advice;
    this.holder = holder;
  }
}

/** The external system refuses the values of a request. */
export const invalid = (message: string, advice?: Advice): ExternalError =>
  new ExternalError(message, { errorClass: 'Invalid', advice });

/** The advice to change fields of `forProvider`. */
export const changing = (...fields: readonly string[]): Advice => ({
  kinds: ['ChangeFields'],
  fields: fields.map((field) => `spec.forProvider.${field}`),
});

/** The external system cannot make the changes; the refusals are sentences for a condition. */
export class ChangeRefused extends ExternalError {
  readonly refusals: readonly string[];

  constructor(refusals: readonly string[]) {
    super(refusals.join('; '), { errorClass: 'Invalid' });
    this.refusals = refusals;
  }
}

const isClass = (value: unknown): value is ExternalErrorClass =>
  (externalErrorClasses as readonly unknown[]).includes(value);

/** The data of the first error that has a class, among an error and its causes. Undefined: none has. */
export function errorFactsOf(error: unknown): ErrorFacts | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { errorClass, advice, holder } = current as Partial<ErrorFacts>;
    if (isClass(errorClass)) return { errorClass, ...(advice && { advice }), ...(holder && { holder }) };
  }
  return undefined;
}

/** The class of an error. `Unknown` if its client gave it no class. */
export const errorClassOf = (error: unknown): ExternalErrorClass =>
  errorFactsOf(error)?.errorClass ?? 'Unknown';

const byStatus: Readonly<Record<number, ExternalErrorClass>> = {
  401: 'CredentialsRefused',
  402: 'QuotaExceeded',
  403: 'Forbidden',
  408: 'Unreachable',
  409: 'Conflict',
  412: 'Conflict',
  423: 'NotReady',
  425: 'NotReady',
  429: 'Throttled',
  502: 'Unreachable',
  503: 'Unreachable',
  504: 'Unreachable',
  507: 'QuotaExceeded',
};

/** The class of an error answer, by its HTTP status. */
export const classOfStatus = (status: number): ExternalErrorClass =>
  byStatus[status] ?? (status >= 400 && status < 500 ? 'Invalid' : 'Unknown');

/** The first code among an error, its causes and, if all addresses of a name failed, their errors. */
export function codeIn(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code } = current as { readonly code?: unknown };
    if (typeof code === 'string') return code;
    if (current instanceof AggregateError) return codeIn(current.errors[0]);
  }
  return undefined;
}
