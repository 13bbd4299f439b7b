import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { GraphNode, Health, NodeSort } from '../../dashboard/page/wire.ts';
import type { Colour, Paint } from './stage.ts';

/** The objects of the feed, by id. */
export type Nodes = ReadonlyMap<string, GraphNode>;

/** The claims of the feed. */
export const claimsIn = (nodes: Nodes): readonly GraphNode[] =>
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
  ok: 'green',
  broken: 'red',
  troubled: 'yellow',
  waits: 'yellow',
  going: 'yellow',
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
