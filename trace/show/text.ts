import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { ago, since } from '../model/ago.ts';
import type { Fault, Link, LinkState, Trace, TraceEvent, Verdict } from '../model/trace.ts';
import { wrapped } from './lines.ts';

export type Tone = 'good' | 'bad' | 'wait' | 'faint' | 'strong';

export interface TextOptions {
  /** Characters per line. */
  readonly width: number;
  readonly now: Date;
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

/** A trace for people: the fault with its fix, the chain, and the Events. No text is cut. */
export function traceText(trace: Trace, options: TextOptions): string {
  const { paint, width } = options;
  const [words, tone] = verdicts[trace.verdict];
  const lines = [
    `${paint('strong', trace.subject)} ${paint(tone, words)}`,
    ...(trace.fault === undefined ? [] : faultLines(trace.fault, options)),
    ...(trace.links.length === 0 ? [] : ['']),
    ...trace.links.flatMap((link) => linkLines(link, '', '', trace.fault, options)),
    ...timelineLines(trace.timeline, options),
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

function linkLines(
  link: Link,
  first: string,
  rest: string,
  fault: Fault | undefined,
  options: TextOptions,
): readonly string[] {
  const { paint, width } = options;
  const [sign, tone] = signs[link.state];
  const decision = link.decision === undefined ? '' : ` ${paint('faint', link.decision)}`;
  const mark = link.state === 'broken' ? ` ${paint('bad', `◀ the first broken link: ${fault?.name}`)}` : '';
  const below = link.links.length > 0 ? '│ ' : '  ';
  const inner = `${rest}${paint('faint', below)}  `;
  return [
    `${paint('faint', first)}${paint(tone, sign)} ${paint('strong', link.title)}${decision}${mark}`,
    ...(link.says.length === 0 ? [] : wrapped(link.says.join('; '), width, inner)),
    ...link.conditions.flatMap((condition) => conditionLines(condition, inner, options)),
    ...link.links.flatMap((child, index) => {
      const isLast = index === link.links.length - 1;
      const own = `${rest}${isLast ? '└ ' : '├ '}`;
      return linkLines(child, own, `${rest}${isLast ? '  ' : `${paint('faint', '│')} `}`, fault, options);
    }),
  ];
}

function conditionLines(
  { type, status, reason, message, lastTransitionTime }: Condition,
  inner: string,
  { paint, width, now }: TextOptions,
): readonly string[] {
  const tone: Tone = status === 'True' ? 'good' : status === 'False' ? 'bad' : 'faint';
  const lasting = paint('faint', since(Date.parse(lastTransitionTime), now));
  const head = `${type} ${paint(tone, status)} ${reason} ${lasting}`;
  return wrapped(message === undefined ? head : `${head}: ${message}`, width, inner, `${inner}  `);
}

function timelineLines(
  timeline: readonly TraceEvent[],
  { paint, width, now }: TextOptions,
): readonly string[] {
  if (timeline.length === 0) return [];
  const lines = timeline.flatMap(({ at, type, object, reason, message, count }) => {
    const when = ago(Date.parse(at), now).padStart(10);
    const often = count > 1 ? ` (${count} times)` : '';
    const named = paint(type === 'Warning' ? 'bad' : 'good', reason);
    return wrapped(
      `${paint('faint', when)} ${object} ${named}${often}: ${message}`,
      width,
      '  ',
      `             `,
    );
  });
  return ['', paint('strong', 'Events of these objects'), ...lines];
}
