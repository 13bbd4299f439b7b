import type { CoreEvent } from '../../runtime/events/event-recorder.ts';
import type { Paint } from './stage.ts';

/** The object of an Event, as a line shows it. */
interface Subject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Whether an Event tells of something that the controllers did, or found. */
export const isAct = ({ source }: CoreEvent): boolean => source?.component !== undefined;

/** An Event as one line: how long after the examples were applied, of what, what, and in which words. */
export function actLine(event: CoreEvent, elapsedMs: number, paint: Paint): string {
  const { kind, namespace, name } = event.involvedObject as Subject;
  const where = namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
  const when = `+${(elapsedMs / 1000).toFixed(1)} s`.padStart(9);
  const what = paint(event.type === 'Warning' ? 'yellow' : 'green', event.reason);
  return `${paint('dim', when)}  ${kind} ${where}  ${what}  ${paint('dim', event.message)}`;
}
