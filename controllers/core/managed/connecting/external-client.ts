import type { ReadyFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';

export type OperationType = 'create' | 'update' | 'delete';

/** `forProvider` with optional fields, or any object if the kind is not known. */
export type ForProviderOf<M extends Managed> = Managed extends M
  ? object
  : Partial<NonNullable<M['spec']['forProvider']>>;

/** The status fields of the author, or any fields if the kind is not known. */
export type ReportedStatus<M extends Managed> = Managed extends M
  ? Readonly<Record<string, unknown>>
  : Partial<Omit<NonNullable<M['status']>, keyof ManagedStatus>>;

/**
 * The generated credential in the Secret. The external client never generates one. `isApplied`: the status records
 * that the external system has it. A client that can test a credential tests one that is not applied in `observe`.
 */
export interface DesiredCredential {
  readonly value: string;
  readonly isApplied: boolean;
}

/** The state of an external resource. */
export interface Observation<M extends Managed = Managed> {
  /**
   * The assigned name of a resource that was found without it, for example by tags after an answer was lost. It is
   * recorded, so that other resources can refer to it. Ignored if a name is known.
   */
  readonly externalName?: string;
  readonly exists: boolean;
  /**
   * Why an absent resource must not be created, for example because a user set a name that the external system
   * would assign. Reported, and no identity is recorded. Contains no secrets.
   */
  readonly uncreatable?: string;
  /** Whether the external resource matches the spec. Ignored if it does not exist. */
  readonly isUpToDate: boolean;
  /**
   * Details that an observation shows. A detail that is not mentioned is kept. A detail of `null` is removed
   * everywhere.
   */
  readonly details?: ReportedDetails;
  /** Output-only fields, merged into the status. */
  readonly status?: ReportedStatus<M>;
  /** The Ready condition. `available()` also allows claims to bind. */
  readonly ready?: ReadyFacts;
  /** Values that the external system chose for absent fields of `forProvider`. */
  readonly lateInitialized?: ForProviderOf<M>;
  /**
   * The result of a comparison with the credential: `inForce`; `pending`, if it is accepted and not used yet (RDS
   * reports "modifying"); `wrong`, for example after a failed login. Absent: not known, so the status decides. A
   * wrong credential is set again.
   */
  readonly credential?: 'inForce' | 'pending' | 'wrong';
  /** For the debug log. Contains no secrets. */
  readonly difference?: string;
  /**
   * Edits that cannot be applied: `spec.forProvider.version from "5.7" to "8.0"`. Requires `isUpToDate: false`.
   * Contains no secrets.
   */
  readonly refused?: readonly string[];
  /**
   * Changes in the external system that cannot be undone: `spec.forProvider.version, which is "8.0" there and "5.7"
   * here`.
   */
  readonly drifted?: readonly string[];
  /**
   * The operation that the external system reports. Until it ends, no update and no second deletion is requested.
   * The resource is observed often, and the AsyncOperation condition shows the reason.
   */
  readonly operation?: OperationType;
}

interface Told<M extends Managed> {
  /** See {@link Observation}, which has priority. */
  readonly details?: ReportedDetails;
  /** See {@link Observation}, which has priority. */
  readonly status?: ReportedStatus<M>;
  /** The external system accepted the credential and does not use it yet. `observe` reports when it does. */
  readonly isCredentialPending?: boolean;
}

/** `Name` is `string` for clients that `poll`. */
interface Lasting<Name extends string> {
  /**
   * The name of an operation that continues after the call (`operations/1234`). Other returned values are recorded
   * as well. The status keeps the name, and `poll` is called until the operation ends. Until then the external
   * resource is only observed.
   */
  readonly operation?: Name;
}

export interface Created<M extends Managed = Managed> extends Told<M> {
  /**
   * The call found an existing resource of this object, for example from before a crash, and set no credential.
   * `update` sets it.
   */
  readonly isExisting?: boolean;
  /** The assigned name. */
  readonly externalName?: string;
}

export interface Creation<M extends Managed = Managed, Name extends string = never>
  extends Created<M>,
    Lasting<Name> {}

export interface Update<M extends Managed = Managed, Name extends string = never>
  extends Told<M>,
    Lasting<Name> {}

export type Deletion<Name extends string = never> = Lasting<Name>;

/**
 * The progress of an operation, as the external system reports it.
 * - `running`: `message` is the progress. Each new message is a write of the status.
 * - `done`: with the values that the call would have returned. An observation follows.
 * - `failed`: `error` is reported, and the call is repeated after a delay.
 * - `unknown`: the external system does not know this name. The next observation decides.
 */
export type Progress<M extends Managed = Managed> =
  | { readonly state: 'running'; readonly message?: string }
  | ({ readonly state: 'done' } & Created<M>)
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'unknown' };

/**
 * Thrown by `create` if names are assigned and no answer came, so that the resource may exist. The managed resource
 * then waits for an administrator, because a second attempt might create a second resource.
 */
export class UncertainCreationError extends Error {
  override readonly name = 'UncertainCreationError';
}

/**
 * `credential` is absent for kinds and objects without a generated credential, and for objects that name neither a
 * Secret nor a secret store.
 */
export interface Calls<M extends Managed, Name extends string> {
  /**
   * Changes nothing. Reports all connection details except the credential itself, also details that contain it,
   * such as `uri`.
   */
  observe(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation<M>>;
  /**
   * Creates the resource with the credential. If names are deterministic, an existing resource of an earlier
   * attempt is a success with `isExisting`. `forProvider` includes `initProvider`, which `observe` and `update`
   * never get.
   */
  create(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Creation<M, Name>>;
  /**
   * Applies the spec, and sets a credential that is not applied. Repeated calls are harmless. If the external
   * system refuses the password, its message is the error.
   */
  update(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Update<M, Name>>;
  /**
   * Details that are known before the creation. They are written together with the credential, which saves a write.
   * Makes no call. Default: none.
   */
  plannedDetails?(managed: M, credential: DesiredCredential): ReportedDetails;
  /** Requests the deletion. It is a success if the resource does not exist. */
  delete(managed: M, signal: AbortSignal): Promise<void> | Promise<Deletion<Name>>;
  disconnect?(): Promise<void>;
  /**
   * Identifies the external system, so that credentials of another system are noticed before an observation: its
   * own ID, else its address. Rotated credentials must return the same value.
   */
  system?(signal: AbortSignal): Promise<string>;
  /**
   * A call that fails if the credentials do not work, for a provider that no resource uses. The managed resource of
   * `connect` has no name and no parameters then. Absent: such a provider is not tried.
   */
  check?(signal: AbortSignal): Promise<void>;
  /** The version, for example `PostgreSQL 18`. Undefined: not known yet. Makes no call. */
  version?(): string | undefined;
}

/** An external client whose calls do not return names of operations. */
export interface PromptClient<M extends Managed = Managed> extends Calls<M, never> {
  readonly poll?: undefined;
}

/** An external client whose calls may return names of operations. */
export interface PollingClient<M extends Managed = Managed> extends Calls<M, string> {
  /** Changes nothing. Throws if the progress cannot be read. */
  poll(name: string, signal: AbortSignal): Promise<Progress<M>>;
}

/**
 * The external system of one managed resource. Calls honour the signal. Messages of errors suit a condition: clear,
 * the same for each call, without secrets.
 *
 *     const queues: ExternalClient<Queue> = {
 *       async observe(queue, _credential, signal) {
 *         const found = await cloud.find(externalName(queue), signal); // undefined only if the cloud reports
 * absence
 *         if (found === undefined) return { exists: false, isUpToDate: false };
 *         const isUpToDate = found.size === queue.spec.forProvider.size;
 *         return { exists: true, isUpToDate, ready: available(), details: { endpoint: found.address } };
 *       },
 *       create: async (queue, _credential, signal) => {
 *         await cloud.create(externalName(queue), queue.spec.forProvider, signal);
 *         return {};
 *       },
 *       …
 *     };
 *
 * If `create`, `update` or `delete` start an operation, return its name as `operation`, and report its progress in
 * `poll`.
 *
 * A complete client that also checks ownership: `controllers/author/named-by-us.ts`.
 */
export type ExternalClient<M extends Managed = Managed> = PromptClient<M> | PollingClient<M>;

/** Creates a client with the credentials of a managed resource's provider. */
export interface ExternalConnector<M extends Managed = Managed> {
  connect(managed: M, signal: AbortSignal): Promise<ExternalClient<M>>;
}
