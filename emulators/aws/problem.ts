/** A refusal: what a service answers instead of the thing asked for. */
export class AwsProblem extends Error {
  override readonly name = 'AwsProblem';
  readonly status: number;
  /** AWS's own, as `InvalidVpcID.NotFound`. */
  readonly code: string;
  /** What a service that once spoke the query protocol called it there, if it differs. */
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
