import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { EventFacts } from './event-facts.ts';
import type { EventRecorder } from './event-recorder.ts';

/**
 * Receives each Event when it is recorded. `source` is the reporting component; undefined: the process itself. Must not
 * throw.
 */
export type EventListener = (object: KubernetesObject, event: EventFacts, source: string | undefined) => void;

/** The recorder, which also passes each Event to a listener. */
export const forwardingRecorder = (
  events: EventRecorder,
  listener: EventListener,
  source?: string,
): EventRecorder => ({
  from: (name) => forwardingRecorder(events.from(name), listener, name),
  record(object, event) {
    events.record(object, event);
    listener(object, event, source);
  },
});
