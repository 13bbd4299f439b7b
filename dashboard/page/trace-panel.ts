import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { Link, Trace, TraceEvent } from '../../trace/model/trace.ts';
import { html } from './dom.ts';
import { glyph } from './glyphs.ts';

const verdicts: Readonly<Record<Trace['verdict'], readonly [words: string, health: string]>> = {
  usable: ['can be used', 'ok'],
  'usable, but': ['can be used, but has a problem', 'troubled'],
  'in progress': ['is in progress: no problem was found', 'waits'],
  'being deleted': ['is being deleted', 'going'],
  broken: ['cannot be used', 'broken'],
  absent: ['does not exist', 'going'],
  withheld: ['cannot be read: the permission is missing', 'unknown'],
};

/** The health of a link, in the terms of objects. */
const healthOf: Readonly<Record<Link['state'], string>> = {
  ok: 'ok',
  broken: 'broken',
  waits: 'waits',
  unknown: 'unknown',
  none: 'going',
};

export interface PanelOptions {
  readonly onClose: () => void;
}

/** The panel's elements for a trace. */
export function tracePanel(trace: Trace, { onClose }: PanelOptions): readonly HTMLElement[] {
  const [words, health] = verdicts[trace.verdict];
  const [kind = '', ...rest] = trace.subject.split(' ');
  const close = html('button', { type: 'button', class: 'close', 'aria-label': 'Close the trace' }, '×');
  close.addEventListener('click', onClose);
  const { fault } = trace;
  return [
    html(
      'header',
      { class: 'trace-head' },
      html('p', { class: 'quiet' }, kind),
      html('h2', { id: 'trace-title' }, rest.join(' ')),
      html('p', { class: `verdict ${health}` }, glyph(health), words),
      close,
    ),
    ...(fault === undefined
      ? []
      : [
          html(
            'section',
            { class: `fault ${health}`, 'aria-label': 'The cause' },
            html('p', { class: 'cause' }, fault.cause),
            fault.advice === undefined ? undefined : html('p', {}, fault.advice),
            ...fault.commands.map(command),
          ),
        ]),
    html('ol', { class: 'links', 'aria-label': 'The linked objects' }, ...trace.links.map(linkItem)),
    ...(trace.timeline.length === 0
      ? []
      : [
          html('h3', {}, 'Events of these objects'),
          html('ol', { class: 'timeline' }, ...[...trace.timeline].reverse().map(eventItem)),
        ]),
    ...trace.gaps.map((gap) => html('p', { class: 'quiet' }, gap)),
  ];
}

/** A command, and a button that copies it. */
function command(text: string): HTMLElement {
  const copy = html('button', { type: 'button', class: 'copy' }, 'Copy');
  copy.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => {
        copy.textContent = 'Copied';
        setTimeout(() => {
          copy.textContent = 'Copy';
        }, 1_500);
      },
      () => getSelection()?.selectAllChildren(code),
    );
  });
  const code = html('code', { tabindex: 0 }, text);
  return html('div', { class: 'command' }, code, copy);
}

function linkItem(link: Link): HTMLElement {
  const isFirst = link.state === 'broken';
  return html(
    'li',
    { class: `link ${link.state}` },
    html(
      'div',
      { class: 'link-head' },
      glyph(healthOf[link.state]),
      html('span', { class: 'link-title' }, link.title),
      link.decision === undefined ? undefined : html('span', { class: 'quiet decision' }, link.decision),
    ),
    isFirst ? html('p', { class: 'first' }, 'the first broken link') : undefined,
    link.says.length === 0 ? undefined : html('p', { class: 'says' }, link.says.join(' · ')),
    link.conditions.length === 0
      ? undefined
      : html('ul', { class: 'conditions' }, ...link.conditions.map(conditionItem)),
    link.links.length === 0 ? undefined : html('ol', { class: 'links' }, ...link.links.map(linkItem)),
  );
}

const conditionItem = ({ type, status, reason, message }: Condition): HTMLElement =>
  html(
    'li',
    { class: `condition ${status}` },
    html('span', { class: 'condition-name' }, `${type} ${status}`),
    ` ${reason}`,
    message === undefined ? undefined : html('span', { class: 'quiet' }, ` ${message}`),
  );

const eventItem = ({ at, type, object, reason, message, count }: TraceEvent): HTMLElement =>
  html(
    'li',
    { class: type },
    html('time', { datetime: at, class: 'quiet' }, new Date(at).toLocaleTimeString()),
    html('span', { class: 'reason' }, count > 1 ? `${reason} ×${count}` : reason),
    html('span', { class: 'quiet' }, object),
    html('span', {}, message),
  );
