import type { ReadyFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';

export type OperationType = 'create' | 'update' | 'delete';

/** `forProvider` with all fields optional, or any object if the kind is not known. */
export type ForProviderOf<M extends Managed> = Managed extends M
  ? object
  : Partial<NonNullable<M['spec']['forProvider']>>;

/** The status fields that the stack author added to `ManagedStatus`, or any fields if the kind is not known. */
export type ReportedStatus<M extends Managed> = Managed extends M
  ? Readonly<Record<string, unknown>>
  : Partial<Omit<NonNullable<M['status']>, keyof ManagedStatus>>;

/**
 * The generated credential in the Secret. The controller generates it, never the external client. `isApplied`: the
 * status records that the external system has it. If not, a client that can test a credential tests it in `observe`.
 */
export interface DesiredCredential {
  readonly value: string;
  readonly isApplied: boolean;
}

/** The state of an external resource. */
export interface Observation<M extends Managed = Managed> {
  /**
   * The name that the external system assigned, if the client found the resource without it, for example by tags. The
   * controller records this name, unless it knows one already.
   */
  readonly externalName?: string;
  readonly exists: boolean;
  /**
   * Why the external resource must not be created, for example because a user set a name that the external system would
   * assign. The controller reports the reason and records no identity. Contains no secrets.
   */
  readonly uncreatable?: string;
  /** Whether the external resource matches the spec. Ignored if it does not exist. */
  readonly isUpToDate: boolean;
  /**
   * Connection details that the observation found. A detail that is absent here keeps its value. A detail of `null` is
   * removed from the Secrets and the secret store.
   */
  readonly details?: ReportedDetails;
  /** Output-only fields, merged into the status of the managed resource. */
  readonly status?: ReportedStatus<M>;
  /** The Ready condition of the managed resource. With `available()`, a claim can also bind to it. */
  readonly ready?: ReadyFacts;
  /** Values that the external system chose for absent fields of `forProvider`. */
  readonly lateInitialized?: ForProviderOf<M>;
  /**
   * Whether the external system uses the credential. `inForce`: it does. `pending`: it accepted the credential and does
   * not use it yet (RDS reports "modifying"). `wrong`: it does not, for example after a failed login, so the credential
   * is set again. Absent: not known, so the status decides.
   */
  readonly credential?: 'inForce' | 'pending' | 'wrong';
  /** How the external resource differs from the spec, for the debug log. Contains no secrets. */
  readonly difference?: string;
  /**
   * The fields that differ and that `update` changes: `spec.forProvider.network.cidr`. If the policies do not allow
   * Update, Synced names them. Requires `isUpToDate: false`.
   */
  readonly differing?: readonly string[];
  /**
   * Edits of the spec that the external system does not support: `spec.forProvider.version from "5.7" to "8.0"`.
   * Requires `isUpToDate: false`. Contains no secrets.
   */
  readonly refused?: readonly string[];
  /**
   * Changes made in the external system that the client cannot undo: `spec.forProvider.version, which is "8.0" there
   * and "5.7" here`.
   */
  readonly drifted?: readonly string[];
  /**
   * The type of an operation that the external system reports as ongoing. Until it ends, the controller requests no
   * update and no second deletion, and observes often. The AsyncOperation condition shows the operation.
   */
  readonly operation?: OperationType;
}

interface Told<M extends Managed> {
  /** As in {@link Observation}. A later observation has priority. */
  readonly details?: ReportedDetails;
  /** As in {@link Observation}. A later observation has priority. */
  readonly status?: ReportedStatus<M>;
  /** Whether the external system accepted the credential and does not use it yet. `observe` reports when it does. */
  readonly isCredentialPending?: boolean;
}

/** `Name` is `string` for clients with `poll`, else `never`: only clients with `poll` may return `operation`. */
interface Lasting<Name extends string> {
  /**
   * The name of an operation that continues after the call (`operations/1234`). The status keeps the name, and the
   * controller calls `poll` until the operation ends. Until then it requests no creation or update. Other returned
   * values are recorded as well.
   */
  readonly operation?: Name;
}

export interface Created<M extends Managed = Managed> extends Told<M> {
  /**
   * Whether the call found a resource that an earlier attempt created, for example before a crash. The call then sets
   * no credential, and `update` sets it.
   */
  readonly isExisting?: boolean;
  /** The name that the external system assigned. */
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
 * - `running`: `message` describes the progress. Each new message causes one write of the status.
 * - `done`: has the values that a finished call returns. An observation follows.
 * - `failed`: the controller reports `error`, and repeats the call after a delay.
 * - `unknown`: the external system does not know this name. An observation shows whether the call must be repeated.
 */
export type Progress<M extends Managed = Managed> =
  | { readonly state: 'running'; readonly message?: string }
  | ({ readonly state: 'done' } & Created<M>)
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'unknown' };

/**
 * Thrown by `create` if the external system assigns names and did not answer, so that the resource may exist. The
 * managed resource then waits for an administrator, because a second attempt might create a second resource.
 */
export class UncertainCreationError extends Error {
  override readonly name = 'UncertainCreationError';
}

/**
 * The calls of an external client. `credential` is undefined if the object has no generated credential, or names
 * neither a Secret nor a secret store: then `create` gets a random password. It is also undefined if the Secret or the
 * store cannot be read: then `create` is not called, and `update` leaves the credential as it is.
 */
export interface Calls<M extends Managed, Name extends string> {
  /**
   * Reads the external resource and changes nothing. Reports all connection details except the credential itself, also
   * details that contain it, such as `uri`.
   */
  observe(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation<M>>;
  /**
   * Creates the resource with the credential. If names are deterministic and an earlier attempt created the resource,
   * the call succeeds with `isExisting`. `forProvider` includes `initProvider`. For the other calls it includes only
   * the identifying fields of `initProvider`.
   */
  create(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Creation<M, Name>>;
  /**
   * Applies the spec, and sets the credential if it is not applied. Repeated calls are harmless. Throws the message of
   * the external system if that refuses the password.
   */
  update(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Update<M, Name>>;
  /**
   * Connection details that are known before the creation. The controller writes them together with the credential,
   * which saves a write. Makes no external call. Default: none.
   */
  plannedDetails?(managed: M, credential: DesiredCredential): ReportedDetails;
  /** Requests the deletion. Succeeds if the resource does not exist. */
  delete(managed: M, signal: AbortSignal): Promise<void> | Promise<Deletion<Name>>;
  disconnect?(): Promise<void>;
  /**
   * Identifies the external system by its own ID, else its address, so that the controller notices a provider that
   * connects to another system. Returns the same value after the provider's credentials were rotated.
   */
  system?(signal: AbortSignal): Promise<string>;
  /**
   * Fails if the provider's credentials do not work. It is called for a provider that no managed resource uses, and
   * `connect` then gets a managed resource without a name and parameters. Absent: such a provider is not checked.
   */
  check?(signal: AbortSignal): Promise<void>;
  /** The version of the external system: `PostgreSQL 18`. Undefined: not known yet. Makes no external call. */
  version?(): string | undefined;
}

/** An external client whose calls do not return names of operations. */
export interface PromptClient<M extends Managed = Managed> extends Calls<M, never> {
  readonly poll?: undefined;
}

/** An external client whose calls may return names of operations. */
export interface PollingClient<M extends Managed = Managed> extends Calls<M, string> {
  /** Reads the progress of the operation and changes nothing. Throws if it cannot read the progress. */
  poll(name: string, signal: AbortSignal): Promise<Progress<M>>;
}

/**
 * Calls the external system for one managed resource. A call ends when its signal aborts. Messages of errors are shown
 * in conditions: they must be clear, be the same for each call, and contain no secrets.
 *
 *     const queues: ExternalClient<Queue> = {
 *       async observe(queue, _credential, signal) {
 *         const found = await cloud.find(externalName(queue), signal); // undefined: the cloud has none
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

/** Creates a client with the credentials of the managed resource's provider. */
export interface ExternalConnector<M extends Managed = Managed> {
  connect(managed: M, signal: AbortSignal): Promise<ExternalClient<M>>;
}
