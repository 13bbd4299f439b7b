/**
 * The objects of the model: the fields of the real objects that decide about credentials and ownership. No value is ''
 * or null. Objects are never changed; a write replaces them.
 */
export interface Claim {
  readonly uid: string;
  readonly deleting: boolean;
  readonly finalizer: boolean;
  /** The name of a managed resource. */
  readonly resourceRef: string;
  /** The status shows that the claim is Bound. */
  readonly bound: boolean;
  /** Whether the object that owns the claim exists. Absent: no object owns it. */
  readonly ownerExists?: boolean;
  /** The garbage collector deleted the claim while its resource still had the previous UID in `claimRef`. */
  readonly isCollected?: true;
  /** Another controller holds the object with its own finalizer. */
  readonly isHeld?: boolean;
  /** A parameter of the claim. It differs from that of the resource after an edit. */
  readonly parameter?: number;
  /** The last edit of parameter or `resourceRef` came when the claim was Bound, so it has no effect. */
  readonly isEditedLate?: boolean;
  /** The claim names no Secret. */
  readonly wantsNoSecret?: boolean;
  /** The end of the claim waits. */
  readonly isProtected?: boolean;
  /** The claim takes no resource back. */
  readonly startsEmpty?: boolean;
}

export type Policy = 'Delete' | 'Retain';
/** The management policies forbid an update, each change but the deletion, or each change. */
export type Restriction = 'noUpdate' | 'noChange' | 'onlyObserve';

export type Retention = 'Automatic' | 'Administrator';

/** A claim took it back after the previous claim was deleted, and is not Bound yet. */
export const wasTakenBack = ({ phase, releasedFrom, claimRef }: Resource): boolean =>
  phase === 'Released' && releasedFrom !== undefined && !!claimRef?.uid && claimRef.uid !== releasedFrom;

/** The claim of its name can take it back. */
export const isReturnable = (resource: Resource): boolean =>
  resource.phase === 'Released' &&
  !resource.deleting &&
  resource.boundUID === resource.uid &&
  !!resource.releasedFrom &&
  resource.claimRef?.uid === resource.releasedFrom;

/** `spec.claimRef`. Without `uid` it reserves the resource for a claim of that name. */
export interface ClaimRef {
  readonly claim: string;
  readonly uid: string;
}

/** A managed resource. `phase`, `boundUID` and `applied` are its status. */
export interface Resource {
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  readonly finalizer: boolean;
  readonly policy: Policy;
  /** It was created for a claim with a class. */
  readonly provisioned: boolean;
  readonly claimRef: ClaimRef | null;
  /** The rotation of the credential that an administrator requests. */
  readonly rotation: number;
  readonly phase: '' | 'Unbound' | 'Bound' | 'Released';
  readonly boundUID: string;
  /** The record: the HMAC of the applied credential. In the model it is the password, and the number of the key. */
  readonly applied: string;
  readonly restriction?: Restriction | undefined;
  readonly reportsLoss?: boolean;
  readonly isHeld?: boolean;
  readonly parameter?: number;
  /** As the API server counts: each write of the parameter adds one. */
  readonly generation?: number;
  /** The annotation that a creation writes first. '' if there is none. */
  readonly mark?: string;
  /** The parameter in the recorded identity: in the annotation that a creation writes first, and in the status. */
  readonly announced?: number | undefined;
  readonly found?: number | undefined;
  /** The operation that the status names. */
  readonly operation?: 'create' | 'update' | undefined;
  /** The class keeps it after the deletion of its claim, and gives it back by itself, or an administrator does. */
  readonly retention?: Retention;
  /** The UID of the namespace to which an administrator gave it back. */
  readonly isGivenBackTo?: string | undefined;
  /** The status: the UIDs of the deleted claim and of its namespace, and a time of the clock. */
  readonly releasedFrom?: string | undefined;
  readonly releasedNamespace?: string | undefined;
  readonly deleteAt?: number | undefined;
  /** A user edited the recorded identity. */
  readonly isIdentityEdited?: boolean | undefined;
}

/** The connection Secret of a managed resource. */
export interface ResourceSecret {
  /** The UID of the managed resource that controls the Secret. */
  readonly owner: string;
  readonly password: string;
  /** The rotation that was carried out. */
  readonly rotation: number;
  /** The name of the claim that the credential is for. */
  readonly for: string;
  /** The external system refuses this password. */
  readonly isRefused?: boolean;
  /** The note is missing: a person, a restore or another version wrote the Secret. */
  readonly isUnnoted?: boolean | undefined;
  /** The note says that a person gave the credential. */
  readonly isGiven?: boolean | undefined;
  /** The number of the key in the note. Absent: 0. */
  readonly key?: number;
}

/** The connection Secret of a claim: a copy. */
export interface ClaimSecret {
  /** The UID of the claim that controls the Secret. */
  readonly owner: string;
  readonly password: string;
}

export interface Kinds {
  readonly claim: Claim;
  readonly resource: Resource;
  readonly claimSecret: ClaimSecret;
  readonly resourceSecret: ResourceSecret;
}
export type Kind = keyof Kinds;
export type AnyObject = Kinds[Kind];
export type Objects = Readonly<Record<string, AnyObject>>;

/** A kind and a name. A Secret has the name of its claim or of its resource. */
export type Key<K extends Kind = Kind> = `${K}/${string}`;

export const claimKey = (claim: string): Key<'claim'> => `claim/${claim}`;
export const claimSecretKey = (claim: string): Key<'claimSecret'> => `claimSecret/${claim}`;
export const resourceKey = (name: string): Key<'resource'> => `resource/${name}`;
export const resourceSecretKey = (name: string): Key<'resourceSecret'> => `resourceSecret/${name}`;

export const isClaimKey = (key: string): key is Key<'claim'> => key.startsWith('claim/');
export const isClaimSecretKey = (key: string): key is Key<'claimSecret'> => key.startsWith('claimSecret/');
export const isResourceKey = (key: string): key is Key<'resource'> => key.startsWith('resource/');
export const isResourceSecretKey = (key: string): key is Key<'resourceSecret'> =>
  key.startsWith('resourceSecret/');

export const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);

/** The object with this key, in its type. */
export const objectOf = <K extends Kind>(objects: Objects, key: Key<K>): Kinds[K] | undefined =>
  objects[key] as Kinds[K] | undefined;

/** A resource without a status, as it is created. */
export const resourceWith = (
  given: Pick<Resource, 'name' | 'uid' | 'finalizer' | 'policy' | 'provisioned' | 'claimRef'>,
): Resource => ({ ...given, deleting: false, rotation: 0, phase: '', boundUID: '', applied: '' });

/** The name of the resource that is created for a claim with a class. */
export const provisionedName = (claim: Claim): string => `m-${claim.uid}`;

/** In a call: a UID or a password that the call generates. */
export const generated = 'new';

/** The record of a password under a key. */
export const recordOf = (password: string, key = 0): string => (key === 0 ? password : `${password}#${key}`);
export const passwordRecorded = ({ applied }: Pick<Resource, 'applied'>): string => applied.split('#')[0]!;
