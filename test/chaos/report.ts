import type { Busiest } from './audit-rules.ts';
import type { Usage } from './replica.ts';

/** Something that must not be: what, about which object, when. */
export interface Violation {
  readonly at: string;
  readonly object: string;
  readonly problem: string;
  /** The faults just before. */
  readonly during: string;
}

/** One fault, from its beginning to when all was well again. */
export interface FaultRecord {
  readonly kind: string;
  readonly detail: string;
  readonly round: number;
  readonly startedAt: string;
  readonly lastedMs: number;
  /** From the end of the last fault of its round until the desired state held; absent if it never did. */
  readonly recoveryMs?: number;
  /** Whether it was the only one of its round, so that the recovery is its own. */
  readonly wasAlone: boolean;
}

/** One run of the process. */
export interface LifeRecord {
  readonly user: string;
  readonly seconds: number;
  readonly end: string;
  readonly first?: Usage;
  readonly last?: Usage;
  readonly most?: Usage;
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
  readonly before: Usage | undefined;
  readonly after: Usage | undefined;
  readonly requests: number;
  readonly busiest: readonly Busiest[];
  readonly busiestExternal: readonly Busiest[];
  /** Connections through each link. */
  readonly busiestLinks: readonly Busiest[];
  readonly userActions: Readonly<Record<string, number>>;
  readonly quiet: { readonly seconds: number; readonly writes: number };
}

/** Half of these are at most that; undefined for none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** How often a kind of fault happened, and how long until all was well, in ms, where it was alone. */
export interface Recovery {
  readonly kind: string;
  readonly count: number;
  readonly medianMs?: number;
  readonly worstMs?: number;
}

export const severalAtOnce = 'several at once';

/** By kind, the most frequent first; rounds of several faults are counted by themselves, too. */
export function recoveries(faults: readonly FaultRecord[]): readonly Recovery[] {
  const rows = [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) =>
    recovery(
      kind,
      all.length,
      all.filter(({ wasAlone }) => wasAlone),
    ),
  );
  const together = faults.filter(({ wasAlone }) => !wasAlone);
  const rounds = [...Map.groupBy(together, ({ round }) => round).values()].map(([first]) => first!);
  const sorted = rows.toSorted((a, b) => a.kind.localeCompare(b.kind));
  return rounds.length === 0 ? sorted : [...sorted, recovery(severalAtOnce, rounds.length, rounds)];
}

function recovery(kind: string, count: number, timed: readonly FaultRecord[]): Recovery {
  const times = timed.flatMap(({ recoveryMs }) => recoveryMs ?? []);
  const [medianMs, worstMs] = [median(times), times.length === 0 ? undefined : Math.max(...times)];
  return {
    kind,
    count,
    ...(medianMs !== undefined && { medianMs }),
    ...(worstMs !== undefined && { worstMs }),
  };
}

const seconds = (ms: number | undefined): string => (ms === undefined ? '' : (ms / 1000).toFixed(1));
const usage = (told: Usage | undefined): string =>
  told === undefined
    ? 'unknown'
    : `${told.rssMiB} MiB, ${told.sockets} sockets, ${told.descriptors} descriptors`;

/** The report for people; its last line counts faults and violations. */
export function reportText(report: Report): string {
  const { faults, violations, longestStall, busiest, busiestExternal, busiestLinks, quiet } = report;
  const all = recoveries(faults);
  const width = Math.max(...all.map(({ kind }) => kind.length), 5);
  const table = all.map(({ kind, count, medianMs, worstMs }) =>
    [
      kind.padEnd(width),
      String(count).padStart(5),
      seconds(medianMs).padStart(8),
      seconds(worstMs).padStart(8),
    ].join(' '),
  );
  const lives = report.lives.map(
    ({ user, seconds: lasted, end, first, most, last }) =>
      `${user.padEnd(10)} ${String(Math.round(lasted)).padStart(5)} s  ${end.padEnd(24)} first ${usage(first)}; most ${usage(most)}; last ${usage(last)}`,
  );
  const stall =
    longestStall === undefined
      ? 'none'
      : `${longestStall.seconds.toFixed(1)} s, ${longestStall.object}: ${longestStall.problem}`;
  return [
    [`${'fault'.padEnd(width)} count  median s  worst s until the desired state held again`, ...table],
    [`lives of the process`, ...lives],
    [
      `longest stall of one object, faults included: ${stall}`,
      `the leader before the faults: ${usage(report.before)}`,
      `the leader after them:        ${usage(report.after)}`,
      `requests to the API server: ${report.requests}; the most about one thing in a minute:`,
      ...busiest.slice(0, 5).map(({ what, perMinute }) => `  ${perMinute} ${what}`),
      'the most calls of a cloud about one thing in a minute:',
      ...busiestExternal.slice(0, 3).map(({ what, perMinute }) => `  ${perMinute} ${what}`),
      `the most connections in a minute: ${busiestLinks.map(({ what, perMinute }) => `${what} ${perMinute}`).join(', ')}`,
      `users: ${Object.entries(report.userActions)
        .map(([action, count]) => `${action} ${count}`)
        .join(', ')}`,
      `writes in the last ${quiet.seconds} s, with nothing to do: ${quiet.writes}`,
    ],
    violations.map(({ at, object, problem, during }) => `VIOLATION ${at} ${object}: ${problem} (${during})`),
    [
      `${report.claims} claims at first, ${report.minutes} minutes, seed ${report.seed}: ${report.rounds} rounds, ${faults.length} faults, ${violations.length} violations`,
    ],
  ]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}
