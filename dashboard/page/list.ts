import { html, textWidth } from './dom.ts';
import { middleCut } from './fit.ts';
import { glyph } from './glyphs.ts';
import type { GraphNode, Health } from './wire.ts';
import { ageOf, fullName, kindWords } from './words.ts';

const rowHeight = 52;
const spare = 6;
/** The part of a row's width that is not the name: glyph, gap and padding. */
const besideName = 62;
/** The space between the two texts of the second line. */
const gapOfLine = 10;

/** The kind and the age of an object. */
const withAge = (node: GraphNode): string =>
  [kindWords(node), node.createdAt && ageOf(node.createdAt, Date.now())].filter(Boolean).join(' · ');

/** The longest texts, so that not all of many must be measured. */
function longestOf(texts: readonly string[]): readonly string[] {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
  return texts.filter(({ length }) => length >= longest - 3).slice(0, 20);
}

export interface ListOptions {
  readonly healthOf: (node: GraphNode) => Health;
  readonly saysOf: (node: GraphNode) => string;
  /** The user moved to a node. */
  readonly onActive: (node: GraphNode) => void;
  /** The user opens a node. */
  readonly onOpen: (node: GraphNode) => void;
}

/** A list of any length. Only the visible rows are in the page. */
export class List {
  readonly #box: HTMLElement;
  readonly #options: ListOptions;
  readonly #room = html('div', { class: 'room', role: 'presentation' });
  #nodes: readonly GraphNode[] = [];
  #active: string | undefined;

  constructor(box: HTMLElement, options: ListOptions) {
    this.#box = box;
    this.#options = options;
    box.append(this.#room);
    box.addEventListener('scroll', () => this.#draw(), { passive: true });
    box.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(box);
  }

  show(nodes: readonly GraphNode[], active: string | undefined): void {
    const isNew = active !== this.#active;
    this.#nodes = nodes;
    this.#active = active;
    if (isNew) this.#reveal();
    else this.#draw();
  }

  /** The width that shows all texts of these nodes whole. */
  widthFor(nodes: readonly GraphNode[]): number {
    const names = longestOf(nodes.map(fullName)).map((name) => textWidth(name, 14));
    const lines = nodes.map((node) => `${withAge(node)} ${this.#options.saysOf(node)}`);
    const second = longestOf(lines).map((line) => gapOfLine + textWidth(line, 12.5));
    return besideName + Math.max(0, ...names, ...second);
  }

  get #index(): number {
    return this.#nodes.findIndex(({ id }) => id === this.#active);
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#box;
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
    const to = Math.min(this.#nodes.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + spare);
    this.#room.style.height = `${this.#nodes.length * rowHeight}px`;
    const rows = this.#nodes.slice(from, to).map((node, offset) => this.#row(node, from + offset));
    this.#room.replaceChildren(...rows);
    const shown = rows.some(({ id }) => id === `row-${this.#index}`);
    if (shown) this.#box.setAttribute('aria-activedescendant', `row-${this.#index}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  #row(node: GraphNode, index: number): HTMLElement {
    const health = this.#options.healthOf(node);
    const isActive = node.id === this.#active;
    const says = this.#options.saysOf(node);
    const room = this.#box.clientWidth - besideName;
    const row = html(
      'div',
      {
        id: `row-${index}`,
        class: `row ${isActive ? 'active' : ''}`,
        role: 'option',
        'aria-selected': String(isActive),
        'aria-posinset': index + 1,
        'aria-setsize': this.#nodes.length,
        'aria-label': [fullName(node), node.kind, says].filter(Boolean).join(', '),
        title: [fullName(node), node.message].filter(Boolean).join('\n'),
      },
      glyph(health),
      html(
        'span',
        { class: 'name' },
        middleCut(fullName(node), room, (text) => textWidth(text, 14)),
      ),
      html('span', { class: 'quiet kind' }, withAge(node)),
      html('span', { class: `says ${health}` }, says),
    );
    row.style.transform = `translateY(${index * rowHeight}px)`;
    row.addEventListener('click', () => {
      this.#options.onActive(node);
      this.#options.onOpen(node);
    });
    return row;
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#box.clientHeight / rowHeight) - 1);
    const last = this.#nodes.length - 1;
    const index = this.#index;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index === -1 ? 0 : index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: last,
    };
    const step = steps[event.key];
    if (step !== undefined && last >= 0) {
      event.preventDefault();
      const node = this.#nodes[Math.min(last, Math.max(0, step))];
      if (node === undefined) return;
      this.#active = node.id;
      this.#options.onActive(node);
      this.#reveal();
    }
    const active = this.#nodes[index];
    if ((event.key === 'Enter' || event.key === ' ') && active !== undefined) {
      event.preventDefault();
      this.#options.onOpen(active);
    }
  }

  /** Scrolls the chosen row into view, also if it was chosen elsewhere. */
  #reveal(): void {
    const index = this.#index;
    // Set the height for all rows first: it is not possible to scroll beyond it.
    this.#room.style.height = `${this.#nodes.length * rowHeight}px`;
    if (index >= 0) {
      const top = index * rowHeight;
      const { scrollTop, clientHeight } = this.#box;
      if (top < scrollTop) this.#box.scrollTop = top;
      if (top + rowHeight > scrollTop + clientHeight) this.#box.scrollTop = top + rowHeight - clientHeight;
    }
    this.#draw();
  }
}
