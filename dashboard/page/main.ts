import { byId, html } from './dom.ts';
import { chipWords, glyph, healthWords } from './glyphs.ts';
import { GraphView } from './graph.ts';
import { List } from './list.ts';
import type { Filter } from './state.ts';
import { everything, filterIn, healths, State, sorts } from './state.ts';
import { tracePanel } from './trace-panel.ts';
import type { Batch, GraphNode, Greeting, NodeSort, RecordedEvent } from './wire.ts';
import type { Address } from './words.ts';
import { addressIn, ageOf, fragmentOf, fullName, queryOf } from './words.ts';

const sortWords = { claim: 'Claims', managed: 'Resources', class: 'Classes', provider: 'Providers' } as const;
const title = document.title;
const emptyWords: Readonly<Record<NodeSort, string>> = {
  claim: 'There is no claim yet.',
  managed:
    'There is no managed resource yet. A claim gets one from its class; you can also create one by hand.',
  class: 'There is no class yet. An administrator creates classes; claims select them.',
  provider: 'There is no ProviderConfig yet. It has the address and the credentials of an external system.',
};
/** In pixels. */
const leastListWidth = { alone: 290, traced: 230 };
/** The part of the page that the list may take from the graph. */
const listPart = 0.36;
/** How many objects of the list the picture starts from while none is selected. */
const mostStarts = 30;
const mostShown = 90;
const mostActivity = 6;
const agesMs = 10_000;
/** A feed that has sent no object for this long after its greeting has none. */
const emptyAfterMs = 1_000;

const state = new State();
let filter: Filter = filterIn(location.search);
let selected: string | undefined;
/** The object of the URL, until the feed has it. */
let sought: Address | undefined;
let isOpen = false;
let isLoaded = false;
let activity: readonly RecordedEvent[] = [];
let isDrawing = false;

const panel = byId('trace');
const list = new List(byId('list'), {
  healthOf: (node) => state.healthOf(node),
  saysOf: (node) => state.saysOf(node),
  onActive: (node) => select(node),
  onOpen: (node) => void open(node),
});
const graph = new GraphView(byId('graph'), {
  healthOf: (node) => state.healthOf(node),
  saysOf: (node) => state.saysOf(node),
  onOpen: (node) => {
    select(node);
    void open(node);
  },
});

/** Draws in the next frame, once for any number of changes. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    const found = state.filtered(filter);
    byId('list-title').textContent = `${sortWords[filter.sort]} · ${found.length.toLocaleString()}`;
    const chosen = selected === undefined ? undefined : state.nodes.get(selected);
    const starts = chosen === undefined ? found.slice(0, mostStarts) : [chosen];
    const shown = state.around(starts, mostShown);
    sizeList(found, shown);
    list.show(found, selected);
    graph.show(shown, selected);
    byId('graph-title').textContent = titleOf(chosen, found.length);
    drawEmpty(found.length);
    drawFilters();
    drawActivity();
  });
}

function titleOf(chosen: GraphNode | undefined, count: number): string {
  if (chosen !== undefined) return `Objects connected with ${chosen.name}`;
  return count > mostStarts ? `The first ${mostStarts} of ${count.toLocaleString()}` : 'Connections';
}

/** Gives the list the room for all its texts, up to a part of the page; and more if the graph does not need it. */
function sizeList(found: readonly GraphNode[], shown: readonly GraphNode[]): void {
  const main = document.querySelector('main');
  const room = (main?.clientWidth ?? 0) - panel.offsetWidth;
  const wanted = list.widthFor(found);
  const own = Math.min(wanted, Math.floor(room * listPart));
  const spare = Math.min(wanted, room - graph.widthFor(shown));
  const least = isOpen ? leastListWidth.traced : leastListWidth.alone;
  main?.style.setProperty('--list-width', `${Math.max(least, own, spare)}px`);
}

/** Explains an empty list; and in a cluster without claims, the steps to the first one. */
function drawEmpty(count: number): void {
  const isFiltered = filter.health !== '' || filter.namespace + filter.phase + filter.text !== '';
  const none = byId('empty');
  none.hidden = count > 0 || !isLoaded;
  none.textContent = isFiltered ? 'Nothing here fits the filter.' : emptyWords[filter.sort];
  byId('guide').hidden = count > 0 || !isLoaded || isFiltered || state.hasSort('claim');
  for (const sort of sorts) byId('guide').classList.toggle(`has-${sort}`, state.hasSort(sort));
}

function drawFilters(): void {
  byId('sorts').replaceChildren(
    ...sorts.map((sort) =>
      toggle(sortWords[sort], filter.sort === sort, () => change({ ...everything, text: filter.text, sort })),
    ),
  );
  const counts = state.counts(filter);
  byId('healths').replaceChildren(
    ...healths.map((health) => {
      const isOn = filter.health === health;
      const chip = toggle(
        `${counts[health].toLocaleString()} ${chipWords(health, counts[health])}`,
        isOn,
        () => change({ ...filter, health: isOn ? '' : health }),
      );
      chip.prepend(glyph(health));
      chip.classList.add(health);
      chip.dataset.health = health;
      chip.title = healthWords[health] ?? health;
      chip.setAttribute('aria-label', `${counts[health]} ${healthWords[health]}`);
      return chip;
    }),
  );
  options('namespace', 'all', state.values(filter.sort, 'namespace'), filter.namespace);
  options('phase', 'any', state.values(filter.sort, 'phase'), filter.phase);
}

function toggle(text: string, isOn: boolean, onClick: () => void): HTMLButtonElement {
  const button = html('button', { type: 'button', 'aria-pressed': String(isOn) }, text);
  button.addEventListener('click', onClick);
  return button;
}

function options(id: 'namespace' | 'phase', none: string, values: readonly string[], value: string): void {
  const element = byId<HTMLSelectElement>(id);
  const wanted = JSON.stringify([values, value]);
  if (element.dataset.shown === wanted) return; // unchanged: an open drop-down list stays open
  element.dataset.shown = wanted;
  element.replaceChildren(
    html('option', { value: '' }, none),
    ...values.map((one) => html('option', { value: one }, one)),
  );
  element.value = value;
  element.disabled = values.length === 0;
}

function drawActivity(): void {
  byId('activity').replaceChildren(
    ...[...activity].reverse().map(({ at, type, object, reason, message, id }) => {
      const item = html(
        'li',
        { class: type },
        html(
          'time',
          { datetime: at, class: 'quiet', title: new Date(at).toLocaleString() },
          ageOf(at, Date.now()),
        ),
        html('span', { class: 'reason', title: reason }, reason),
        html('span', { title: object }, object),
        html('span', { class: 'message quiet', title: message }, message),
      );
      item.addEventListener('click', () => {
        const node = state.nodes.get(id);
        if (node !== undefined) {
          select(node);
          void open(node);
        }
      });
      return item;
    }),
  );
}

function change(next: Filter): void {
  // A button that is drawn again keeps the focus.
  const focused = document.activeElement?.closest('#sorts, #healths');
  const index =
    focused === null || focused === undefined ? -1 : [...focused.children].indexOf(document.activeElement!);
  filter = next;
  deselect();
  byId('list').scrollTop = 0;
  draw();
  if (index >= 0) requestAnimationFrame(() => (focused?.children[index] as HTMLElement | undefined)?.focus());
}

function select(node: GraphNode): void {
  selected = node.id;
  sought = undefined;
  // The address of the page is always that of the selected object, to be copied.
  history.replaceState(null, '', `${location.pathname}${query()}${fragmentOf(node)}`);
  document.title = `${fullName(node)} · ${title}`;
  draw();
}

/** Tab and filters, as the URL has them. */
const query = (): string => queryOf({ ...filter }, { ...everything });

function deselect(): void {
  selected = undefined;
  sought = undefined;
  history.replaceState(null, '', `${location.pathname}${query()}`);
  document.title = title;
}

/** Selects and opens the object that the URL names, now or as soon as the feed has it. */
function goToAddress(): void {
  sought = addressIn(location.hash);
  if (sought !== undefined && !reachSought(false)) void open({ ...sought, kind: sought.resource });
}

/** Selects and opens the sought object if the feed has it. */
function reachSought(isRefresh: boolean): boolean {
  const node = sought && state.at(sought);
  if (node === undefined) return false;
  if (!state.filtered(filter).includes(node)) filter = { ...everything, sort: node.sort };
  byId<HTMLInputElement>('text').value = filter.text;
  select(node);
  void open(node, isRefresh);
  return true;
}

let requests = 0;

/** Shows the trace of a node, or why it cannot be shown. */
async function open(node: Address & Pick<GraphNode, 'kind'>, isRefresh = false): Promise<void> {
  const own = ++requests;
  isOpen = true;
  panel.hidden = false;
  document.body.classList.add('traced');
  draw();
  const query = new URLSearchParams({
    resource: node.resource,
    name: node.name,
    ...(node.namespace !== undefined && { namespace: node.namespace }),
  });
  const content = await fetch(`/trace?${query}`)
    .then(async (answer) =>
      answer.ok
        ? tracePanel(await answer.json(), { onClose: close })
        : tracePanel(
            {
              subject: `${node.kind} ${fullName(node)}`,
              verdict: 'absent',
              isUsable: false,
              links: [],
              timeline: [],
              gaps: [],
            },
            { onClose: close },
          ),
    )
    .catch(() => [
      html('p', { class: 'notice' }, 'The process does not answer. Open the object again to retry.'),
    ]);
  if (own !== requests || !isOpen) return;
  const top = panel.scrollTop;
  panel.replaceChildren(...content);
  panel.setAttribute('aria-label', `Trace of ${node.kind} ${node.name}`);
  if (isRefresh) panel.scrollTop = top;
  else {
    panel.focus({ preventScroll: true });
    // On a narrow screen the trace is below the list and the graph.
    panel.scrollIntoView({ block: 'nearest' });
  }
}

function close(): void {
  isOpen = false;
  panel.hidden = true;
  panel.replaceChildren();
  document.body.classList.remove('traced');
  deselect();
  draw();
  byId('list').focus();
}

/** Updates the shown trace when its object, or an object connected with it, changes. */
function refresh({ nodes, deleted }: Batch): void {
  const node = selected === undefined ? undefined : state.nodes.get(selected);
  if (!isOpen || node === undefined) return;
  const near = new Set(state.around([node], mostShown).map(({ id }) => id));
  const isNear = nodes.some(({ id }) => near.has(id)) || deleted.some((id) => near.has(id));
  // Do not redraw while the user has selected text, for example to copy a command.
  if (isNear && getSelection()?.isCollapsed !== false) void open(node, true);
}

function follow(): void {
  const source = new EventSource('/events');
  source.addEventListener('greeting', (event) => {
    const { version, stacks } = JSON.parse(event.data) as Greeting;
    state.clear();
    activity = [];
    isLoaded = false;
    setTimeout(() => {
      isLoaded = true;
      draw();
    }, emptyAfterMs);
    showConnection('live', `live · ${version} · ${stacks.join(', ')}`);
  });
  source.addEventListener('batch', (event) => {
    const batch = JSON.parse(event.data) as Batch;
    state.apply(batch);
    activity = [...activity, ...batch.events].slice(-mostActivity);
    draw();
    if (!reachSought(true)) refresh(batch);
  });
  source.addEventListener('error', () => showConnection('lost', 'the process does not answer: trying again'));
}

function showConnection(how: 'live' | 'lost', text: string): void {
  byId('state').className = how;
  byId('state-text').textContent = text;
}

function listen(): void {
  const text = byId<HTMLInputElement>('text');
  text.addEventListener('input', () => change({ ...filter, text: text.value }));
  for (const field of ['namespace', 'phase'] as const) {
    const element = byId<HTMLSelectElement>(field);
    element.addEventListener('change', () => change({ ...filter, [field]: element.value }));
  }
  window.addEventListener('hashchange', goToAddress);
  window.addEventListener('resize', draw);
  // Ages grow while nothing else changes.
  setInterval(draw, agesMs);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === '/' && !isTyping) {
      event.preventDefault();
      text.focus();
      text.select();
    }
    if (event.key === 'Escape' && (isOpen || selected !== undefined)) close();
    if (event.key === 'ArrowDown' && event.target === text) byId('list').focus();
  });
}

if (typeof EventSource === 'undefined') {
  const notice = byId('notice');
  notice.textContent =
    'This browser does not support server-sent events, which the page needs. Use a current Firefox, Chrome, Edge or Safari.';
  notice.hidden = false;
  showConnection('lost', 'not connected');
} else {
  byId<HTMLInputElement>('text').value = filter.text;
  listen();
  draw();
  goToAddress();
  follow();
}
