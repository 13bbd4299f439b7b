import type { Clock } from '../../runtime/time/clock.ts';
import type { Admission } from '../../testing/memory-cluster.ts';
import { MemoryCluster, refusal } from '../../testing/memory-cluster.ts';
import { admit, isDefinition } from './admission.ts';

/** The object as it may be stored, where there is a definition of its kind. Throws what schema or rules refuse. */
export const admitted: Admission = (kind, object, before) => {
  if (!isDefinition(kind)) return object;
  const verdict = admit(kind, object, before);
  if ('object' in verdict) return verdict.object;
  throw refusal(422, 'Invalid', verdict.message);
};

/**
 * A cluster in memory that enforces schemas and rules of kinds that are defined. With `isEnforced` false, definitions are
 * those of an older release, which let everything through.
 */
export class EnforcingCluster extends MemoryCluster {
  constructor(now?: Clock['now'], { isEnforced = true }: { readonly isEnforced?: boolean } = {}) {
    super(now, isEnforced ? { admit: admitted } : {});
  }
}
