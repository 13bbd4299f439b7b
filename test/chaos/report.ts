import type { Usage } from './replica.ts';

/** Something that must not be: what, about which object, when. */
export interface Violation {
  readonly at: string;
  readonly object: string;
  readonly problem: string;
  /** The faults just before. */
  readonly during: string;
}

/** One fault, and how long the recovery of its round took. */
export interface FaultRecord {
  readonly kind: string;
  readonly round: number;
  /** From the end of the last fault of its round until the desired state held; absent if it never did. */
  readonly recoveryMs?: number;
}

/** One run of the process. */
export interface LifeRecord {
  readonly user: string;
  readonly seconds: number;
  readonly end: string;
  readonly first?: Usage;
  readonly last?: Usage;
}

export interface Report {
  readonly claims: number;
  /** For how long there were faults. */
  readonly minutes: number;
  readonly seed: number;
  readonly rounds: number;
  readonly faults: readonly FaultRecord[];
  readonly violations: readonly Violation[];
  /** The longest that one object was not as desired: while faults went on, and after them. */
  readonly longestStall:
    | { readonly object: string; readonly problem: string; readonly seconds: number }
    | undefined;
  readonly lives: readonly LifeRecord[];
}

/** How often a kind of fault happened, and the longest recovery of its rounds. */
export interface Recovery {
  readonly kind: string;
  readonly count: number;
  /** Absent if a round did not recover. */
  readonly worstMs?: number;
}

/** The recoveries of each kind of fault, by name. */
export const recoveries = (faults: readonly FaultRecord[]): readonly Recovery[] =>
  [...Map.groupBy(faults, ({ kind }) => kind)]
    .map(([kind, all]) => {
      const worstMs = Math.max(...all.map(({ recoveryMs = Number.POSITIVE_INFINITY }) => recoveryMs));
      return { kind, count: all.length, ...(Number.isFinite(worstMs) && { worstMs }) };
    })
    .toSorted((a, b) => a.kind.localeCompare(b.kind));

const usage = (reported: Usage | undefined): string =>
  reported === undefined
    ? 'unknown'
    : `${reported.rssMiB} MiB, ${reported.sockets} sockets, ${reported.descriptors} descriptors`;

/** The report for people; its last line counts faults and violations. */
export function reportText(report: Report): string {
  const { faults, violations, longestStall } = report;
  const all = recoveries(faults);
  const width = Math.max(...all.map(({ kind }) => kind.length), 5);
  const table = all.map(({ kind, count, worstMs }) => {
    const worst = worstMs === undefined ? 'never' : (worstMs / 1000).toFixed(1);
    return `${kind.padEnd(width)} ${String(count).padStart(5)} ${worst.padStart(8)}`;
  });
  const lives = report.lives.map(
    ({ user, seconds: lasted, end, first, last }) =>
      `${user.padEnd(10)} ${String(Math.round(lasted)).padStart(5)} s  ${end.padEnd(24)} first ${usage(first)}; last ${usage(last)}`,
  );
  const stall =
    longestStall === undefined
      ? 'none'
      : `${longestStall.seconds.toFixed(1)} s, ${longestStall.object}: ${longestStall.problem}`;
  return [
    [`${'fault'.padEnd(width)} count  worst s until the desired state held again`, ...table],
    [`lives of the process`, ...lives],
    [`longest stall of one object, faults included: ${stall}`],
    violations.map(({ at, object, problem, during }) => `VIOLATION ${at} ${object}: ${problem} (${during})`),
    [
      `${report.claims} claims at first, ${report.minutes} minutes, seed ${report.seed}: ${report.rounds} rounds, ${faults.length} faults, ${violations.length} violations`,
    ],
  ]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}
