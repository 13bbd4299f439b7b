/** A refusal: the answer of the cloud instead of the requested resource. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** Machine-readable, for example `AlreadyExists`. */
  readonly code: string;
  /** The field of the request that is at fault. */
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    { field, headers = {} }: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.headers = headers;
  }
}

/** The code names the missing resource, so that a client can tell a wrong path from a deleted resource. */
export const notFound = (noun: string, name: string): Problem =>
  new Problem(
    404,
    `${noun.charAt(0).toUpperCase()}${noun.slice(1)}NotFound`,
    `${noun} "${name}" does not exist`,
  );
export const conflict = (code: string, message: string): Problem => new Problem(409, code, message);
export const invalid = (field: string, message: string): Problem =>
  new Problem(422, 'InvalidArgument', `${field} ${message}`, { field });
