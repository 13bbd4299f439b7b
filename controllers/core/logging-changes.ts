import type { EventRecorder } from '../../runtime/events/event-recorder.ts';
import type { Logger } from '../../runtime/log/log.ts';

/** The Events that tell what was done to an object; others tell what is waited for, or failed. */
const changes: ReadonlySet<string> = new Set([
  'BoundManagedResource',
  'CreatedExternalResource',
  'CreatedManagedResource',
  'DefaultResourceClass',
  'DeletedExternalResource',
  'SelectedResourceClass',
  'UnboundManagedResource',
  'UpdatedExternalResource',
]);

/** A recorder that logs each change it is told of at level info, a line each, beside recording the Event. */
export const loggingChanges = (events: EventRecorder, log: Logger): EventRecorder => ({
  from: (source) => loggingChanges(events.from(source), log),
  record(object, event) {
    events.record(object, event);
    if (!changes.has(event.reason)) return;
    const { kind, metadata } = object;
    log.info('changed', {
      kind,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      name: metadata.name,
      change: event.reason,
    });
  },
});
