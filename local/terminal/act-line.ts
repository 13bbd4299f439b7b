import type { RecordedEvent } from '../../dashboard/page/wire.ts';
import type { Paint } from './stage.ts';

/** An act of the controllers as one line: how long after the start of the display, the object, the reason, the message. */
export function actLine(
  { type, object, reason, message }: RecordedEvent,
  elapsedMs: number,
  paint: Paint,
): string {
  const when = `+${(elapsedMs / 1000).toFixed(1)} s`.padStart(9);
  const what = paint(type === 'Warning' ? 'yellow' : 'green', reason);
  return `${paint('dim', when)}  ${object}  ${what}  ${paint('dim', message)}`;
}
