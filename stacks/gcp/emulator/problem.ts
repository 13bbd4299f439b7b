/** The canonical codes of google.rpc.Code that this cloud answers with: their number, and the status of HTTP. */
const codes = {
  INVALID_ARGUMENT: { number: 3, http: 400 },
  NOT_FOUND: { number: 5, http: 404 },
  ALREADY_EXISTS: { number: 6, http: 409 },
  PERMISSION_DENIED: { number: 7, http: 403 },
  RESOURCE_EXHAUSTED: { number: 8, http: 429 },
  FAILED_PRECONDITION: { number: 9, http: 400 },
  INTERNAL: { number: 13, http: 500 },
  UNAVAILABLE: { number: 14, http: 503 },
  UNAUTHENTICATED: { number: 16, http: 401 },
} as const;

export type Code = keyof typeof codes;

/** A message of google.rpc, as ErrorInfo, with its `@type`. */
export type Detail = Readonly<Record<string, unknown>>;

/** An error: google.rpc.Status. */
export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details?: readonly Detail[];
}

/** An error in the format of Google's APIs. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: Code;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: Code,
    message: string,
    {
      details = [],
      headers = {},
    }: { readonly details?: readonly Detail[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get httpStatus(): number {
    return codes[this.code].http;
  }

  /** The body of the reply. It contains the HTTP status instead of the number of the code. */
  body(): object {
    const details = this.details.length === 0 ? {} : { details: this.details };
    return { error: { code: this.httpStatus, message: this.message, status: this.code, ...details } };
  }

  /** As an operation carries it: with the number of the code. */
  status(): Status {
    return { code: codes[this.code].number, message: this.message };
  }
}

/** The code for an HTTP status. */
export function codeOfHttpStatus(status: number): Code {
  const preferred: Readonly<Record<number, Code>> = { 400: 'INVALID_ARGUMENT', 409: 'ALREADY_EXISTS' };
  const found = (Object.keys(codes) as Code[]).find((code) => codes[code].http === status);
  return preferred[status] ?? found ?? 'INTERNAL';
}

/** @returns the detail that names a reason for machines. */
export const errorInfo = (
  reason: string,
  domain: string,
  metadata: Readonly<Record<string, string>> = {},
): Detail => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata });

/** @returns a refusal that names the field at fault, as the API spells it: `instance.memory_size_gb`. */
export const invalid = (field: string, message: string, description = message): Problem =>
  new Problem('INVALID_ARGUMENT', message, {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description }],
      },
    ],
  });
