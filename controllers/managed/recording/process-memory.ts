import isEqual from 'lodash/isEqual.js';
import type { ExternalOperation, Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

interface Remembered {
  readonly uid: string | undefined;
  /** When the first observation that found nothing ended. */
  readonly absentSinceMs?: number | undefined;
  readonly unwritten?: { readonly operation: ExternalOperation | undefined } | undefined;
}

/** The memory of a process about its managed resources, from run to run. A restart clears it. */
export type ProcessMemory = ReturnType<typeof createProcessMemory>;

export function createProcessMemory(clock: Pick<Clock, 'elapsedMs'>) {
  const memory = new Map<string, Remembered>();
  const about = ({ metadata: { name, uid } }: Managed): Remembered => {
    const remembered = memory.get(name);
    return remembered !== undefined && remembered.uid === uid ? remembered : { uid };
  };
  const note = (managed: Managed, news: Omit<Remembered, 'uid'>): void => {
    const { name } = managed.metadata;
    const now = { ...about(managed), ...news };
    if (now.absentSinceMs === undefined && now.unwritten === undefined) memory.delete(name);
    else memory.set(name, now);
  };
  return {
    /**
     * Records an observation that began at `begunMs`. Returns for how many ms nothing was found: from the end of the first
     * observation that found nothing, until `begunMs`. The resource may have appeared after that.
     */
    noteObservation(managed: Managed, exists: boolean, begunMs: number): number {
      const { absentSinceMs } = about(managed);
      if (exists || absentSinceMs === undefined) {
        note(managed, { absentSinceMs: exists ? undefined : clock.elapsedMs() });
        return 0;
      }
      return begunMs - absentSinceMs; // guard: otherwise the duration of a slow observation counts as a time of absence
    },
    /** Lets no earlier observation count as absence. */
    forgetAbsence: (managed: Managed): void => note(managed, { absentSinceMs: undefined }),
    /** The ongoing operation: from memory until the status is written, then from the status. */
    operationOf(managed: Managed): ExternalOperation | undefined {
      const written = managed.status?.operation;
      const { unwritten } = about(managed);
      if (unwritten === undefined) return written;
      if (isEqual(unwritten.operation, written)) note(managed, { unwritten: undefined });
      return unwritten.operation;
    },
    /** Remembers the operation until the status is written. `operation` undefined: the operation has ended. */
    noteOperation: (managed: Managed, operation: ExternalOperation | undefined): void =>
      note(managed, { unwritten: { operation } }),
    /** Forgets a managed resource that does not exist any more. */
    forget: ({ name }: Request): void => void memory.delete(name),
  };
}
