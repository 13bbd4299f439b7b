import type { Described } from '../schema.ts';
import type { Publishing } from './connection-details.ts';
import type { externalOperation, managedSpec, managedStatus } from './define-managed.ts';
import type { managementAction, publishConnectionDetailsTo } from './fields.ts';
import type { KubernetesObject } from './kind.ts';
import type { ReportedDetails } from './secret.ts';

export type ManagementAction = Described<typeof managementAction>;

/** The secret store for connection details, besides or instead of a Secret. */
export type PublishConnectionDetailsTo = Described<typeof publishConnectionDetailsTo>;

/** The common fields of every managed resource's spec; the kind adds types for `forProvider` and `initProvider`. */
export type ManagedSpec = Described<typeof managedSpec> & {
  readonly forProvider?: object;
  readonly initProvider?: object;
};

/** An operation of an external system, with its name there. */
export type ExternalOperation = Described<typeof externalOperation>;

/** The common fields of every managed resource's status, besides the fields that the external system reports. */
export type ManagedStatus = Described<typeof managedStatus>;

/** A cluster-scoped, faithful representation of one external resource. */
export interface Managed extends KubernetesObject, Publishing<ReportedDetails> {
  readonly spec: ManagedSpec;
  readonly status?: ManagedStatus;
}

/** Whether a managed resource publishes connection details at all. */
export const wantsDetails = ({ spec }: Pick<Managed, 'spec'>): boolean =>
  (spec.writeConnectionSecretToRef ?? spec.publishConnectionDetailsTo) !== undefined;

/** Whether a managed resource publishes its connection details to a secret store alone, and to no Secret. */
export const publishesToStoreAlone = ({ spec }: Pick<Managed, 'spec'>): boolean =>
  spec.writeConnectionSecretToRef === undefined && spec.publishConnectionDetailsTo !== undefined;
