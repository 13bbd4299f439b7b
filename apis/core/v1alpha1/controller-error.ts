import type { ControllerErrorClass } from './condition.ts';

/** A failure that no external client reports. Its class is known where it is thrown. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';
  readonly errorClass: ControllerErrorClass;
  /** The namespace that the failure is about. */
  readonly namespace: string | undefined;

  constructor(errorClass: ControllerErrorClass, message: string, namespace?: string) {
    super(message);
    this.errorClass = errorClass;
    this.namespace = namespace;
  }
}

/** The first ControllerError in a chain of causes. */
export function controllerErrorIn(error: unknown): ControllerError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ControllerError) return current;
  }
  return undefined;
}
