/** The grantee that stands for everybody; no role has that name. */
export const everybody = '';

/** One privilege that one role gave another. */
export interface AclItem {
  readonly grantee: string;
  readonly grantor: string;
  readonly privilege: string;
  readonly isGrantable: boolean;
}

/** The privileges on an object; undefined while none were granted and the default holds. */
export type Acl = readonly AclItem[];

export const privilegesOn = {
  database: ['CREATE', 'TEMPORARY', 'CONNECT'],
  schema: ['USAGE', 'CREATE'],
} as const;
export type AclKind = keyof typeof privilegesOn;

const item = (grantee: string, grantor: string, privilege: string): AclItem => ({
  grantee,
  grantor,
  privilege,
  isGrantable: false,
});

/** As `acldefault` of the server. */
export function defaultAcl(kind: AclKind, owner: string): Acl {
  const own = privilegesOn[kind].map((privilege) => item(owner, owner, privilege));
  if (kind === 'schema') return own;
  return [item(everybody, owner, 'TEMPORARY'), item(everybody, owner, 'CONNECT'), ...own];
}

const isSame = (a: AclItem, b: Omit<AclItem, 'isGrantable'>): boolean =>
  a.grantee === b.grantee && a.grantor === b.grantor && a.privilege === b.privilege;

export function withGrant(acl: Acl, given: AclItem): Acl {
  const before = acl.find((each) => isSame(each, given));
  if (before === undefined) return [...acl, given];
  if (before.isGrantable || !given.isGrantable) return acl;
  return acl.map((each) => (each === before ? given : each));
}

/** The grant of one role to another is revoked, or only the right to pass it on. */
export function withoutGrant(acl: Acl, taken: Omit<AclItem, 'isGrantable'>, isOptionOnly: boolean): Acl {
  if (!isOptionOnly) return acl.filter((each) => !isSame(each, taken));
  return acl.map((each) => (isSame(each, taken) ? { ...each, isGrantable: false } : each));
}

/**
 * The privileges and grants of the owner become those of the next owner, as in `aclnewowner` of the server.
 */
export function withOwner(acl: Acl, from: string, to: string): Acl {
  const renamed = (name: string): string => (name === from ? to : name);
  let next: Acl = [];
  for (const each of acl) {
    next = withGrant(next, { ...each, grantee: renamed(each.grantee), grantor: renamed(each.grantor) });
  }
  return next;
}

/** Roles other than the owner that are named, which the object depends on. */
export const namedIn = (acl: Acl | undefined, owner: string): ReadonlySet<string> => {
  const names = new Set((acl ?? []).flatMap(({ grantee, grantor }) => [grantee, grantor]));
  names.delete(owner);
  names.delete(everybody);
  return names;
};
