import type {
  AnyObject,
  Claim,
  ClaimSecret,
  Key,
  Kind,
  Kinds,
  Policy,
  Resource,
  ResourceSecret,
  Retention,
} from './objects.ts';
import type { Obstacle } from './scenario.ts';

/**
 * The controllers that the explorer tries. Each is a pure function: its input is everything that it may consult, its
 * output is one decision. The explorer asks again after each call.
 */
export interface Controllers {
  bindClaim(see: View, claim: string): Act | ClaimWaits;
  /** Keeps the Secret of the claim equal to the Secret of its resource. */
  propagateSecret(see: View, claim: string): Decision;
  reconcileManaged(see: View, resource: string, run: Run): Decision;
  /** Ends the binding of a resource that is Bound to a claim that does not exist. */
  releaseOrphan(see: View, resource: string): Decision;
}

/** The objects, as the process sees them: some may be older than those of the API server. */
export interface View {
  claim(name: string): Claim | undefined;
  claimSecret(claim: string): ClaimSecret | undefined;
  resource(name: string): Resource | undefined;
  resources(): readonly Resource[];
  resourceSecret(resource: string): ResourceSecret | undefined;
  /** The deletion policy of the class that the claim names. Undefined: the claim names a resource instead. */
  policyOfClass(claim: string): Policy | undefined;
  /** How the classes give resources of deleted claims back. Absent: they keep none. */
  readonly retention: Retention | undefined;
  readonly clock: number;
  readonly namespaceUid: string;
  /** The obstacle that this claim or resource meets now. */
  obstacleOf(key: Key): Obstacle | undefined;
}

/** The current run of a managed resource. */
export interface Run {
  /** The external resource exists. */
  readonly exists: boolean;
  /** The parameter of the external resource. Undefined: it has none. */
  readonly parameter?: number | undefined;
  /** The password that this run has set in the external system. */
  readonly applied: string | undefined;
}

export type Decision = Act | Wait;

/** Nothing is called. A condition shows the name. */
interface Wait {
  readonly name: string;
  readonly call?: undefined;
}

/**
 * Why a claim waits, or that its binding is complete. When nothing moves any more, the explorer tests whether the reason
 * is true, so controllers with other names for their decisions translate them into these.
 */
export interface ClaimWaits extends Wait {
  readonly name:
    | 'AwaitGiveBack'
    | 'AwaitRelease'
    | 'ClaimGone'
    | 'ClaimRefIncomplete'
    | 'ClaimedByOther'
    | 'ClassForbidden'
    | 'ClassMissing'
    | 'ControlledByOther'
    | 'DeletionProtected'
    | 'ExternalNameForbidden'
    | 'Incompatible'
    | 'NeedsClass'
    | 'NotOffered'
    | 'ReportedElsewhere'
    | 'ResourceForbidden'
    | 'SecretNameInvalid'
    | 'StackNotReady'
    | 'UnknownKind'
    | 'CredentialNotApplied'
    | 'KeepBound'
    | 'NotReady'
    | 'Released'
    | 'ResourceDeleted'
    | 'ResourceLost'
    | 'ResourceMissing'
    | 'SecretNotOwned'
    | 'StatusFromBackup';
}

export interface Act {
  readonly name: string;
  readonly call: Call;
  /** The objects that are read from the API server first. With what was read, the controller decides again. */
  readonly readFirst: readonly Key[];
}

export type Call = CreateCall | PatchCall | DeleteCall | ExternalCall;

export interface CreateCall {
  readonly verb: 'create';
  readonly key: Key;
  /** A `uid` or `password` that is `generated` gets a new value. */
  readonly object: AnyObject;
}

export interface PatchCall {
  readonly verb: 'patch';
  readonly key: Key;
  /** A `password` that is `generated` gets a new value. */
  readonly set: Fields;
  /** The call carries the resourceVersion that was read: a change since then is a 409. */
  readonly versioned: boolean;
  /** The value that the run has set in the external system is recorded with this call. */
  readonly endsRun?: boolean;
}

type Fields = Partial<Claim> & Partial<Resource> & Partial<ClaimSecret> & Partial<ResourceSecret>;

export interface DeleteCall {
  readonly verb: 'delete';
  readonly key: Key;
  /** The UID of the object. Of a Secret: the UID of its owner. */
  readonly uid: string;
  readonly versioned: boolean;
}

export interface ExternalCall {
  readonly verb: 'CreateExternal' | 'SetPassword' | 'DeleteExternal';
  /** The name of the managed resource. */
  readonly name: string;
  readonly uid: string;
  readonly password?: string;
  readonly parameter?: number;
  /** The resource was changed before this call was carried out. Only the explorer sets it. */
  readonly cannotRecord?: boolean;
}

interface Precautions {
  readonly versioned?: boolean;
  readonly readFirst?: readonly Key[];
}

export const wait = <Name extends string>(name: Name): { readonly name: Name } => ({ name });

export const create = <K extends Kind>(
  name: string,
  key: Key<K>,
  object: Kinds[K],
  { readFirst = [] }: Pick<Precautions, 'readFirst'> = {},
): Act => ({ name, readFirst, call: { verb: 'create', key, object } });

export const patch = <K extends Kind>(
  name: string,
  key: Key<K>,
  set: Partial<Kinds[K]>,
  { versioned = true, readFirst = [], endsRun }: Precautions & { readonly endsRun?: boolean } = {},
): Act => ({
  name,
  readFirst,
  call: { verb: 'patch', key, set, versioned, ...(endsRun !== undefined && { endsRun }) },
});

export const remove = (
  name: string,
  key: Key,
  uid: string,
  { versioned = true, readFirst = [] }: Precautions = {},
): Act => ({ name, readFirst, call: { verb: 'delete', key, uid, versioned } });

/** A call of the external system. */
export const external = (
  verb: ExternalCall['verb'],
  { name, uid }: Resource,
  {
    password,
    parameter,
    readFirst = [],
  }: Pick<Precautions, 'readFirst'> & Pick<ExternalCall, 'password' | 'parameter'> = {},
): Act => ({
  name: verb,
  readFirst,
  call: {
    verb,
    name,
    uid,
    ...(password !== undefined && { password }),
    ...(parameter !== undefined && { parameter }),
  },
});
