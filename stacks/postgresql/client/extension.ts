import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Advice } from '../../../package/stack.ts';
import { clientAdvice } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import type { HolderOf } from './mark.ts';
import { markIn } from './mark.ts';
import { withRightsOf } from './membership.ts';
import type { Session } from './session.ts';
import { distrustOf } from './trust.ts';

export interface Extension {
  readonly name: string;
  /** Default: the newest on the server. An extension that is already installed keeps its version. */
  readonly version?: string;
  /** The schema of its objects, unless the extension itself names one; default `public`. */
  readonly schema?: string;
}

export interface InstalledExtension {
  readonly name: string;
  readonly version: string;
  readonly schema: string;
}

/** Those of the session's database. */
export const installedExtensions = (session: Session): Promise<readonly InstalledExtension[]> =>
  session.query<{ name: string; version: string; schema: string }>(
    `SELECT extname AS name, extversion AS version, nspname AS schema
     FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace ORDER BY extname`,
  );

/** The part of an extension that is not as requested: all of it, or one field. Undefined: none. */
export function extensionDrift(
  installed: readonly InstalledExtension[],
  { name, version, schema }: Extension,
): 'extension' | 'version' | 'schema' | undefined {
  const found = installed.find((each) => each.name === name);
  if (found === undefined) return 'extension';
  if (version !== undefined && version !== found.version) return 'version';
  return schema !== undefined && schema !== found.schema ? 'schema' : undefined;
}

/**
 * Installs missing extensions and the extensions that they require, and upgrades to the requested versions. None is
 * removed: that would remove columns and functions with it. None is moved: queries may name its schema. `owner` is the
 * owner of the database. Its rights suffice for trusted extensions where the administrator is no superuser. Throws
 * `Invalid` if one is in another schema than the requested one.
 */
export async function ensureExtensions(
  session: Session,
  extensions: readonly Extension[],
  { owner, holderOf }: { readonly owner: string | undefined; readonly holderOf: HolderOf },
): Promise<void> {
  const installed = await installedExtensions(session);
  const changes = extensions.flatMap((extension) => {
    const drift = extensionDrift(installed, extension);
    return drift === 'extension' || drift === 'version' ? [{ extension, drift }] : [];
  });
  if (changes.length > 0) {
    await session.transaction(() =>
      withRightsOf(session, [owner], async () => {
        for (const { extension, drift } of changes) {
          await checkSchemaOwner(session, extension, { owner, holderOf });
          await checkNothingPlanted(session, extension);
          const statement =
            drift === 'extension'
              ? await createStatement(session, extension)
              : `ALTER EXTENSION ${escapeIdentifier(extension.name)} UPDATE TO ${escapeLiteral(extension.version!)}`;
          await session.query(statement).catch((error: unknown) => {
            throw withRemedy(error, session, { ...extension, statement });
          });
        }
      }),
    );
  }
  checkSchemas(await installedExtensions(session), extensions);
}

/** A copy of a template has extensions of the template, and some extensions name their schema themselves. */
function checkSchemas(installed: readonly InstalledExtension[], extensions: readonly Extension[]): void {
  const places = extensions
    .filter((extension) => extensionDrift(installed, extension) === 'schema')
    .map(({ name }) => installed.find((each) => each.name === name)!) // the drift of one that was found
    .map(
      ({ name, schema }) => `extension ${escapeIdentifier(name)} is in schema ${escapeIdentifier(schema)}`,
    );
  if (places.length === 0) return;
  const message = `${places.join(', ')}; ${clientAdvice.change(['spec.forProvider.extensions'])}`;
  throw new PostgresqlError(message, { code: 'Invalid', advice: changeExtensions });
}

/**
 * Throws `Invalid` if a superuser's script would run in a schema in which other roles have functions or operators. The
 * script looks names up there, and a better match than PostgreSQL's own would run as superuser. Trusted extensions, and
 * installations by other roles than a superuser, are harmless. A tenant can cause such an installation by dropping the
 * schema.
 */
async function checkNothingPlanted(session: Session, { name, schema }: Extension): Promise<void> {
  if (!session.admin.isSuperuser) return;
  const trusted = session.serverVersion >= 13 ? 'v.trusted' : 'false AS trusted';
  const [found] = await session.query<{ schema: string; roles: string[] }>(
    `WITH RECURSIVE needed AS (
       SELECT v.name, v.requires, ${trusted} FROM pg_available_extension_versions v
       JOIN pg_available_extensions e ON e.name = v.name AND e.default_version = v.version WHERE v.name = $1
       UNION
       SELECT v.name, v.requires, ${trusted} FROM needed n
       JOIN pg_available_extension_versions v ON v.name = ANY (n.requires)
       JOIN pg_available_extensions e ON e.name = v.name AND e.default_version = v.version
     ), place AS (
       SELECT n.oid, n.nspname FROM pg_namespace n
       WHERE n.nspname = coalesce(
         (SELECT x.nspname FROM pg_extension i JOIN pg_namespace x ON x.oid = i.extnamespace WHERE i.extname = $1), $2)
     ), planted AS (
       SELECT pronamespace AS schema, proowner AS owner, 'pg_proc'::regclass AS class, oid FROM pg_proc
       UNION ALL SELECT oprnamespace, oprowner, 'pg_operator'::regclass, oid FROM pg_operator
     )
     SELECT place.nspname AS schema, array_agg(DISTINCT r.rolname::text) AS roles
     FROM place JOIN planted ON planted.schema = place.oid
     JOIN pg_roles r ON r.oid = planted.owner AND NOT r.rolsuper
     WHERE EXISTS (SELECT FROM needed WHERE NOT trusted)
     GROUP BY place.nspname`,
    [name, schema ?? 'public'],
  );
  if (found === undefined) return;
  const roles = found.roles.map(escapeIdentifier).join(', ');
  const message =
    `extension ${escapeIdentifier(name)} is not installed: only a superuser may, and its script could run objects that ` +
    `${roles} created in schema ${escapeIdentifier(found.schema)}. ${advice.nameAnotherSchema}`;
  throw new PostgresqlError(message, { code: 'Invalid' });
}

/**
 * Throws `Invalid` if the schema belongs to the role of another tenant. The owner of a schema can drop and replace its
 * objects, so the functions of the extension would be that tenant's.
 */
async function checkSchemaOwner(
  session: Session,
  { name, schema }: Extension,
  { owner, holderOf }: { readonly owner: string | undefined; readonly holderOf: HolderOf },
): Promise<void> {
  if (schema === undefined) return;
  const [found] = await session.query<{ owner: string; comment: string | null }>(
    `SELECT pg_get_userbyid(nspowner) AS owner, shobj_description(nspowner, 'pg_authid') AS comment
     FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  if (found === undefined || found.owner === owner) return;
  const distrust = distrustOf(found.owner, markIn(found.comment), { holderOf });
  if (distrust === undefined) return;
  const message =
    `extension ${escapeIdentifier(name)} is not installed: schema ${escapeIdentifier(schema)} belongs to role ` +
    `${escapeIdentifier(found.owner)} of another resource. ${advice.nameAnotherSchema}`;
  throw new PostgresqlError(message, { code: 'Invalid' });
}

const insufficientPrivilege = '42501';
const missingSchema = '3F000';
/** There is no way from the installed version to the wanted one. */
const invalidValue = '22023';
/** A function, another object such as a type, a table, or a schema exists already. */
const existing: readonly string[] = ['42723', '42710', '42P07', '42P06'];

const changeExtensions: Advice = { kinds: ['ChangeFields'], fields: ['spec.forProvider.extensions'] };

/** The server's refusal of the statement that installs an extension, with the remedy for it. */
function withRemedy(
  error: unknown,
  { database, admin }: Session,
  { name, schema = 'public', statement }: Extension & { readonly statement: string },
): unknown {
  const code = sqlStateOf(error) ?? '';
  const { message: cause } = error as Error;
  const place = escapeIdentifier(database);
  if (code === insufficientPrivilege) {
    const todo = advice.installExtension(`in database ${place}`, statement);
    return new PostgresqlError(`${cause} (user "${admin.name}"); ${todo}`, { code });
  }
  if (code === missingSchema) {
    const create = `CREATE SCHEMA ${escapeIdentifier(schema)}`;
    const todo = advice.createSchema('spec.forProvider.extensions', place, create);
    return new PostgresqlError(`${cause}; ${todo}`, { code: 'NotFound', isRetryable: true, sqlState: code });
  }
  if (existing.includes(code)) {
    const message = `extension ${escapeIdentifier(name)} is not installed: ${cause}; ${advice.avoidExisting}`;
    return new PostgresqlError(message, { code: 'Invalid', advice: changeExtensions, sqlState: code });
  }
  if (code === invalidValue) {
    const message = `${cause}; ${clientAdvice.change(['spec.forProvider.extensions'])}`;
    return new PostgresqlError(message, { code: 'Invalid', advice: changeExtensions, sqlState: code });
  }
  return error;
}

async function createStatement(session: Session, { name, version, schema }: Extension): Promise<string> {
  const [available] = await session.query<{ fixedSchema: string | null }>(
    `SELECT v.schema AS "fixedSchema" FROM pg_available_extension_versions v
     JOIN pg_available_extensions e ON e.name = v.name
     WHERE v.name = $1 AND v.version = coalesce($2, e.default_version)`,
    [name, version ?? null],
  );
  if (available === undefined) {
    const what = version === undefined ? `extension "${name}"` : `extension "${name}" version "${version}"`;
    const message = `${what} is not available on this server; ${advice.offerExtension}`;
    throw new PostgresqlError(message, { code: 'Invalid', advice: changeExtensions });
  }
  // Our search_path has no schema for new objects. Therefore a schema is always named, unless the extension insists on
  // one.
  const into = available.fixedSchema === null ? ` SCHEMA ${escapeIdentifier(schema ?? 'public')}` : '';
  const at = version === undefined ? '' : ` VERSION ${escapeLiteral(version)}`;
  return `CREATE EXTENSION IF NOT EXISTS ${escapeIdentifier(name)} WITH${into}${at} CASCADE`;
}
