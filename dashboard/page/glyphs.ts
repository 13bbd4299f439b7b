import { svg } from './dom.ts';
import type { Health } from './wire.ts';

/** Different in shape and in colour: disc with tick, ring with exclamation mark, ring with dots, diamond with cross, ring with dash. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  ok: ['M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z', 'M4.8 8.2l2.2 2.3 4.3-4.8'],
  troubled: ['M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6Z', 'M8 4.4v4.4M8 11.2v.4'],
  waits: ['M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6Z', 'M4.8 8h.01M8 8h.01M11.2 8h.01'],
  broken: ['M8 .6 15.4 8 8 15.4.6 8Z', 'M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4'],
  going: ['M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6Z', 'M5 8h6'],
  unknown: ['M8 1.6a6.4 6.4 0 1 0 0 12.8A6.4 6.4 0 0 0 8 1.6Z', 'M6.2 6.4A1.8 1.8 0 1 1 8 8.2v.9M8 11.2v.4'],
};

/** The meaning of each shape in words, for screen readers and tooltips. */
export const healthWords: Readonly<Record<string, string>> = {
  ok: 'ready',
  troubled: 'ready, with a problem',
  waits: 'in progress',
  broken: 'needs action',
  going: 'being deleted',
  unknown: 'unknown',
};

/** The words beside the number of a filter. */
export const chipWords = (health: Health, count: number): string =>
  ({
    broken: count === 1 ? 'needs action' : 'need action',
    troubled: 'with a problem',
    waits: 'in progress',
    going: 'deleting',
    ok: 'ready',
  })[health];

/** The glyph for the health of an object or of a link of a trace. */
export function glyph(health: string): SVGSVGElement {
  const [body = '', mark = ''] = shapes[health] ?? shapes.unknown!;
  const label = healthWords[health] ?? health;
  return svg(
    'svg',
    { class: `glyph ${health}`, viewBox: '0 0 16 16', role: 'img', 'aria-label': label },
    svg('path', { class: 'body', d: body }),
    svg('path', { class: 'mark', d: mark }),
  );
}
