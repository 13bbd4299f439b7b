import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { sinceOf } from '../../apis/core/v1alpha1/condition.ts';
import { ago, since } from '../model/ago.ts';
import type { Fault, Link, LinkState, Trace, TraceEvent, Verdict } from '../model/trace.ts';
import { wrapped } from './lines.ts';

export type Tone = 'good' | 'bad' | 'wait' | 'faint' | 'strong';

export interface TextOptions {
  /** Characters per line. */
  readonly width: number;
  readonly now: Date;
  /** With the whole chain, its conditions and the Events. */
  readonly isVerbose: boolean;
  readonly paint: (tone: Tone, text: string) => string;
}

const signs: Readonly<Record<LinkState, readonly [sign: string, tone: Tone]>> = {
  ok: ['✓', 'good'],
  broken: ['✗', 'bad'],
  waits: ['…', 'wait'],
  unknown: ['?', 'faint'],
  none: ['–', 'faint'],
};

const verdicts: Readonly<Record<Verdict, readonly [words: string, tone: Tone]>> = {
  usable: ['can be used', 'good'],
  'usable, but': ['can be used, but has a problem', 'wait'],
  'in progress': ['is in progress: no problem was found', 'wait'],
  'being deleted': ['is being deleted: no problem was found', 'wait'],
  broken: ['cannot be used', 'bad'],
  absent: ['does not exist', 'bad'],
  withheld: ['may not be read with your rights', 'bad'],
};

/** A trace for people: the verdict, the fault with its fix, and the chain. No text is cut. */
export function traceText(trace: Trace, options: TextOptions): string {
  const { paint, width, isVerbose } = options;
  const [words, tone] = verdicts[trace.verdict];
  const links = inTree(trace.links);
  const lines = [
    `${paint('strong', trace.subject)} ${paint(tone, words)}`,
    ...(trace.fault === undefined ? [] : faultLines(trace.fault, options)),
    '',
    ...(isVerbose ? links : mostImportant(links)).flatMap((link) => linkLines(link, trace.fault, options)),
    ...(isVerbose ? timelineLines(trace.timeline, options) : []),
    ...trace.gaps.flatMap((gap) => ['', ...wrapped(gap, width).map((line) => paint('faint', line))]),
  ];
  return `${lines.join('\n')}\n`;
}

function faultLines({ cause, advice, commands }: Fault, { width, paint }: TextOptions): readonly string[] {
  return [
    '',
    ...wrapped(cause, width, '  ').map((line) => paint('bad', line)),
    ...(advice === undefined ? [] : wrapped(advice, width, '  ')),
    // Commands are not wrapped, so that a user can paste them.
    ...commands.map((command) => `    ${paint('strong', command)}`),
  ];
}

interface Placed extends Link {
  readonly depth: number;
}

/** A link and all links below it, in the order of the tree. */
const inTree = (links: readonly Link[], depth = 0): readonly Placed[] =>
  links.flatMap((link) => [{ ...link, depth }, ...inTree(link.links, depth + 1)]);

/** The lines of the tree without --verbose. */
const mostLines = 5;

/** The broken link with the links that lead to it, then those that are not correct, then the others. */
function mostImportant(links: readonly Placed[]): readonly Placed[] {
  const leads = ({ state, links: below }: Link): boolean => state === 'broken' || below.some(leads);
  const groups = [leads, ({ state }: Link) => state !== 'ok' && state !== 'none', () => true];
  const ranked = new Set(groups.flatMap((isIn) => links.filter(isIn)));
  const shown = [...ranked].slice(0, mostLines);
  return links.filter((link) => shown.includes(link));
}

function linkLines(link: Placed, fault: Fault | undefined, options: TextOptions): readonly string[] {
  const { paint, width, isVerbose } = options;
  const [sign, tone] = signs[link.state];
  const indent = '  '.repeat(link.depth);
  const reason = link.conditions.find(({ status }) => status === 'False')?.reason ?? '';
  const word = link.decision ?? reason;
  const mark = link.state === 'broken' ? ` ${paint('bad', `◀ ${fault?.name}`)}` : '';
  const head = `${indent}${paint(tone, sign)} ${paint('strong', link.title)}${word && ` ${paint('faint', word)}`}${mark}`;
  const inner = `${indent}    `;
  if (!isVerbose) return [head, ...notApplied(link).flatMap((text) => wrapped(text, width, inner))];
  return [
    head,
    ...(link.says.length === 0 ? [] : wrapped(link.says.join('; '), width, inner)),
    ...link.conditions.flatMap((condition) => conditionLines(condition, inner, options)),
  ];
}

/** The message of a successful reconcile: the edits that were not applied. */
const notApplied = ({ conditions }: Link): readonly string[] =>
  conditions.flatMap(({ type, status, message }) =>
    type === 'Synced' && status === 'True' && message !== undefined ? [message] : [],
  );

function conditionLines(
  condition: Condition,
  inner: string,
  { paint, width, now }: TextOptions,
): readonly string[] {
  const { type, status, reason, message } = condition;
  const tone: Tone = status === 'True' ? 'good' : status === 'False' ? 'bad' : 'faint';
  const lasting = paint('faint', since(Date.parse(sinceOf(condition)), now));
  const head = `${type} ${paint(tone, status)} ${reason} ${lasting}`;
  return wrapped(message === undefined ? head : `${head}: ${message}`, width, inner, `${inner}  `);
}

function timelineLines(events: readonly TraceEvent[], { paint, width, now }: TextOptions): readonly string[] {
  if (events.length === 0) return [];
  const lines = events.flatMap(({ at, type, object, reason, message, count }) => {
    const when = paint('faint', ago(Date.parse(at), now).padStart(10));
    const often = count > 1 ? ` (${count} times)` : '';
    const named = paint(type === 'Warning' ? 'bad' : 'good', reason);
    return wrapped(`${when} ${object} ${named}${often}: ${message}`, width, '  ', ' '.repeat(13));
  });
  return ['', paint('strong', 'Events of these objects'), ...lines];
}
