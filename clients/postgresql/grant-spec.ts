import { PostgresqlError } from './error.ts';

/** What a role is given rights on, or the role it becomes a member of. */
export type GrantTarget =
  | { readonly database: string; readonly schema?: undefined; readonly memberOf?: undefined }
  | { readonly database: string; readonly schema: string; readonly memberOf?: undefined }
  | { readonly memberOf: string; readonly database?: undefined; readonly schema?: undefined };

export interface GrantSpec {
  /** Who gets it. */
  readonly role: string;
  readonly on: GrantTarget;
  /**
   * On a database: CONNECT, CREATE, TEMPORARY (TEMP). On a schema: USAGE, CREATE. ALL: every one. Left out for
   * a membership.
   */
  readonly privileges?: readonly string[];
  /** May pass them on (WITH GRANT OPTION); for a membership: WITH ADMIN OPTION. Default false. */
  readonly withGrantOption?: boolean;
}

/** Privileges by name, `MEMBER` for a membership, with whether they may be passed on. */
export type GrantObservation = ReadonlyMap<string, { readonly isGrantable: boolean }>;

export interface GrantDrift {
  /** To be granted, or granted again with the option. */
  readonly missing: readonly string[];
  /** Held though not wanted. */
  readonly extra: readonly string[];
  /** Wanted, but not with the option they have. */
  readonly overgranted: readonly string[];
}

const privilegesOn = {
  database: ['CONNECT', 'CREATE', 'TEMPORARY'],
  schema: ['CREATE', 'USAGE'],
} as const;

/** The difference between what is and what should be; throws `Invalid` for an unknown privilege. */
export function grantDrift(observed: GrantObservation, spec: GrantSpec): GrantDrift {
  const wanted = wantedPrivileges(spec);
  const mayPassOn = spec.withGrantOption ?? false;
  const option = (privilege: string) => observed.get(privilege)?.isGrantable;
  return {
    missing: wanted.filter((privilege) => {
      const isGrantable = option(privilege);
      return isGrantable === undefined || (mayPassOn && !isGrantable);
    }),
    extra: [...observed.keys()].filter((privilege) => !wanted.includes(privilege)).toSorted(),
    overgranted: wanted.filter((privilege) => !mayPassOn && option(privilege) === true),
  };
}

/** Upper case, sorted; `MEMBER` for a membership. Throws `Invalid` for an unknown privilege or none. */
export function wantedPrivileges({ on, privileges = [] }: GrantSpec): readonly string[] {
  if (on.memberOf !== undefined) return ['MEMBER'];
  const kind = on.schema === undefined ? 'database' : 'schema';
  const known: readonly string[] = privilegesOn[kind];
  const wanted = new Set<string>();
  for (const privilege of privileges) {
    const name = privilege.toUpperCase().replace(/^TEMP$/, 'TEMPORARY');
    if (name === 'ALL' || name === 'ALL PRIVILEGES') {
      for (const each of known) wanted.add(each);
    } else if (known.includes(name)) {
      wanted.add(name);
    } else {
      const message = `${JSON.stringify(privilege)} is not a privilege on a ${kind}: ALL, ${known.join(', ')}`;
      throw new PostgresqlError(message, { code: 'Invalid' });
    }
  }
  if (wanted.size === 0) throw new PostgresqlError('no privileges to grant', { code: 'Invalid' });
  return [...wanted].toSorted();
}
