import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { DetailsOf } from '../../../apis/core/v1alpha1/connection-details.ts';
import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import type { SystemFacts } from '../../../apis/core/v1alpha1/provider.ts';
import type { Holder } from '../../../clients/external-error.ts';

/** The call that began an operation. */
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
 * The credential in the Secret, which the controller (never the external client) generated. Or a person wrote it.
 * `isApplied`: the status records that it was set in the external system. If false, `observe` tests the credential, if
 * the client can.
 */
export interface DesiredCredential {
  readonly value: string;
  readonly isApplied: boolean;
  /** The entry `username` beside it. For a resource that is only observed, a person may have named any user. */
  readonly username?: string;
}

/** The state of an external resource, as `observe` found it. */
export interface Observation<M extends Managed = Managed> {
  /**
   * The name that the external system assigned. The client returns the name if it found the resource in another way,
   * such as by its tags. The controller records the name, unless one is recorded already.
   */
  readonly externalName?: string;
  readonly exists: boolean;
  /**
   * Why `create` must not be called, for example because a user set a name that only the external system assigns. The
   * controller reports this reason. Absent: `create` may be called. Contains no secrets.
   */
  readonly uncreatable?: string;
  /**
   * The message about an external resource that a user renamed: its name now, and how to name it back. With
   * `exists: false`. The controller then creates no second one. Contains no secrets.
   */
  readonly renamed?: string;
  /**
   * With `renamed`: the external name under which the client finds the external resource, with all its parts. The
   * controller accepts no other edit of the identity. Absent: there is no such name yet.
   */
  readonly newName?: string;
  /**
   * The message about an external resource whose name another one has now, after it was lost or renamed. With
   * `exists: false`, and with the same text in `renamed` if it was renamed. The controller then creates none. Contains no
   * secrets. A claim shows another text, unless no resource has the name.
   */
  readonly taken?: string;
  /** With `taken`: whose resource has the name now. Default: AnotherResource. */
  readonly takenBy?: Holder['by'];
  /**
   * The parts of a deleted resource that stay in the external system, for an Event, for example `role "a", which lost its
   * mark`. With `exists: false`. Contains no secrets.
   */
  readonly remains?: string;
  /**
   * Whether the external resource matches the spec. Ignored if `exists` is false. Report a difference also while it
   * cannot be changed: see `unchangeable`.
   */
  readonly isUpToDate: boolean;
  /**
   * Why `update` must not be called now, for example `the instance is stopped`. Synced then names this reason and the
   * fields that wait. If `operation` is absent, Synced is False, because nothing in progress ends the waiting. Absent:
   * `update` may be called. Contains no secrets.
   */
  readonly unchangeable?: string;
  /**
   * The connection details that the kind declares. Absent while they are not known: the Secret keeps its entries, as it
   * does for an optional detail that is absent. `null` removes the detail from the Secrets and the secret store.
   */
  readonly details?: DetailsOf<M>;
  /**
   * Whether the external resource carries the mark of another owner, so that the managed resource may only observe it.
   * The controller then publishes no details of it. Default: false.
   */
  readonly isOfAnother?: boolean;
  /** Fields that only the external system sets. The controller merges them into the status of the managed resource. */
  readonly status?: ReportedStatus<M>;
  /** The Ready condition of the managed resource. `available()` also lets a claim bind to the managed resource. */
  readonly ready?: ReadyFacts;
  /** Values that the external system chose for absent fields of `forProvider`. */
  readonly lateInitialized?: ForProviderOf<M>;
  /**
   * `inForce`: the external system uses the credential. `pending`: it accepted the credential, but does not use it yet
   * (RDS reports "modifying"). `wrong`: it does not use the credential, as a failed login shows. The controller then
   * sets the credential again. Absent: the client cannot tell, so the controller relies on `status.credential`.
   */
  readonly credential?: 'inForce' | 'pending' | 'wrong';
  /** How the external resource differs from the spec, for the debug log. Contains no secrets. */
  readonly difference?: string;
  /**
   * The fields that differ from the spec and that `update` can change, such as `spec.forProvider.network.cidr`. If the
   * management policies do not allow Update, Synced lists these fields. Requires `isUpToDate: false`.
   */
  readonly differing?: readonly string[];
  /**
   * Edits of the spec that the external system does not support, for example `spec.forProvider.version from "5.7" to
   * "8.0"`. Requires `isUpToDate: false`. Contains no secrets.
   */
  readonly refused?: readonly string[];
  /**
   * Changes in the external system that the client cannot undo, for example `spec.forProvider.version, which is "8.0"
   * there and "5.7" here`.
   */
  readonly drifted?: readonly string[];
  /**
   * The type of the ongoing operation, if the external system reports one. Until the operation ends, the controller
   * requests no update and no second deletion, and observes often. The AsyncOperation condition shows the operation.
   */
  readonly operation?: OperationType;
}

interface CallReport<M extends Managed> {
  /** As in {@link Observation}. A value of the next observation replaces it. */
  readonly details?: DetailsOf<M>;
  /** As in {@link Observation}. A value of the next observation replaces it. */
  readonly status?: ReportedStatus<M>;
  /** Whether the external system accepted the credential but does not use it yet. A later `observe` reports the use. */
  readonly isCredentialPending?: boolean;
}

/** `Name` is `string` for clients with `poll`, else `never`: only clients with `poll` may return `operation`. */
interface Lasting<Name extends string> {
  /**
   * The name of an operation that continues after the call (`operations/1234`). The controller keeps the name in the
   * status and calls `poll` until the operation ends. Until then the controller requests no creation or update. It also
   * records the other values that the call returned.
   */
  readonly operation?: Name;
}

export interface Created<M extends Managed = Managed> extends CallReport<M> {
  /**
   * Whether an earlier attempt had already created the resource, for example before a crash. `create` then does not set
   * the credential. The controller calls `update` to set it.
   */
  readonly isExisting?: boolean;
  /** The name that the external system assigned. */
  readonly externalName?: string;
}

/** The result of `create`: what the external system reports at once, and the operation if it takes longer. */
export interface Creation<M extends Managed = Managed, Name extends string = never>
  extends Created<M>,
    Lasting<Name> {}

/** The result of `update`, with the operation if it takes longer. */
export interface Update<M extends Managed = Managed, Name extends string = never>
  extends CallReport<M>,
    Lasting<Name> {}

/** The result of `delete`: the operation if it takes longer. */
export type Deletion<Name extends string = never> = Lasting<Name>;

/**
 * The progress of an operation, as the external system reports it.
 * `Progress<never>` fits all kinds: it has neither details nor status.
 * - `running`: `message` describes the progress. Each new message causes one write of the status.
 * - `done`: has the values that a call without an operation returns. The controller then observes.
 * - `failed`: the controller reports `error`, and requests the operation again after a delay.
 * - `unknown`: the external system knows no such operation. An observation shows whether the call must be repeated.
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
 * The calls of an external client. `credential` is undefined in three cases:
 * - The managed resource needs no generated credential.
 * - It names neither a Secret nor a secret store. Then only `create` gets a credential: a random one, never stored.
 * - Its Secret or store cannot be read or written. Then `create` is not called, and `update` must not set a password.
 */
export interface Calls<M extends Managed, Name extends string> {
  /**
   * Reads the external resource and changes nothing. Reports all connection details except the credential itself.
   * Details that contain the credential, such as `uri`, are reported too.
   */
  observe(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation<M>>;
  /**
   * Creates the resource with the credential. If the name is known before creation, and an earlier attempt created the
   * resource, the call succeeds with `isExisting`. In this call, `spec.forProvider` has all fields of `initProvider`.
   * In the other calls it has only those that identify the resource.
   */
  create(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Creation<M, Name>>;
  /**
   * Applies the spec, and sets the credential unless `isApplied`. Repeated calls must be harmless. If the external
   * system refuses the password, throws an error with the message of that system.
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
  plannedDetails?(managed: M, credential: DesiredCredential): DetailsOf<M>;
  /** Requests the deletion. Succeeds if the resource does not exist. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a result is assignable to void only
  delete(managed: M, signal: AbortSignal): Promise<void | Deletion<Name>>;
  disconnect?(): Promise<void>;
  /**
   * Returns the ID of the external system, else its address. By this value the controller notices a provider that now
   * connects to another system. New credentials of the provider must not change the value.
   */
  system?(signal: AbortSignal): Promise<string>;
  /** Advice for the message about another system: how the same system can get another ID. Default: none. */
  readonly otherSystemAdvice?: string | undefined;
  /**
   * Throws if the provider's credentials do not work. Called only for a provider that no managed resource uses:
   * `connect` then gets an invented managed resource without name and parameters. Absent: no such check.
   */
  check?(signal: AbortSignal): Promise<void>;
  /** Facts about the external system that earlier calls have shown. Makes no external call. */
  facts?(): SystemFacts;
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
 * Calls the external system for one managed resource. A call ends when its signal aborts. Conditions show the messages
 * of errors: they must be clear, must not vary from call to call (no request IDs), and contain no secrets.
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
