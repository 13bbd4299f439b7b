import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { EventFacts } from './event-facts.ts';
import type { EventRecorder } from './event-recorder.ts';

/** Takes an Event as it is recorded, and who reports it where that is not the process itself. Must not throw. */
export type ToldOfEvent = (object: KubernetesObject, event: EventFacts, source: string | undefined) => void;

/** The recorder, which tells somebody else of each Event, too. */
export const alsoTelling = (events: EventRecorder, told: ToldOfEvent, source?: string): EventRecorder => ({
  from: (name) => alsoTelling(events.from(name), told, name),
  record(object, event) {
    events.record(object, event);
    told(object, event, source);
  },
});
