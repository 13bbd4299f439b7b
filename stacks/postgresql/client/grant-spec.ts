import { PostgresqlError } from './error.ts';
import type { Distrust } from './trust.ts';

/** The target of a grant: a database, a schema, or the role of a membership. */
export type GrantTarget =
  | { readonly database: string; readonly schema?: undefined; readonly memberOf?: undefined }
  | { readonly database: string; readonly schema: string; readonly memberOf?: undefined }
  | { readonly memberOf: string; readonly database?: undefined; readonly schema?: undefined };

export interface GrantSpec {
  /** The role that gets the privileges. */
  readonly role: string;
  readonly on: GrantTarget;
  /**
   * On a database: CONNECT, CREATE, TEMPORARY (TEMP). On a schema: USAGE, CREATE. ALL: every one. Absent for a
   * membership.
   */
  readonly privileges?: readonly string[];
  /** The role may pass the privileges on (WITH GRANT OPTION); for a membership: WITH ADMIN OPTION. Default false. */
  readonly withGrantOption?: boolean;
  /** The resources (owner ids) that fields were resolved from. Only these may be the resources of claims. */
  readonly resources?: Readonly<Partial<Record<GrantParty, string>>>;
}

/** The fields of a grant that name a role or database. */
export type GrantParty = 'role' | 'memberOf' | 'database' | 'schema';

/** A role or database that a name alone must not mean: see Distrust. For a database or schema, `role` is its owner. */
export interface DistrustedParty extends Distrust {
  readonly party: GrantParty;
  readonly name: string;
}

/** Privileges by name; `MEMBER` for a membership. `isGrantable`: whether the role may pass the privilege on. */
export type GrantObservation = ReadonlyMap<string, { readonly isGrantable: boolean }>;

export interface GrantDrift {
  /** Privileges that the role lacks, or has without the wanted right to pass them on. */
  readonly missing: readonly string[];
  /** Privileges that the role has and the spec does not name. */
  readonly extra: readonly string[];
  /** Privileges in the spec that the role may pass on, although the spec does not allow that. */
  readonly overgranted: readonly string[];
}

const privilegesOn = {
  database: ['CONNECT', 'CREATE', 'TEMPORARY'],
  schema: ['CREATE', 'USAGE'],
} as const;

/** The difference between the current and the wanted privileges. Throws `Invalid` for an unknown privilege. */
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

/** Upper case, sorted; `MEMBER` for a membership. Throws `Invalid` for an unknown privilege, or an empty list. */
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
