/** A fault of the next `times` requests that match. */
export interface Fault {
  /**
   * - `fail`: answers `status` without doing the work.
   * - `gateway`: a proxy in front of the cloud answers `status` with a page or `text`; the cloud does not see the request.
   * - `loseResponse`: does the work, then cuts the connection.
   * - `stall`: does the work, and never answers.
   * - `hang`: takes the request and never answers; the work is not done.
   * - `cut`: cuts the connection without doing the work.
   */
  readonly kind: 'fail' | 'gateway' | 'loseResponse' | 'stall' | 'hang' | 'cut';
  /** Default 1. */
  readonly times?: number;
  /** Default: every method. */
  readonly method?: string;
  /** Path template, for example `/v1/instances/{name}`; default: every path. */
  readonly path?: string;
  /** Of `fail`, default 500; of `gateway`, default 502. */
  readonly status?: number;
  /** Of `gateway`: its answer in place of a page, for example ``. */
  readonly text?: string;
  /** Seconds, for the Retry-After header of `fail`. */
  readonly retryAfter?: number;
}

export interface Faults {
  inject(fault: Fault): void;
  /** Removes the faults that have not happened yet. */
  clear(): void;
  /** The fault of this request. It counts as used. */
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  let pending: { readonly fault: Fault; left: number }[] = [];
  return {
    inject(fault) {
      pending.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      pending = [];
    },
    take(method, path) {
      const met = pending.find(
        ({ fault }) => (fault.method ?? method) === method && (fault.path ?? path) === path,
      );
      if (met === undefined) return undefined;
      met.left -= 1;
      pending = pending.filter(({ left }) => left > 0);
      return met.fault;
    },
  };
}
