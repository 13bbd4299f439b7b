import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';

/** What an external system says about the resource a managed resource stands for. */
export interface Observation {
  readonly exists: boolean;
  /** Whether the external resource is as the spec wants it. Means nothing if it does not exist. */
  readonly isUpToDate: boolean;
  /** Details known from looking; those known only at creation are kept from then. */
  readonly details?: ConnectionDetails;
  /** Output-only fields, laid over the managed resource's status. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** The Ready condition. `available()` also makes the managed resource bindable. */
  readonly ready?: ConditionFacts;
  /** Values the external system chose for fields of `forProvider` that were absent. */
  readonly lateInitialized?: object;
  /** What differs, for the debug log. Never holds secrets. */
  readonly difference?: string;
}

export interface Creation {
  readonly details?: ConnectionDetails;
  /** The name the external system assigned, where it assigns names. */
  readonly externalName?: string;
}

export interface Update {
  readonly details?: ConnectionDetails;
}

/**
 * One external system, seen by one managed resource. `known` are the connection details published so far: a
 * password that is missing there was lost and must be set anew by `update`, which `observe` asks for by
 * answering `isUpToDate: false` and not ready. Calls honour the signal. Errors carry messages fit for a
 * condition: clear, stable from one call to the next, without secrets.
 */
export interface ExternalClient<M extends Managed = Managed> {
  /** Looks and changes nothing. */
  observe(managed: M, known: ConnectionDetails, signal: AbortSignal): Promise<Observation>;
  /** Where names are deterministic, creating what exists already (from an attempt before a crash) is success. */
  create(managed: M, known: ConnectionDetails, signal: AbortSignal): Promise<Creation>;
  update(managed: M, known: ConnectionDetails, signal: AbortSignal): Promise<Update>;
  /** Asks for deletion; deleting what is gone is success. */
  delete(managed: M, signal: AbortSignal): Promise<void>;
  disconnect?(): Promise<void>;
}

/** Yields the client for a managed resource, from its provider's credentials. */
export interface ExternalConnector<M extends Managed = Managed> {
  connect(managed: M, signal: AbortSignal): Promise<ExternalClient<M>>;
}
