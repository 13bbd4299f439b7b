import type { HttpClient, HttpClientOptions, VendorError } from '../../../package/http.ts';
import { CloudError, httpClient } from '../../../package/http.ts';
import type { ExternalErrorClass } from '../../../package/stack.ts';
import { advice } from '../advice.ts';

/** The name of the cloud in messages. */
export const cloud = 'Google Cloud';

export interface GoogleApiOptions extends Omit<HttpClientOptions, 'cloud' | 'errorIn'> {
  /** The account that needs the permissions, for messages. */
  readonly account: string;
}

/**
 * A client of one of Google's APIs, by JSON over HTTP. Errors contain the text of google.rpc.Status and name the wrong
 * fields.
 */
export const googleApi = ({ account, ...options }: GoogleApiOptions): HttpClient =>
  httpClient({ ...options, cloud, errorIn: googleErrorIn(account), errorClasses: codeClasses });

/** google.rpc.Status. An answer has it under `error`, and an operation in its `error`. */
export interface RpcStatus {
  /** In an answer the HTTP status, in an operation the number of the code. */
  readonly code?: number;
  /** The name of the code; only in an answer. */
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly unknown[];
}

/** The canonical codes (google.rpc.Code), by number. */
const codes: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE'],
  ...['UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
];

/** The classes of the canonical codes that are more precise than the HTTP status. Operations have no HTTP status. */
export const codeClasses: Readonly<Record<string, ExternalErrorClass>> = {
  ABORTED: 'NotReady',
  ALREADY_EXISTS: 'Conflict',
  DEADLINE_EXCEEDED: 'Unreachable',
  FAILED_PRECONDITION: 'NotReady',
  INVALID_ARGUMENT: 'Invalid',
  NOT_FOUND: 'Invalid',
  OUT_OF_RANGE: 'Invalid',
  PERMISSION_DENIED: 'Forbidden',
  PROJECT_NOT_FOUND: 'Invalid',
  UNAUTHENTICATED: 'CredentialsRefused',
  UNAVAILABLE: 'Unreachable',
  UNIMPLEMENTED: 'Invalid',
};

/** For a region that does not exist, Google answers with the code for a missing permission. */
const noRegion = /denied on '([^']*\/)?locations\/[^']*' \(or it may not exist\)/;

/** Some APIs answer so for a project that does not exist, and others with NOT_FOUND. */
const noProject = /^Permission denied on resource project /;

/** The name of a code by its number; the number itself where there is none. */
export const codeNamed = (number: number | undefined): string => codes[number ?? 2] ?? String(number);

/** Parses an error answer of Google's APIs. If a permission is missing, the message names `account`. */
export const googleErrorIn =
  (account: string) =>
  (answer: unknown): VendorError => {
    const { error } = (answer ?? {}) as { readonly error?: RpcStatus | null };
    return error === undefined || error === null ? {} : wordsOf(error, account);
  };

/**
 * The content of a status: code, message, wrong fields, missing permission. A project that does not exist gets a code
 * of its own. Otherwise it would look like a missing resource in the project.
 */
export function wordsOf({ status, message = '', details = [] }: RpcStatus, account: string): VendorError {
  const violations = details.flatMap(violationsIn);
  // guard: otherwise a missing project proves absence
  const isAboutProject = status === 'NOT_FOUND' && /^Requested project not found/.test(message);
  const isAboutRegion = status === 'PERMISSION_DENIED' && noRegion.test(message);
  const text = [
    message,
    ...violations.flatMap(({ field, description }) =>
      description === '' || message.includes(description) ? [] : [`${field}: ${description}`],
    ),
    ...(status === 'PERMISSION_DENIED' ? [missing(message, details, account)] : []),
    ...(isAboutProject || noProject.test(message) ? [advice.correctProject] : []),
  ];
  return {
    code: isAboutProject ? 'PROJECT_NOT_FOUND' : status,
    message: text.map((part) => part.replace(/\.$/, '')).join('; '),
    fields: [
      ...violations.flatMap(({ field }) => (field === '' ? [] : [field])),
      ...(isAboutRegion ? ['region'] : []),
    ],
    ...(isAboutRegion && { errorClass: 'Invalid' }),
    ...(isAboutProject && { advice: { kinds: ['ChangeProvider'], fields: ['spec.projectID'] } }),
  };
}

/** The sentence about an account and its missing permission. */
function missing(message: string, details: readonly unknown[], account: string): string {
  const { permission } = details.map(errorInfoOf).find((info) => info.permission !== undefined) ?? {};
  const what = permission === undefined || message.includes(permission) ? '' : `${permission} is needed, `;
  return `${what}asked as ${account}`;
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** google.rpc.BadRequest. */
function violationsIn(detail: unknown): readonly Violation[] {
  const { fieldViolations } = (detail ?? {}) as { readonly fieldViolations?: unknown };
  if (!Array.isArray(fieldViolations)) return [];
  return fieldViolations.map((violation: Partial<Violation> | null) => ({
    field: String(violation?.field ?? ''),
    description: String(violation?.description ?? ''),
  }));
}

/** The missing permission in a google.rpc.ErrorInfo. */
function errorInfoOf(detail: unknown): { readonly permission?: string } {
  const { metadata } = (detail ?? {}) as { readonly metadata?: { readonly permission?: unknown } | null };
  return typeof metadata?.permission === 'string' ? { permission: metadata.permission } : {};
}

/** A path of names, such as `projects/p/locations/l`. Throws CloudError for a name that would lead to another path. */
export function pathOf(...segments: readonly string[]): string {
  const bad = segments.find((segment) => ['', '.', '..'].includes(segment));
  // guard: otherwise a request goes to another path
  if (bad !== undefined) {
    throw new CloudError(`nothing in ${cloud} can have the name "${bad}"`, {
      status: 0,
      code: 'InvalidName',
      isRetryable: false,
    });
  }
  return `/v1/${segments.map(encodeURIComponent).join('/')}`;
}
