import isEqual from 'lodash/isEqual.js';
import type { ExternalOperation, Managed } from '../../../apis/core/v1alpha1/managed.ts';

/** The ongoing operation of each managed resource: from memory until the status is written, then from the status. */
export interface OperationsUnderWay {
  of(managed: Managed): ExternalOperation | undefined;
  /** Remembers the operation until the status is written. `operation` undefined: the operation has ended. */
  note(managed: Managed, operation: ExternalOperation | undefined): void;
  forget(managed: Managed): void;
}

export function createOperationsUnderWay(): OperationsUnderWay {
  const unwritten = new Map<string | undefined, ExternalOperation | undefined>();
  return {
    of({ metadata: { uid }, status }) {
      const written = status?.operation;
      if (!unwritten.has(uid)) return written;
      const own = unwritten.get(uid);
      if (isEqual(own, written)) unwritten.delete(uid);
      return own;
    },
    note: ({ metadata: { uid } }, operation) => void unwritten.set(uid, operation),
    forget: ({ metadata: { uid } }) => void unwritten.delete(uid),
  };
}
