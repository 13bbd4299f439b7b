/** Something that happened to an object, for `kubectl describe`. The message is stable and holds no secret. */
export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  /** In CamelCase, such as `BoundManagedResource` or `CannotCreateExternalResource`; docs/events.md lists them. */
  readonly reason: string;
  readonly message: string;
  /** Annotations of the Event object, for example the other object it is about. Those of the first occurrence stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** False: an Event of another object tells the same, so that the log and the live page show this one, and the API server gets none. */
  readonly isWritten?: false;
}

/** An Event about an action of the controllers. */
export const normal = (reason: string, message: string): EventFacts => ({ type: 'Normal', reason, message });

/** An Event about a failure, or about something that a user must do. */
export const warning = (reason: string, message: string): EventFacts => ({
  type: 'Warning',
  reason,
  message,
});
