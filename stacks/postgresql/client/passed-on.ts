import { escapeIdentifier } from 'pg';
import { withRightsOf } from './membership.ts';
import type { Session } from './session.ts';

/** Privileges that one role passed on to another, on one object. All fields except `giver` and `owner` are SQL. */
interface PassedOn {
  readonly giver: string;
  /** `PUBLIC` for all roles. */
  readonly taker: string;
  /** `TABLE public.t`. */
  readonly target: string;
  readonly owner: string;
  /** `SELECT`, or `SELECT (a)` of a column. */
  readonly privileges: readonly string[];
  /** The `privileges` that the giver may no longer grant itself. A role of which it is a member may still grant them. */
  readonly lost: readonly string[];
  /** The `lost` privileges that the giver itself still has. */
  readonly remaining: readonly string[];
  /** The schema of the object, if the giver may not use it. */
  readonly shutIn: string | null;
}

/**
 * Revokes privileges that a role got from other roles than the owners of objects, and privileges that it passed on. It
 * covers the session's database and the objects of the whole server. Run it within a transaction, before DROP OWNED BY.
 *
 * DROP OWNED BY leaves these privileges, and each of them prevents the role from being dropped. Any role with a grant
 * option could cause that. In PostgreSQL only the grantor can revoke a privilege, so this acts as each of them.
 */
export async function takeBackPassedOn(session: Session, role: string): Promise<void> {
  for (const side of ['grantor', 'grantee'] as const) {
    for (const each of await passedOn(session, role, side)) await takeBack(session, each);
  }
}

async function takeBack(session: Session, passed: PassedOn): Promise<void> {
  const { giver, taker, target, owner, privileges, lost, remaining, shutIn } = passed;
  const name = escapeIdentifier(giver);
  const gone = lost.filter((privilege) => !remaining.includes(privilege));
  const list = (some: readonly string[]): string => `${some.join(', ')} ON ${target}`;
  // Schema public belongs to pg_database_owner, and no role can become a member of it.
  const needed = lost.length === 0 || owner === 'pg_database_owner' ? [giver] : [giver, owner];
  await withRightsOf(session, needed, async () => {
    // If the giver may not grant the privilege itself, the server would act as the role that may.
    if (lost.length > 0) await session.query(`GRANT ${list(lost)} TO ${name} WITH GRANT OPTION`);
    if (shutIn !== null) await session.query(`GRANT USAGE ON SCHEMA ${shutIn} TO ${name}`);
    await session.query(`SET LOCAL ROLE ${name}`);
    // Each privilege by its name: for ALL, the server would act as the role that may grant the most.
    await session.query(`REVOKE ${list(privileges)} FROM ${taker} CASCADE`);
    await session.query('SET LOCAL ROLE NONE');
    if (shutIn !== null) await session.query(`REVOKE USAGE ON SCHEMA ${shutIn} FROM ${name} CASCADE`);
    if (remaining.length > 0) {
      await session.query(`REVOKE GRANT OPTION FOR ${list(remaining)} FROM ${name} CASCADE`);
    }
    if (gone.length > 0) await session.query(`REVOKE ${list(gone)} FROM ${name} CASCADE`);
  });
}

/** The catalogs with privileges: class, oid, owner and privileges of each object, and the column if it is one. */
const places = [
  `SELECT 'pg_database'::regclass AS class, oid, datdba AS owner, datacl AS acl, NULL AS column FROM pg_database`,
  `SELECT 'pg_tablespace'::regclass, oid, spcowner, spcacl, NULL FROM pg_tablespace`,
  `SELECT 'pg_class'::regclass, oid, relowner, relacl, NULL FROM pg_class`,
  `SELECT 'pg_class'::regclass, c.oid, c.relowner, a.attacl, quote_ident(a.attname)
   FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid`,
  `SELECT 'pg_namespace'::regclass, oid, nspowner, nspacl, NULL FROM pg_namespace`,
  `SELECT 'pg_proc'::regclass, oid, proowner, proacl, NULL FROM pg_proc`,
  `SELECT 'pg_type'::regclass, oid, typowner, typacl, NULL FROM pg_type`,
  `SELECT 'pg_language'::regclass, oid, lanowner, lanacl, NULL FROM pg_language`,
  `SELECT 'pg_largeobject'::regclass, oid, lomowner, lomacl, NULL FROM pg_largeobject_metadata`,
  `SELECT 'pg_foreign_data_wrapper'::regclass, oid, fdwowner, fdwacl, NULL FROM pg_foreign_data_wrapper`,
  `SELECT 'pg_foreign_server'::regclass, oid, srvowner, srvacl, NULL FROM pg_foreign_server`,
];

/** The words of GRANT for object types that pg_identify_object names differently. */
const kind = `CASE
  WHEN i.type IN ('table', 'view', 'materialized view', 'foreign table') THEN 'TABLE'
  WHEN i.type IN ('function', 'procedure', 'aggregate') THEN 'ROUTINE'
  WHEN i.type = 'server' THEN 'FOREIGN SERVER'
  WHEN i.type = 'foreign-data wrapper' THEN 'FOREIGN DATA WRAPPER'
  ELSE upper(i.type) END`;

const passedOn = (
  session: Session,
  role: string,
  side: 'grantor' | 'grantee',
): Promise<readonly PassedOn[]> =>
  session.query<PassedOn>(
    `WITH things AS (${places.join(' UNION ALL ')}), given AS (
       SELECT t.class, t.oid, t.owner, g.grantor, g.grantee,
              g.privilege_type || coalesce(' (' || t.column || ')', '') AS privilege,
              EXISTS (SELECT FROM aclexplode(t.acl) h WHERE h.grantee = g.grantor
                        AND h.privilege_type = g.privilege_type AND h.is_grantable) AS may,
              EXISTS (SELECT FROM aclexplode(t.acl) h WHERE h.grantee = g.grantor AND h.grantor = t.owner
                        AND h.privilege_type = g.privilege_type) AS has
       FROM things t, aclexplode(t.acl) g
       WHERE g.grantor <> t.owner AND g.${side} = (SELECT oid FROM pg_roles WHERE rolname = $1)
     )
     SELECT pg_get_userbyid(g.grantor) AS giver,
            CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END AS taker,
            ${kind} || ' ' || i.identity AS target, pg_get_userbyid(g.owner) AS owner,
            array_agg(g.privilege ORDER BY g.privilege) AS privileges,
            coalesce(array_agg(g.privilege ORDER BY g.privilege) FILTER (WHERE NOT g.may), '{}') AS lost,
            coalesce(array_agg(g.privilege ORDER BY g.privilege) FILTER (WHERE NOT g.may AND g.has), '{}') AS remaining,
            CASE WHEN NOT has_schema_privilege(g.grantor, n.oid, 'USAGE') THEN i.schema END AS "shutIn"
     FROM given g CROSS JOIN pg_identify_object(g.class, g.oid, 0) i
     LEFT JOIN pg_namespace n ON quote_ident(n.nspname) = i.schema
     GROUP BY g.grantor, g.grantee, g.owner, target, "shutIn" ORDER BY giver, taker, target`,
    [role],
  );
