import type { BindingPhase } from './binding.ts';
import type { ReclaimPolicy } from './class.ts';
import type { Condition } from './condition.ts';
import type { KubernetesObject } from './kind.ts';
import type { ObjectReference, ReferencePolicy, SecretReference } from './reference.ts';

export const managementActions = ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize', '*'] as const;
export type ManagementAction = (typeof managementActions)[number];
export type DeletionPolicy = 'Delete' | 'Orphan';

/** Where connection details go beside, or instead of, a plain secret. */
export interface PublishConnectionDetailsTo {
  readonly name: string;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly type?: string;
  };
  readonly configRef?: { readonly name: string };
}

/** What every managed resource's spec holds beside `forProvider` and `initProvider`. */
export interface ManagedSpec {
  readonly writeConnectionSecretToRef?: SecretReference;
  readonly publishConnectionDetailsTo?: PublishConnectionDetailsTo;
  readonly claimRef?: ObjectReference;
  readonly classRef?: ObjectReference;
  readonly providerRef?: ObjectReference;
  readonly providerConfigRef?: { readonly name: string; readonly policy?: ReferencePolicy };
  readonly reclaimPolicy?: ReclaimPolicy;
  readonly deletionPolicy?: DeletionPolicy;
  readonly managementPolicies?: readonly ManagementAction[];
  readonly forProvider?: object;
  readonly initProvider?: object;
}

/** What every managed resource's status holds beside what the external system reports. */
export interface ManagedStatus {
  readonly bindingPhase?: BindingPhase;
  /** What identifies the external resource, as it was when that was first seen. */
  readonly externalIdentity?: string;
  /** Its own UID when it was bound: another one than it has was brought along from a backup. */
  readonly boundUID?: string;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
}

/** A cluster-scoped, faithful representation of one external resource. */
export interface Managed extends KubernetesObject {
  readonly spec: ManagedSpec;
  readonly status?: ManagedStatus;
}
