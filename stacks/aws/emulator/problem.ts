/** A refusal: what a service answers instead of the thing asked for. */
export class AwsProblem extends Error {
  override readonly name = 'AwsProblem';
  readonly status: number;
  /** AWS's own, for example `InvalidVpcID.NotFound`. */
  readonly code: string;
  /** The code in the query protocol, for a service that had that protocol before. Present if it differs. */
  readonly queryCode: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: string,
    message: string,
    options: {
      /** Default 400. */
      readonly status?: number;
      readonly queryCode?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = options.status ?? 400;
    this.queryCode = options.queryCode;
    this.headers = options.headers ?? {};
  }
}
