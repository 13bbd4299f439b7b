import { html, svg, textWidth } from './dom.ts';
import { columnWidths, grown, middleCut, rowsOf, total } from './fit.ts';
import { glyph, healthWords } from './glyphs.ts';
import { healths } from './state.ts';
import type { GraphNode, Health, NodeSort } from './wire.ts';
import { fullName, groupOf, kindWords } from './words.ts';

/** From left to right: classes, claims, the provisioned resources, and the external systems. */
const columns: readonly (readonly [sort: NodeSort, title: string])[] = [
  ['class', 'Classes'],
  ['claim', 'Claims'],
  ['managed', 'Resources'],
  ['provider', 'Providers'],
];
const nodeHeight = 46;
/** The space between columns, for the arrows. */
const [leastGapX, mostGapX] = [24, 56];
const gapY = 14;
const top = 34;

/** The part of a node's width that is not text: glyph, gap, padding and border. */
const besideText: Readonly<Record<NodeSort, number>> = { class: 63, claim: 53, managed: 53, provider: 57 };
const leastWidth = 104;
/** The widest second line that widens a column. A name has no limit while there is room. */
const mostWords = 290;
/** With less room than this the graph is wider than its pane. */
const leastRoom = 500;
/** The padding at the sides of the graph. */
const padding = 28;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The position of a column. */
export interface Column {
  readonly x: number;
  readonly width: number;
}

export interface GraphOptions {
  readonly healthOf: (node: GraphNode) => Health;
  readonly saysOf: (node: GraphNode) => string;
  readonly onOpen: (node: GraphNode) => void;
}

/** An arrow of the picture, from left to right. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The arrows among nodes: class to claim to resource to provider. A class points at its provider only without claims. */
function edgesAmong(nodes: readonly GraphNode[]): readonly Edge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const claimed = new Set(nodes.filter(({ sort }) => sort === 'claim').flatMap(({ to }) => to));
  return nodes.flatMap((node) =>
    node.to.flatMap((id): readonly Edge[] => {
      const target = byId.get(id);
      if (target === undefined) return [];
      if (node.sort === 'claim' && target.sort === 'class') return [{ from: target.id, to: node.id }];
      if (node.sort === 'class' && claimed.has(node.id)) return [];
      return [{ from: node.id, to: target.id }];
    }),
  );
}

/** The position of each node: the chains that need attention are at the top, whatever the number of the others. */
function placesOf(
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  at: readonly Column[],
  rankOf: (node: GraphNode) => number,
): { readonly places: ReadonlyMap<string, Place>; readonly height: number } {
  const among = columns.map(([sort]) => nodes.filter((node) => node.sort === sort));
  const order = new Map(nodes.map((node, index) => [node.id, rankOf(node) * nodes.length + index]));
  const rows = rowsOf(
    among.map((column) => column.map(({ id }) => id)),
    edges,
    order,
  );
  const places = new Map<string, Place>();
  for (const [index, column] of among.entries()) {
    for (const { id } of column) {
      places.set(id, { x: at[index]?.x ?? 0, y: top + (rows.get(id) ?? 0) * (nodeHeight + gapY) });
    }
  }
  const height = Math.max(0, ...[...places.values()].map(({ y }) => y + nodeHeight));
  return { places, height };
}

/** The picture. Nodes keep their elements, so that they move when other nodes come and go. */
export class GraphView {
  readonly #box: HTMLElement;
  readonly #options: GraphOptions;
  readonly #lines = svg('svg', { class: 'lines', 'aria-hidden': 'true' });
  readonly #stage = html('div', { class: 'stage' });
  readonly #nodes = new Map<string, HTMLButtonElement>();
  readonly #edges = new Map<string, SVGPathElement>();
  #last: readonly [nodes: readonly GraphNode[], selected: string | undefined] = [[], undefined];

  constructor(box: HTMLElement, options: GraphOptions) {
    this.#box = box;
    this.#options = options;
    this.#stage.append(this.#lines);
    box.append(this.#stage);
    new ResizeObserver(() => this.show(...this.#last)).observe(box);
  }

  show(nodes: readonly GraphNode[], selected: string | undefined): void {
    this.#last = [nodes, selected];
    const edges = edgesAmong(nodes);
    const at = this.#columnsFor(nodes);
    const { places, height } = placesOf(nodes, edges, at, (node) =>
      healths.indexOf(this.#options.healthOf(node) as (typeof healths)[number]),
    );
    const whole = Math.max(0, ...at.map(({ x, width }) => x + width));
    this.#stage.style.width = `${whole}px`;
    this.#stage.style.height = `${height + 8}px`;
    this.#lines.setAttribute('width', String(whole));
    this.#lines.setAttribute('height', String(height + 8));
    this.#titles(at);
    this.#drawNodes(nodes, places, at, selected);
    this.#drawEdges(edges, places, at, nodes);
  }

  /** The width that shows all texts of these nodes. */
  widthFor(nodes: readonly GraphNode[]): number {
    const { all } = this.#wantedBy(nodes);
    return padding + total(all) + leastGapX * gapsAmong(all);
  }

  /** The widths of the columns for the texts that must be whole first, then for more of them. */
  #wantedBy(nodes: readonly GraphNode[]) {
    const words = (node: GraphNode) => textWidth(this.#wordsOf(node), 11.5);
    return {
      bare: this.#widthsFor(nodes, ({ name }) => nameWidth(name)),
      names: this.#widthsFor(nodes, nameOrGroupWidth),
      all: this.#widthsFor(nodes, (node) =>
        Math.max(nameOrGroupWidth(node), Math.min(mostWords, words(node))),
      ),
    };
  }

  /** The width of each column for these texts. A column without nodes takes no room. */
  #widthsFor(nodes: readonly GraphNode[], textOf: (node: GraphNode) => number): readonly number[] {
    return columns.map(([sort]) => {
      const texts = nodes.filter((node) => node.sort === sort).map(textOf);
      return texts.length === 0 ? 0 : Math.max(leastWidth, Math.max(...texts) + besideText[sort]);
    });
  }

  /** A column is as wide as the texts of its nodes, if there is room. */
  #columnsFor(nodes: readonly GraphNode[]): readonly Column[] {
    const room = this.#box.clientWidth - padding;
    const { bare, names, all } = this.#wantedBy(nodes);
    const gaps = gapsAmong(all);
    // A narrow screen is scrolled sideways: cut names would be of no use.
    const forNodes = room < leastRoom ? Number.POSITIVE_INFINITY : room - leastGapX * gaps;
    // Without enough room, names have priority over the second line.
    const whole = grown(columnWidths(bare, forNodes, leastWidth), names, forNodes);
    const widths = grown(whole, all, forNodes);
    const gap = Math.max(leastGapX, Math.min(mostGapX, (room - total(widths)) / Math.max(1, gaps)));
    let x = 0;
    return widths.map((width) => {
      const column = { x, width };
      x += width > 0 ? width + gap : 0;
      return column;
    });
  }

  /** The second line of a node. */
  #wordsOf(node: GraphNode): string {
    const says = this.#options.saysOf(node);
    // The end is cut first: of a fault, that is the place and not the reason.
    const words = node.namespace === undefined ? [kindWords(node), says] : [says, node.namespace];
    return words.filter(Boolean).join(' · ');
  }

  #titles(at: readonly Column[]): void {
    for (const old of this.#stage.querySelectorAll('.column')) old.remove();
    for (const [index, [, title]] of columns.entries()) {
      if (at[index]?.width === 0) continue;
      const element = html('span', { class: 'column quiet' }, title);
      element.style.transform = `translate(${at[index]?.x ?? 0}px, 0)`;
      this.#stage.append(element);
    }
  }

  #drawNodes(
    nodes: readonly GraphNode[],
    places: ReadonlyMap<string, Place>,
    at: readonly Column[],
    selected: string | undefined,
  ): void {
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, element] of this.#nodes) {
      if (ids.has(id)) continue;
      this.#nodes.delete(id);
      element.classList.add('leaving');
      element.addEventListener('transitionend', () => element.remove(), { once: true });
      setTimeout(() => element.remove(), 600);
    }
    for (const node of nodes) {
      const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
      const health = this.#options.healthOf(node);
      let element = this.#nodes.get(node.id);
      const isNew = element === undefined;
      if (element === undefined) {
        element = html('button', { type: 'button', class: 'node' });
        this.#nodes.set(node.id, element);
        this.#stage.append(element);
      }
      const width = widthOf(node, at);
      const name = middleCut(node.name, width - besideText[node.sort], nameWidth);
      const text = `${health}|${this.#options.saysOf(node)}`;
      if (element.dataset.shown !== text) {
        element.replaceChildren(
          glyph(health),
          html('span', { class: 'name' }),
          html('span', { class: 'quiet' }, this.#wordsOf(node)),
        );
        if (!isNew) {
          element.classList.remove('changed');
          void element.offsetWidth; // restarts the animation
          element.classList.add('changed');
        }
        element.dataset.shown = text;
      }
      const shown = element.querySelector('.name');
      if (shown !== null && shown.textContent !== name) shown.textContent = name;
      element.className = `node ${node.sort} ${health} ${isNew ? 'new' : ''} ${element.classList.contains('changed') ? 'changed' : ''}`;
      element.setAttribute(
        'aria-label',
        `${node.kind} ${fullName(node)}, ${node.phase ?? ''} ${healthWords[health] ?? ''}`,
      );
      element.setAttribute('aria-pressed', String(node.id === selected));
      element.title = [fullName(node), node.message].filter(Boolean).join('\n');
      element.style.width = `${width}px`;
      element.style.transform = `translate(${x}px, ${y}px)`;
      element.onclick = () => this.#options.onOpen(node);
    }
  }

  #drawEdges(
    edges: readonly Edge[],
    places: ReadonlyMap<string, Place>,
    at: readonly Column[],
    nodes: readonly GraphNode[],
  ): void {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const ids = new Set(edges.map(({ from, to }) => `${from}>${to}`));
    for (const [id, path] of this.#edges) {
      if (ids.has(id)) continue;
      path.remove();
      this.#edges.delete(id);
    }
    for (const { from, to } of edges) {
      const [a, b] = [places.get(from), places.get(to)];
      const source = byId.get(from);
      if (a === undefined || b === undefined || source === undefined) continue;
      const start = widthOf(source, at);
      const id = `${from}>${to}`;
      let path = this.#edges.get(id);
      if (path === undefined) {
        path = svg('path', { class: 'edge' });
        this.#edges.set(id, path);
        this.#lines.append(path);
      }
      const [x1, y1, x2, y2] = [a.x + start, a.y + nodeHeight / 2, b.x, b.y + nodeHeight / 2];
      const bend = Math.max(24, (x2 - x1) / 2);
      const line = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
      path.setAttribute('d', line);
      path.style.setProperty('d', `path("${line}")`);
      const end = byId.get(to);
      path.setAttribute('class', `edge ${end === undefined ? '' : this.#options.healthOf(end)}`);
    }
  }
}

/** The number of spaces between columns that have nodes. */
const gapsAmong = (widths: readonly number[]): number =>
  Math.max(0, widths.filter((width) => width > 0).length - 1);
/** The width of a name. For a provider at least that of its group, because most providers are named default. */
const nameOrGroupWidth = (node: GraphNode): number =>
  Math.max(nameWidth(node.name), node.sort === 'provider' ? textWidth(`${groupOf(node)} …`, 11.5) : 0);
const nameWidth = (name: string): number => textWidth(name, 14, 550);
const widthOf = ({ sort }: GraphNode, at: readonly Column[]): number =>
  at[columns.findIndex(([of]) => of === sort)]?.width ?? leastWidth;
