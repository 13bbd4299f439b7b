import type { GraphNode } from './wire.ts';

/** The full name of an object: `namespace/name`, or the name of a cluster-scoped object. */
export const fullName = ({ namespace, name }: Pick<GraphNode, 'namespace' | 'name'>): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The API group of an object. */
export const groupOf = ({ resource }: Pick<GraphNode, 'resource'>): string =>
  resource.slice(resource.indexOf('.') + 1);

/** The kind of an object as text. A provider has its group, too: every stack has a ProviderConfig named default. */
export const kindWords = (node: GraphNode): string =>
  node.sort === 'provider' ? `${groupOf(node)} · ${node.kind}` : node.kind;

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** The time since a date, as kubectl shows ages: `45s`, `5m`, `3h`, `2d`. */
export function ageOf(at: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1000));
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? (['s', 1] as const);
  return `${Math.floor(seconds / size)}${unit}`;
}

/** An object as an address names it. */
export interface Address {
  /** `plural.group`, or a kind or plural as a user writes it. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The fragment of the URL that opens an object: `#plural.group/namespace/name`, without a namespace if it has none. */
export const fragmentOf = (node: Address): string => `#${node.resource}/${fullName(node)}`;

/** The object that a fragment names; undefined if it names none. */
export function addressIn(fragment: string): Address | undefined {
  const [, resource, namespace, name] = /^#([^/]+)\/(?:([^/]+)\/)?([^/]+)$/.exec(fragment) ?? [];
  if (resource === undefined || name === undefined) return undefined;
  return { resource, ...(namespace !== undefined && { namespace }), name };
}

/** The query of the URL for a filter: nothing for a field as at the start. */
export function queryOf(
  filter: Readonly<Record<string, string>>,
  start: Readonly<Record<string, string>>,
): string {
  const set = Object.entries(filter).filter(([field, value]) => value !== start[field]);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** Whether an address names this object. */
export function isAt({ resource, namespace, name }: Address, node: GraphNode): boolean {
  const [plural = ''] = node.resource.split('.', 1);
  const isKind = [node.resource, plural, node.kind.toLowerCase()].includes(resource.toLowerCase());
  return isKind && node.name === name && node.namespace === namespace;
}
