import type { Batch, GraphNode, Health, NodeSort } from './wire.ts';
import type { Address } from './words.ts';
import { fullName, isAt } from './words.ts';

export const healths = ['broken', 'troubled', 'waits', 'going', 'ok'] as const satisfies readonly Health[];
export const sorts = ['claim', 'managed', 'class', 'provider'] as const satisfies readonly NodeSort[];

/** Limits the objects that are shown; an empty field does not limit them. */
export interface Filter {
  readonly sort: NodeSort;
  readonly health: Health | '';
  readonly namespace: string;
  readonly phase: string;
  readonly text: string;
}

export const everything: Filter = { sort: 'claim', health: '', namespace: '', phase: '', text: '' };

/** The filter of a URL's query. Unknown values count as absent. */
export function filterIn(query: string): Filter {
  const given = new URLSearchParams(query);
  const text = (field: keyof Filter): string => given.get(field) ?? '';
  return {
    sort: sorts.find((sort) => sort === text('sort')) ?? everything.sort,
    health: healths.find((health) => health === text('health')) ?? '',
    namespace: text('namespace'),
    phase: text('phase'),
    text: text('text'),
  };
}

/** All objects that the page knows. It follows the feed. */
export class State {
  readonly nodes = new Map<string, GraphNode>();
  /** The ids of the nodes that refer to a node: claims by resource, resources by provider. */
  readonly #from = new Map<string, Set<string>>();

  apply({ nodes, deleted }: Pick<Batch, 'nodes' | 'deleted'>): void {
    for (const id of deleted) this.#forget(id);
    for (const node of nodes) {
      this.#forget(node.id);
      this.nodes.set(node.id, node);
      for (const id of node.to) this.#from.set(id, (this.#from.get(id) ?? new Set()).add(node.id));
    }
  }

  #forget(id: string): void {
    for (const to of this.nodes.get(id)?.to ?? []) this.#from.get(to)?.delete(id);
    this.nodes.delete(id);
  }

  clear(): void {
    this.nodes.clear();
    this.#from.clear();
  }

  /** The node at an address. */
  at(address: Address): GraphNode | undefined {
    for (const node of this.nodes.values()) if (isAt(address, node)) return node;
    return undefined;
  }

  hasSort(sort: NodeSort): boolean {
    for (const node of this.nodes.values()) if (node.sort === sort) return true;
    return false;
  }

  /** The health of a node. A claim is not healthier than its resource. */
  healthOf(node: GraphNode): Health {
    if (node.sort !== 'claim') return node.health;
    const below = node.to.flatMap((id) => this.nodes.get(id) ?? []).filter(({ sort }) => sort === 'managed');
    const worst = [node, ...below].map(({ health }) => healths.indexOf(health));
    // A claim that can be used is never broken, whatever its resource reports.
    if (node.health === 'ok') return below.some(({ health }) => health !== 'ok') ? 'troubled' : 'ok';
    return healths[Math.min(...worst)] ?? node.health;
  }

  /** A short text about the health of a node, for beside its glyph. */
  saysOf(node: GraphNode): string {
    const health = this.healthOf(node);
    if (health === 'ok')
      return [node.phase ?? '', node.deleteAt && `until ${node.deleteAt}`].filter(Boolean).join(' ');
    if (health !== 'troubled') return node.reason ?? node.phase ?? '';
    const troubled = [node, ...node.to.flatMap((id) => this.nodes.get(id) ?? [])].find(
      (one) => one.health === 'troubled',
    );
    const isPaused = (troubled ?? node).reason === 'ReconcilePaused';
    return isPaused ? 'paused' : 'last observation failed';
  }

  /** The number of nodes per health, with the other filters applied. */
  counts(filter: Filter): Readonly<Record<Health, number>> {
    const counted = { broken: 0, troubled: 0, waits: 0, going: 0, ok: 0 };
    for (const node of this.#matching({ ...filter, health: '' })) counted[this.healthOf(node)] += 1;
    return counted;
  }

  /** The nodes that match a filter: those that need attention first, then by name. */
  filtered(filter: Filter): readonly GraphNode[] {
    const ranked = this.#matching(filter).map(
      (node) => [healths.indexOf(this.healthOf(node)), fullName(node), node] as const,
    );
    ranked.sort(([a, nameA], [b, nameB]) => a - b || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0));
    return ranked.map(([, , node]) => node);
  }

  #matching({ sort, health, namespace, phase, text }: Filter): GraphNode[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found: GraphNode[] = [];
    for (const node of this.nodes.values()) {
      if (node.sort !== sort) continue;
      if (namespace !== '' && node.namespace !== namespace) continue;
      if (phase !== '' && (node.phase ?? '') !== phase) continue;
      if (health !== '' && this.healthOf(node) !== health) continue;
      if (words.length > 0) {
        const hay = `${fullName(node)} ${node.kind} ${node.reason ?? ''} ${node.message ?? ''}`.toLowerCase();
        if (!words.every((word) => hay.includes(word))) continue;
      }
      found.push(node);
    }
    return found;
  }

  /** The values of a field among the nodes of a sort, in order. */
  values(sort: NodeSort, field: 'namespace' | 'phase'): readonly string[] {
    const found = new Set<string>();
    for (const node of this.nodes.values()) {
      const value = node[field];
      if (node.sort === sort && value !== undefined) found.add(value);
    }
    return [...found].sort();
  }

  /** These nodes and the nodes connected with them, at most `most`: all downwards, one step upwards from each. */
  around(starts: readonly GraphNode[], most: number): readonly GraphNode[] {
    const found = new Map<string, GraphNode>();
    const take = (id: string): GraphNode | undefined => {
      const node = this.nodes.get(id);
      if (node === undefined || found.has(id) || found.size >= most) return undefined;
      found.set(id, node);
      return node;
    };
    const down = (node: GraphNode): void => {
      for (const id of node.to) {
        const next = take(id);
        if (next !== undefined) down(next);
      }
    };
    const up = (node: GraphNode): void => {
      for (const id of this.#from.get(node.id) ?? []) {
        const next = take(id);
        // From a provider to its resources and their claims; from a class to its claims and their resources.
        if (next !== undefined && node.sort !== 'managed') {
          up(next);
          down(next);
        }
      }
    };
    for (const start of starts) take(start.id);
    for (const start of starts) {
      down(start);
      if (start.sort !== 'claim') up(start);
    }
    return [...found.values()];
  }
}
