import { RedisClusterKind } from '../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../apis/core/v1alpha1/condition.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { MySQLInstanceKind } from '../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../apis/database/v1alpha1/postgresql-instance.ts';
import type { GraphNode, Health, NodeSort } from '../dashboard/page/wire.ts';
import { FancySQLInstanceKind } from '../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { Colour, Paint } from './stage.ts';

/** The kinds of the examples. */
export const claimKinds = [FancySQLInstanceKind, PostgreSQLInstanceKind, MySQLInstanceKind, RedisClusterKind];

/** The name of the claim without a matching class in the examples. It must report that, and stay unbound. */
const hopeless = 'dreams';

const ready = ({ status }: Claim) => getCondition(status?.conditions, 'Ready');

/** Whether a claim is where the example wants it. */
export const isSettled = (claim: Claim): boolean =>
  claim.metadata.name === hopeless ? ready(claim).reason === 'NoMatchingClass' : isUsable(claim);

/** Bound, and its managed resource ready. */
export const isUsable = (claim: Claim): boolean =>
  claim.status?.bindingPhase === 'Bound' && ready(claim).status === 'True';

/** The reason why a claim is not settled, on one line. */
export const describeClaim = (claim: Claim): string => {
  const { reason = 'no condition yet', message } = ready(claim);
  const where = `${claim.kind} ${claim.metadata.namespace}/${claim.metadata.name}`;
  return `${where}: ${claim.status?.bindingPhase ?? 'no phase'}, ${reason}${message ? `: ${message}` : ''}`;
};

/** The objects of the feed, by id. */
export type Nodes = ReadonlyMap<string, GraphNode>;

/** Whether the feed shows a claim as its example wants it. */
export function isShownSettled(nodes: Nodes, { kind, metadata: { namespace, name } }: Claim): boolean {
  const shown = claimsIn(nodes).find(
    (node) => node.kind === kind && node.namespace === namespace && node.name === name,
  );
  if (shown === undefined) return false;
  if (name === hopeless) return shown.reason === 'NoMatchingClass';
  return shown.phase === 'Bound' && (shown.health === 'ok' || shown.health === 'troubled');
}

const claimsIn = (nodes: Nodes): readonly GraphNode[] =>
  [...nodes.values()].filter(({ sort }) => sort === 'claim');

/** The name of the class or resource that a claim refers to. */
function referred(nodes: Nodes, { to }: GraphNode, sort: NodeSort): string {
  const found = to.map((id) => nodes.get(id)).find((node) => node?.sort === sort);
  return found?.name ?? '';
}

const columns: readonly (readonly [string, (claim: GraphNode, nodes: Nodes) => string])[] = [
  ['NAMESPACE', ({ namespace }) => namespace ?? ''],
  ['KIND', ({ kind }) => kind],
  ['NAME', ({ name }) => name],
  ['STATUS', ({ phase }) => phase ?? ''],
  ['READY', ({ reason }) => reason ?? ''],
  ['CLASS', (claim, nodes) => referred(nodes, claim, 'class')],
  ['RESOURCE', (claim, nodes) => referred(nodes, claim, 'managed')],
];

const colours: Readonly<Record<Health, Colour>> = {
  ...{ ok: 'green', broken: 'red', troubled: 'yellow', waits: 'yellow', going: 'yellow' },
};

/** The claims as lines of a table, heading first: one line for each claim. */
export function claimsTable(
  nodes: Nodes,
  { paint, width }: { readonly paint: Paint; readonly width?: number | undefined },
): readonly string[] {
  const sorted = claimsIn(nodes).toSorted((a, b) => compareNames(key(a), key(b)));
  const headings = columns.map(([heading]) => heading);
  const cells = sorted.map((claim) => columns.map(([, cell]) => cell(claim, nodes)));
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
  return [
    paint('bold', lineOf(headings)),
    ...sorted.map(({ health }, i) => paint(colours[health], lineOf(cells[i] ?? []))),
  ];
}

const key = ({ namespace, kind, name }: GraphNode): string => `${namespace}/${kind}/${name}`;
