import type { Described } from '../schema.ts';
import type { externalOperation, managedSpec, managedStatus, managementAction } from './define-managed.ts';
import type { publishConnectionDetailsTo } from './fields.ts';
import type { KubernetesObject } from './kind.ts';

export type ManagementAction = Described<typeof managementAction>;

/** Where connection details go beside, or instead of, a plain secret. */
export type PublishConnectionDetailsTo = Described<typeof publishConnectionDetailsTo>;

/** What every managed resource's spec holds; its kind says more of `forProvider` and `initProvider`. */
export type ManagedSpec = Described<typeof managedSpec> & {
  readonly forProvider?: object;
  readonly initProvider?: object;
};

/** An operation of an external system, by its name there. */
export type ExternalOperation = Described<typeof externalOperation>;

/** What every managed resource's status holds beside what the external system reports. */
export type ManagedStatus = Described<typeof managedStatus>;

/** A cluster-scoped, faithful representation of one external resource. */
export interface Managed extends KubernetesObject {
  readonly spec: ManagedSpec;
  readonly status?: ManagedStatus;
}

/** Whether connection details of a managed resource are wanted at all. */
export const wantsDetails = ({ spec }: Pick<Managed, 'spec'>): boolean =>
  (spec.writeConnectionSecretToRef ?? spec.publishConnectionDetailsTo) !== undefined;
