import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';

export const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind, MySQLInstanceKind, RedisClusterKind];

/** The claim of the examples that no class matches: it must say so, and never be bound. */
const isHopeless = ({ metadata }: Claim): boolean => metadata.name === 'dreams';

const ready = ({ status }: Claim) => getCondition(status?.conditions, 'Ready');

/** Whether a claim is where the example wants it. */
export const isSettled = (claim: Claim): boolean =>
  isHopeless(claim) ? ready(claim).reason === 'NoMatchingClass' : isUsable(claim);

/** Bound, and its managed resource ready. */
export const isUsable = (claim: Claim): boolean =>
  claim.status?.bindingPhase === 'Bound' && ready(claim).status === 'True';

/** What is wrong with a claim that is not settled, on one line. */
export const describeClaim = (claim: Claim): string => {
  const { reason = 'no condition yet', message } = ready(claim);
  const where = `${claim.kind} ${claim.metadata.namespace}/${claim.metadata.name}`;
  return `${where}: ${claim.status?.bindingPhase ?? 'no phase'}, ${reason}${message ? `: ${message}` : ''}`;
};

const columns: readonly (readonly [string, (claim: Claim) => string])[] = [
  ['NAMESPACE', ({ metadata }) => metadata.namespace ?? ''],
  ['KIND', ({ kind }) => kind],
  ['NAME', ({ metadata }) => metadata.name],
  ['STATUS', ({ status }) => status?.bindingPhase ?? ''],
  ['READY', (claim) => ready(claim).reason ?? ''],
  ['CLASS', ({ spec }) => spec.classRef?.name ?? ''],
  ['RESOURCE', ({ spec }) => spec.resourceRef?.name ?? ''],
];

/** Claims as lines of a table, heading first. */
export function claimsTable(claims: readonly Claim[]): readonly string[] {
  const rows = claims
    .toSorted((a, b) => compareNames(key(a), key(b)))
    .map((claim) => columns.map(([, cell]) => cell(claim)));
  const lines = [columns.map(([heading]) => heading), ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

const key = ({ metadata, kind }: Claim): string => `${metadata.namespace}/${kind}/${metadata.name}`;
