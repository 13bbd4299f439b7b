import type { Managed } from '../../apis/core/v1alpha1/managed.ts';

/**
 * Which request for another password was heeded last: the status says so, or this process knows, until it could write
 * that. Without it a run over an object as it was before would set another one, and each new secret asks for a run.
 */
export interface PasswordRotations {
  /** Undefined: none. */
  heeded(managed: Managed): string | undefined;
  /** A password has been set: what is asked for by now is heeded. */
  heed(managed: Managed): void;
}

export const rotationAskedFor = ({ spec }: Managed): string | undefined =>
  (spec.forProvider as { readonly passwordRotation?: string } | undefined)?.passwordRotation;

const rotationTold = ({ status }: Managed): string | undefined =>
  (status as { readonly passwordRotation?: string } | undefined)?.passwordRotation;

export function createPasswordRotations(): PasswordRotations {
  const untold = new Map<string | undefined, string>();
  return {
    heeded(managed) {
      const { uid } = managed.metadata;
      const told = rotationTold(managed);
      if (untold.get(uid) === told) untold.delete(uid);
      return untold.get(uid) ?? told;
    },
    heed(managed) {
      const request = rotationAskedFor(managed);
      if (request !== undefined) untold.set(managed.metadata.uid, request);
    },
  };
}
