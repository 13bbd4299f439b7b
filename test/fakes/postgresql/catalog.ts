import type { Acl } from './acl.ts';
import { defaultAcl, everybody } from './acl.ts';

export interface RoleRow {
  readonly name: string;
  readonly login: boolean;
  readonly createDb: boolean;
  readonly createRole: boolean;
  readonly inherit: boolean;
  readonly replication: boolean;
  readonly bypassRls: boolean;
  readonly superuser: boolean;
  readonly connectionLimit: number;
  /** `parameter=value`. */
  readonly configuration: readonly string[];
  /** A SCRAM verifier, or the text that a user wrote. */
  readonly password?: string;
  readonly comment?: string;
  /** Belongs to the server: nothing is said to depend on it. */
  readonly isPinned?: boolean;
}

export interface DatabaseRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly encoding: string;
  readonly lcCollate: string;
  readonly lcCType: string;
  /** As in pg_database.datlocprovider. */
  readonly provider: 'c' | 'i' | 'b';
  readonly connectionLimit: number;
  readonly allowConnections: boolean;
  readonly isTemplate: boolean;
  readonly acl?: Acl;
  readonly comment?: string;
}

export interface MembershipRow {
  readonly role: string;
  readonly member: string;
  readonly grantor: string;
  readonly isAdmin: boolean;
  readonly inherits: boolean;
}

/** Something in one database. */
interface Inside {
  /** The database's oid. */
  readonly database: number;
  readonly name: string;
}

export interface SchemaRow extends Inside {
  readonly owner: string;
  readonly acl?: Acl;
}

interface ExtensionRow extends Inside {
  readonly version: string;
  readonly schema: string;
}

/** The data of the server, by table and key. */
export interface Catalog {
  readonly roles: RoleRow;
  readonly databases: DatabaseRow;
  readonly memberships: MembershipRow;
  readonly schemas: SchemaRow;
  readonly extensions: ExtensionRow;
}
export type CatalogName = keyof Catalog;
export type Tables = { readonly [N in CatalogName]: Map<string, Catalog[N]> };

export const keyIn = {
  membership: ({ role, member, grantor }: Omit<MembershipRow, 'isAdmin' | 'inherits'>): string =>
    JSON.stringify([role, member, grantor]),
  inside: (database: number, name: string): string => JSON.stringify([database, name]),
};

export const plainRole: Omit<RoleRow, 'name'> = {
  login: false,
  createDb: false,
  createRole: false,
  inherit: true,
  replication: false,
  bypassRls: false,
  superuser: false,
  connectionLimit: -1,
  configuration: [],
};

/** Those of PostgreSQL 18. */
const predefinedRoles = [
  'pg_checkpoint',
  'pg_create_subscription',
  'pg_database_owner',
  'pg_execute_server_program',
  'pg_maintain',
  'pg_monitor',
  'pg_read_all_data',
  'pg_read_all_settings',
  'pg_read_all_stats',
  'pg_read_server_files',
  'pg_signal_autovacuum_worker',
  'pg_signal_backend',
  'pg_stat_scan_tables',
  'pg_use_reserved_connections',
  'pg_write_all_data',
  'pg_write_server_files',
];

const ownDatabases = [
  { name: 'template1', isTemplate: true, comment: 'default template for new databases' },
  { name: 'template0', isTemplate: true, comment: 'unmodifiable empty database' },
  { name: 'postgres', isTemplate: false, comment: 'default administrative connection database' },
];

/** The data after initdb. */
export function initialTables(superuser: string, password: string): Tables {
  const administrator: RoleRow = {
    ...plainRole,
    login: true,
    createDb: true,
    createRole: true,
    replication: true,
    bypassRls: true,
    superuser: true,
    name: superuser,
    password,
    isPinned: true,
  };
  const roles = [
    administrator,
    ...predefinedRoles.map((name) => ({ ...plainRole, name, isPinned: true })),
  ].map((role) => [role.name, role] as const);
  const tables: Tables = {
    roles: new Map(roles),
    databases: new Map(),
    memberships: new Map(),
    schemas: new Map(),
    extensions: new Map(),
  };
  for (const [index, { name, isTemplate, comment }] of ownDatabases.entries()) {
    const oid = index + 1;
    tables.databases.set(name, {
      oid,
      name,
      owner: superuser,
      encoding: 'UTF8',
      lcCollate: 'C',
      lcCType: 'C',
      provider: 'c',
      connectionLimit: -1,
      allowConnections: name !== 'template0',
      isTemplate,
      comment,
      ...(isTemplate && {
        acl: defaultAcl('database', superuser).filter(
          ({ grantee, privilege }) => grantee !== everybody || privilege === 'CONNECT',
        ),
      }),
    });
    const publicly = { grantee: everybody, privilege: 'USAGE', isGrantable: false };
    for (const [schema, owner] of [
      ['pg_catalog', superuser],
      ['information_schema', superuser],
      ['public', 'pg_database_owner'],
    ] as const) {
      tables.schemas.set(keyIn.inside(oid, schema), {
        database: oid,
        name: schema,
        owner,
        acl: [...defaultAcl('schema', owner), { ...publicly, grantor: owner }],
      });
    }
    tables.extensions.set(keyIn.inside(oid, 'plpgsql'), {
      database: oid,
      name: 'plpgsql',
      version: '1.0',
      schema: 'pg_catalog',
    });
  }
  return tables;
}
