import { PostgreSQLDatabaseKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { describeConformance } from '../../../testing/conformance.ts';
import type { InProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { postgresqlWorld } from './postgresql-world.ts';

const serverDatabases = ['postgres', 'template0', 'template1'];

/** A password is not what it was salted to. */
const roles = (server: InProcessPostgresql) =>
  server.roles().filter(({ name }) => name !== server.credentials.username && name !== 'clerk');

/** Databases, each with the role of its name, and roles that have lost theirs. */
function databases(server: InProcessPostgresql): readonly unknown[] {
  const found = server.databases().filter(({ name }) => !serverDatabases.includes(name));
  const names = found.map(({ name }) => name);
  return [
    ...found.map((database) => ({
      database,
      role: roles(server).find(({ name }) => name === database.name),
    })),
    ...roles(server).filter(({ name }) => !names.includes(name)),
  ];
}

/** The rights of the role `clerk`, for each object on which it has any. */
function grants(server: InProcessPostgresql): readonly unknown[] {
  const items = server.grants().filter(({ grantee }) => grantee === 'clerk');
  return [...new Set(items.map(({ on }) => on))].map((place) => items.filter(({ on }) => on === place));
}

const createdBy = (creation: string) => ({ creation, foreign: (name: string) => `${creation} "${name}"` });
const details = ['type', 'provider', 'endpoint', 'host', 'port', 'username', 'password', 'uri'] as const;

describeConformance({
  managed: PostgreSQLDatabaseKind,
  forProvider: { encoding: 'UTF8', connectionLimit: 3 },
  changes: [{ connectionLimit: 5 }, { extensions: [{ name: 'citext' }] }],
  refusedChanges: [{ encoding: 'LATIN1' }],
  details: [...details, 'database'],
  open: (given) => postgresqlWorld(given, { externals: databases, ...createdBy('CREATE DATABASE') }),
});

describeConformance({
  managed: PostgreSQLRoleKind,
  forProvider: { login: true, connectionLimit: 3 },
  changes: [
    { connectionLimit: 5 },
    { privileges: { createDb: true } },
    { configurationParameters: [{ name: 'work_mem', value: '4MB' }] },
  ],
  details,
  withoutDetails: [{ change: { login: false }, keys: ['password', 'uri'] }],
  open: (given) => postgresqlWorld(given, { externals: roles, ...createdBy('CREATE ROLE') }),
});

describeConformance({
  managed: PostgreSQLGrantKind,
  forProvider: { role: 'clerk', database: 'postgres', privileges: ['CONNECT'] },
  another: { role: 'clerk', database: 'postgres', schema: 'public', privileges: ['USAGE'] },
  changes: [{ privileges: ['CONNECT', 'TEMPORARY'] }, { withGrantOption: true }],
  foundBy: ['role', 'database', 'privileges'],
  open: (given) =>
    postgresqlWorld(given, { externals: grants, creation: 'GRANT', before: ['CREATE ROLE "clerk"'] }),
});
