import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ConnectionPublisher } from '../connection/connection-publisher.ts';
import type { Absences } from './absences.ts';
import type { OperationTracker } from './async-operations.ts';
import type { CreationRecorder } from './creation-recorder.ts';
import type { NextDecision } from './decide.ts';
import type { Observation } from './external-client.ts';
import type { Pass } from './pass.ts';
import type { PassReporter } from './pass-reporter.ts';

/** What the steps of every pass over one managed kind share. */
export interface PassContext<M extends Managed> {
  readonly env: Pick<Environment, 'clock' | 'random' | 'pollIntervalMs'>;
  readonly managed: Resource<M>;
  readonly publisher: ConnectionPublisher;
  readonly operations: OperationTracker;
  readonly absences: Absences;
  readonly confirmAbsenceMs: number;
  /** Paths of the fields of forProvider that are immutable. */
  readonly identityFields: readonly string[];
  readonly recorder: CreationRecorder<M>;
  readonly reporter: PassReporter<M>;
  /** The external system names its resources. */
  readonly isAssigned: boolean;
  /** What to do about what was observed: rows 12 to 31. */
  readonly decide: (pass: Pass<M>, observed: Observation) => NextDecision;
}
