import { randomBytes } from 'node:crypto';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { RandomBytes } from '../../credential.ts';
import type { ManagedReconcilerOptions } from '../options.ts';
import type { ProcessMemory } from '../recording/process-memory.ts';
import { createProcessMemory } from '../recording/process-memory.ts';
import type { KindFacts } from './facts.ts';

type Options = ManagedReconcilerOptions<Managed>;

/** The context that all runs of a managed kind share. */
export interface RunContext
  extends KindFacts,
    Pick<Options, 'env' | 'managedResources' | 'connector' | 'places' | 'resolveReferences'> {
  readonly randomBytes: RandomBytes;
  readonly memory: ProcessMemory;
}

/** One run of the reconciler for one managed resource. */
export interface Run extends RunContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The context, with the defaults of absent options. */
export function contextOf({
  externalNames,
  marks = { immutable: [], identity: [] },
  names,
  ...options
}: Options): RunContext {
  const { env } = options;
  const isAssigned = externalNames === 'assigned';
  return {
    secretDetails: {},
    randomBytes,
    creationGraceMs: isAssigned ? 30_000 : 0,
    confirmAbsenceMs: 5_000,
    holdsData: false,
    uncreatable: () => undefined,
    ...options,
    isObserveOnly: env.isObserveOnly === true,
    identity: { isAssigned, marks, names },
    memory: createProcessMemory(env.clock),
  };
}
