import type { ReadyFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';

/** What an external system may be busy with for longer than one call. */
export type OperationType = 'create' | 'update' | 'delete';

/** `forProvider` of a managed kind, as far as it is given; any object where the kind is not known. */
export type ForProviderOf<M extends Managed> = Managed extends M
  ? object
  : Partial<NonNullable<M['spec']['forProvider']>>;

/** What of a managed kind's status its author defined; any fields where the kind is not known. */
export type ReportedStatus<M extends Managed> = Managed extends M
  ? Readonly<Record<string, unknown>>
  : Partial<Omit<NonNullable<M['status']>, keyof ManagedStatus>>;

/**
 * The generated credential of a managed resource, as its Secret has it. The external client never generates one.
 * `isApplied`: the status records that the external system has it. Where a client can test a credential, `observe` tests
 * one that is not.
 */
export interface DesiredCredential {
  readonly value: string;
  readonly isApplied: boolean;
}

/** What an external system says about the resource a managed resource stands for. */
export interface Observation<M extends Managed = Managed> {
  /**
   * Where the external system assigns names: that of what was found without one, as by its tags after an answer was lost. It
   * is put on record, so that others can refer to it. Means nothing where there is a name already.
   */
  readonly externalName?: string;
  readonly exists: boolean;
  /**
   * Of what does not exist: why nothing is to be created, as where somebody wrote down a name that the external system would
   * assign. It is told, and nothing is put on record for it. Never holds secrets.
   */
  readonly uncreatable?: string;
  /** Whether the external resource is as the spec wants it. Means nothing if it does not exist. */
  readonly isUpToDate: boolean;
  /**
   * Details known from looking. One that is not mentioned is kept, as are those known only at creation. One of `null` is
   * none any more, such as the password of what asks for none: it is removed from wherever it was published.
   */
  readonly details?: ReportedDetails;
  /** Output-only fields, laid over the managed resource's status. */
  readonly status?: ReportedStatus<M>;
  /** The Ready condition. `available()` also makes the managed resource bindable. */
  readonly ready?: ReadyFacts;
  /** Values the external system chose for fields of `forProvider` that were absent. */
  readonly lateInitialized?: ForProviderOf<M>;
  /**
   * What the external system says of the credential that it was given to compare: `inForce`; `pending`, which it accepted
   * and does not use yet, as RDS while it says modifying; `wrong`, as after a login that failed. Absent: it does not tell,
   * and the status of the managed resource decides. A wrong one is set again.
   */
  readonly credential?: 'inForce' | 'pending' | 'wrong';
  /** What differs, for the debug log. Never holds secrets. */
  readonly difference?: string;
  /**
   * What differs and cannot be changed, to be told with what to do: `spec.forProvider.version from "5.7" to "8.0"`. With
   * `isUpToDate: false`. Never holds secrets.
   */
  readonly refused?: readonly string[];
  /**
   * The same of what nobody edited here, as it was on record before: `spec.forProvider.version, which is "8.0" there and
   * "5.7" here`.
   */
  readonly drifted?: readonly string[];
  /**
   * What the external system says it is still busy with. Meanwhile it is not asked to update, and while it
   * deletes, not to delete again; it is looked at often, and the AsyncOperation condition says why.
   */
  readonly operation?: OperationType;
}

/** What a call that ended well tells of the external resource. */
interface Told<M extends Managed> {
  /** As in an {@link Observation}, which has the last word. */
  readonly details?: ReportedDetails;
  /** As in an {@link Observation}, which has the last word. */
  readonly status?: ReportedStatus<M>;
  /** The external system accepted the credential and does not use it yet: `observe` says when it does. */
  readonly isCredentialPending?: boolean;
}

/** What may outlive the call that began it. `Name` is `string` for clients that `poll`. */
interface Lasting<Name extends string> {
  /**
   * The name of an operation that the call has begun and that the external system carries out (`operations/1234`). The other
   * values that the call returns are recorded all the same. The status keeps the name, and each process asks `poll` how the
   * operation is going, until it ends. During that time the external resource is observed, and nothing else is requested.
   */
  readonly operation?: Name;
}

/** What a creation brought. */
export interface Created<M extends Managed = Managed> extends Told<M> {
  /**
   * The call found one of ours that exists already, as from an attempt before a crash, and set no credential there. The
   * credential is set by `update` then.
   */
  readonly isExisting?: boolean;
  /** The name the external system assigned, where it assigns names. */
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
 * How an operation is going, in the external system's own words.
 * - `running`: `message` says how far it is; each change of it is a write of the status.
 * - `done`: with what the call would have returned. It is looked at then.
 * - `failed`: `error` is told, and what is needed is asked for again, by and by.
 * - `unknown`: the external system does not know that name (any more). It is looked at, and what is found counts.
 */
export type Progress<M extends Managed = Managed> =
  | { readonly state: 'running'; readonly message?: string }
  | ({ readonly state: 'done' } & Created<M>)
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'unknown' };

/**
 * Thrown by `create` where names are assigned, when the external system may have created the resource and
 * nobody can tell: the request was sent and no answer came. The resource then waits for a human, instead of
 * being created twice. `message` and `cause` as with any Error.
 */
export class UncertainCreationError extends Error {
  override readonly name = 'UncertainCreationError';
}

/**
 * What every external client can be asked. `credential` is absent for kinds that declare none, for objects that have none,
 * and for objects that name neither a Secret nor a secret store.
 */
export interface Calls<M extends Managed, Name extends string> {
  /**
   * Observes and changes nothing. Reports all connection details but the credential itself, also those that contain it,
   * such as `uri`.
   */
  observe(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation<M>>;
  /**
   * Creates it, with the credential. Where names are deterministic, creating what exists already (from an attempt before
   * a crash) is success, with `isExisting`. `forProvider` holds what `initProvider` adds to it; `observe` and `update`
   * never see `initProvider`.
   */
  create(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Creation<M, Name>>;
  /**
   * Makes the external resource as the spec wants it, and sets a credential that is not applied; setting one twice is
   * harmless. A password that the external system refuses is an error of its own words.
   */
  update(
    managed: M,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Update<M, Name>>;
  /**
   * The details that are known before it is created, of this credential: they are written together with it, which saves a
   * write. Asks nobody. Default: none.
   */
  plannedDetails?(managed: M, credential: DesiredCredential): ReportedDetails;
  /** Asks for deletion; deleting what is gone is success. */
  delete(managed: M, signal: AbortSignal): Promise<void> | Promise<Deletion<Name>>;
  disconnect?(): Promise<void>;
  /**
   * Names the system behind the credentials, so that those that lead to another one are noticed before anything is
   * looked for there: its own id where it has one, else its address. Credentials that are renewed name the same.
   */
  system?(signal: AbortSignal): Promise<string>;
  /** What the external system has said of its version, as `PostgreSQL 18`; undefined: nothing yet. Asks nobody. */
  version?(): string | undefined;
}

/** An external client whose calls do not return names of operations. */
export interface PromptClient<M extends Managed = Managed> extends Calls<M, never> {
  readonly poll?: undefined;
}

/** An external client whose calls may return names of operations. */
export interface PollingClient<M extends Managed = Managed> extends Calls<M, string> {
  /** How the operation of that name is going. Changes nothing. Throws what keeps from knowing. */
  poll(name: string, signal: AbortSignal): Promise<Progress<M>>;
}

/**
 * One external system, seen by one managed resource. Calls honour the signal. Errors carry messages fit for a condition:
 * clear, stable from one call to the next, without secrets.
 *
 *     const queues: ExternalClient<Queue> = {
 *       async observe(queue, _credential, signal) {
 *         const found = await cloud.find(externalName(queue), signal); // undefined by the cloud's own word only
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
 * Where the external system answers `create`, `update` or `delete` with the name of an operation, return that as
 * `operation`, and say in `poll` how it is going.
 *
 * A whole one, which also asks whose a thing is before it touches it: `controllers/author/named-by-us.ts`.
 */
export type ExternalClient<M extends Managed = Managed> = PromptClient<M> | PollingClient<M>;

/** Yields the client for a managed resource, from its provider's credentials. */
export interface ExternalConnector<M extends Managed = Managed> {
  connect(managed: M, signal: AbortSignal): Promise<ExternalClient<M>>;
}
