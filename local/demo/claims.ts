import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { Colour, Paint, Row } from './stage.ts';

/** The kinds of the examples. */
export const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind, MySQLInstanceKind, RedisClusterKind];

/** The claim of the examples without a matching class. It must report that, and stay unbound. */
const isHopeless = ({ metadata }: Claim): boolean => metadata.name === 'dreams';

const ready = ({ status }: Claim) => getCondition(status?.conditions, 'Ready');

/** Whether a claim is where the example wants it. */
export const isSettled = (claim: Claim): boolean =>
  isHopeless(claim) ? ready(claim).reason === 'NoMatchingClass' : isUsable(claim);

/** Bound, and its managed resource ready. */
export const isUsable = (claim: Claim): boolean =>
  claim.status?.bindingPhase === 'Bound' && ready(claim).status === 'True';

/** The reason why a claim is not settled, on one line. */
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

/** Claims as rows of a table, heading first; below each that cannot be used, or has trouble, why. */
export function claimsTable(
  claims: readonly Claim[],
  { paint, width }: { readonly paint: Paint; readonly width?: number | undefined },
): readonly Row[] {
  const sorted = claims.toSorted((a, b) => compareNames(key(a), key(b)));
  const headings = columns.map(([heading]) => heading);
  const cells = sorted.map((claim) => columns.map(([, cell]) => cell(claim)));
  const widths = columns.map((_, i) => Math.max(...[headings, ...cells].map((line) => line[i]?.length ?? 0)));
  const cut = (text: string): string =>
    width === undefined || text.length < width ? text : `${text.slice(0, Math.max(0, width - 2))}…`;
  const lineOf = (line: readonly string[]): string =>
    cut(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('   ')
        .trimEnd(),
    );
  const rows = sorted.map((claim, i): Row => {
    const { message } = ready(claim);
    const line = paint(colourOf(claim), lineOf(cells[i] ?? []));
    return message === undefined ? [line] : [line, paint('dim', cut(`    ${message}`))];
  });
  return [[paint('bold', lineOf(headings))], ...rows];
}

/** Nothing may be wrong with what is on its way. */
function colourOf(claim: Claim): Colour {
  const { status, reason } = ready(claim);
  if (status === 'True') return reason === 'Available' ? 'green' : 'yellow';
  return isHopeless(claim) || reason === 'Unavailable' ? 'red' : 'yellow';
}

const key = ({ metadata, kind }: Claim): string => `${metadata.namespace}/${kind}/${metadata.name}`;
