import isEqual from 'lodash/isEqual.js';
import type { ExternalOperation, Managed } from '../../../../apis/core/v1alpha1/managed.ts';

/**
 * Which operation of the external system is under way for each managed resource, by its name there: its status says so,
 * for whichever process goes on, or this process knows, until it could write that.
 */
export interface OperationsUnderWay {
  of(managed: Managed): ExternalOperation | undefined;
  /** This one has been begun; undefined: none is under way any more. */
  note(managed: Managed, operation: ExternalOperation | undefined): void;
  forget(managed: Managed): void;
}

export function createOperationsUnderWay(): OperationsUnderWay {
  const untold = new Map<string | undefined, ExternalOperation | undefined>();
  return {
    of({ metadata: { uid }, status }) {
      const told = status?.operation;
      if (!untold.has(uid)) return told;
      const own = untold.get(uid);
      if (isEqual(own, told)) untold.delete(uid);
      return own;
    },
    note: ({ metadata: { uid } }, operation) => void untold.set(uid, operation),
    forget: ({ metadata: { uid } }) => void untold.delete(uid),
  };
}
