/** An error of PostgreSQL, as the driver throws it. */
export class ServerError extends Error {
  override readonly name = 'error';
  /** SQLSTATE. */
  readonly code: string;
  readonly detail: string | undefined;
  /** The function of the server that refused. */
  readonly routine: string | undefined;

  constructor(
    code: string,
    message: string,
    { detail, routine }: { readonly detail?: string; readonly routine?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.routine = routine;
  }
}

export const missing = {
  role: (name: string) => new ServerError('42704', `role "${name}" does not exist`),
  database: (name: string) => new ServerError('3D000', `database "${name}" does not exist`),
  schema: (name: string) => new ServerError('3F000', `schema "${name}" does not exist`),
};

export const sessionEnded = (): ServerError =>
  new ServerError('57P01', 'terminating connection due to administrator command');
