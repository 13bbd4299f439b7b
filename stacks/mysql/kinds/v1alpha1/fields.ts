import { z } from 'zod';
import { immutable, late, nameOnServer, optional, text } from '../../../../package/schema.ts';

export const group = 'mysql.crossplane.io';
export const version = 'v1alpha1';
export const stack = 'mysql';

/** The name of a database: at most 64 characters. */
export const databaseName = (description: string) => nameOnServer(description, 64);

/** The name of a user: at most 80 characters in MariaDB. */
export const userName = (description: string) => nameOnServer(description, 80);

/** The privileges that a user can have on a database of MariaDB, without GRANT OPTION. */
export const databasePrivileges = [
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'REFERENCES', 'INDEX', 'ALTER'],
  ...['CREATE TEMPORARY TABLES', 'LOCK TABLES', 'CREATE VIEW', 'SHOW VIEW', 'CREATE ROUTINE'],
  ...['ALTER ROUTINE', 'EXECUTE', 'EVENT', 'TRIGGER', 'DELETE HISTORY'],
] as const;

export const privileges = (description: string) =>
  z
    .array(z.enum(['ALL', ...databasePrivileges]))
    .min(1)
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe(description);

/** The fields of a user: of a MySQLUser, and of the own user of a database. */
export const userFields = {
  maxUserConnections: optional(
    late(
      z
        .int()
        .min(0)
        .max(100_000)
        .describe(
          'The maximum number of connections of the user at a time. 0: as the server allows. Absent: the value of the server, which is filled in.',
        ),
    ),
  ),
  maxStatementSeconds: optional(
    z
      .int()
      .min(0)
      .max(31_536_000)
      .describe(
        'The time after which the server ends a statement of the user, in seconds. It is the default of each session, which the user can change with SET max_statement_time. 0: no limit. Only MariaDB has it. Absent: it is not managed.',
      ),
  ),
  tls: optional(
    z
      .enum(['Optional', 'Required'])
      .describe(
        'Whether the user must connect with TLS. Absent: it is not managed, and a new user need not.',
      ),
  ),
  passwordPlugin: optional(
    z
      .enum(['mysql_native_password', 'ed25519', 'caching_sha2_password'])
      .describe(
        'The authentication plugin of the user. The server must have it. Absent: the default of the server.',
      ),
  ),
};

/** The server that a database needs. */
export const serverFields = {
  engineVersion: optional(
    immutable(
      text(
        'The version that the server must have when the database is created, for example 10.11. Absent: any version. A later upgrade of the server has no effect.',
      ),
    ),
  ),
  flavour: optional(
    immutable(
      z
        .enum(['MariaDB', 'MySQL'])
        .describe(
          'The product that the server must be when the database is created. Absent: any. The controllers were tried with MariaDB.',
        ),
    ),
  ),
};
