/** Something that happened to an object, for `kubectl describe`. Messages are stable and hold no secrets. */
export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, as in docs/operating.md (`BoundManagedResource`, `CannotCreateExternalResource`, …). */
  readonly reason: string;
  readonly message: string;
  /** Of the Event object: what it is about beside its object. Those of its first occurrence stay. */
  readonly annotations?: Readonly<Record<string, string>>;
}
