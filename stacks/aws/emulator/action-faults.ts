/** A fault of the next `times` requests that match. JSON, for the control endpoint. */
export interface Fault {
  /**
   * - `fail`: refuses with `code`, without doing the work.
   * - `gateway`: a proxy in front of the cloud answers `status`; the cloud does not see the request.
   * - `loseResponse`: does the work, then cuts the connection; with `code`, refuses with that instead.
   * - `stall`: does the work, and never answers.
   * - `hang`: takes the request and never answers; the work is not done.
   * - `cut`: cuts the connection without doing the work.
   */
  readonly kind: 'fail' | 'gateway' | 'loseResponse' | 'stall' | 'hang' | 'cut';
  /** Default 1. */
  readonly times?: number;
  /** For example `ec2:CreateVpc`; `ec2:*` is every action of a service. Default: every action but `sts:GetCallerIdentity`. */
  readonly action?: string;
  /** Default `InternalError`. */
  readonly code?: string;
  readonly message?: string;
  /** Of `fail`, default 500; of `gateway`, default 502. */
  readonly status?: number;
  /** Seconds, for the Retry-After header of `fail`. */
  readonly retryAfter?: number;
}

export interface Faults {
  inject(fault: Fault): void;
  /** Removes the faults that have not happened yet. */
  clear(): void;
  /** The fault of this request. It counts as used. */
  take(action: string): Fault | undefined;
}

/** Clients call this action before any other. */
const preliminary = 'sts:GetCallerIdentity';

export function createFaults(): Faults {
  let pending: { readonly fault: Fault; left: number }[] = [];
  const matches = ({ action: wanted }: Fault, action: string): boolean =>
    wanted === undefined
      ? action !== preliminary
      : wanted === action || wanted === `${action.split(':')[0]}:*`;
  return {
    inject(fault) {
      pending.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      pending = [];
    },
    take(action) {
      const met = pending.find(({ fault }) => matches(fault, action));
      if (met === undefined) return undefined;
      met.left -= 1;
      pending = pending.filter(({ left }) => left > 0);
      return met.fault;
    },
  };
}
