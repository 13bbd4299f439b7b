import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import {
  defineClass,
  defineManaged,
  late,
  optional,
  ownName,
  passwordRotation,
  sessionPolicy,
  text,
} from '../../../../package/schema.ts';
import { databaseConnection } from './connection.ts';
import { group, privileges, serverFields, stack, userFields, version } from './fields.ts';

const parameters = {
  ...serverFields,
  characterSet: optional(
    late(
      text(
        'The default character set of new tables, for example utf8mb4. A change keeps the character set of existing tables. Absent: utf8mb4 for a new database.',
      ),
    ),
  ),
  collation: optional(
    late(
      text(
        'The default collation of new tables, for example utf8mb4_unicode_ci. A change keeps the collation of existing tables. Absent: the default of the server for the character set.',
      ),
    ),
  ),
  ...userFields,
  privileges: optional(
    privileges(
      'The privileges of the own user on the database, without GRANT OPTION. All other privileges of the user on it are revoked. Absent, or ALL: all that the server knows.',
    ),
  ),
  onDelete: sessionPolicy,
};

/** A database of a MariaDB server, with a user of its own. */
export const MySQLDatabaseKind = defineManaged(
  {
    group,
    version,
    stack,
    holdsData: true,
    kind: 'MySQLDatabase',
    plural: 'mysqldatabases',
    shortNames: ['mydb'],
    description:
      'A database of a MariaDB server, and a user of the same name with privileges on this database only. Its external name is the name of both.',
    connectionDetails: databaseConnection,
  },
  z
    .object({ name: ownName('database', 64), ...parameters, passwordRotation })
    .describe('The desired state of the database and its user. Changes made elsewhere are reverted.'),
  {
    characterSet: optional(z.string().describe('The default character set of the database.')),
    collation: optional(z.string().describe('The default collation of the database.')),
    engineVersion: optional(z.string().describe('The version of the server.')),
    flavour: optional(z.string().describe('The product that the server is: MariaDB or MySQL.')),
  },
);
export type MySQLDatabase = ObjectKind<typeof MySQLDatabaseKind>;

/** The parameters of databases for claims. */
export const MySQLDatabaseClassKind = defineClass(
  {
    group,
    version,
    kind: 'MySQLDatabaseClass',
    plural: 'mysqldatabaseclasses',
    shortNames: ['mydbclass'],
    description: 'A class of databases on a MariaDB server for claims.',
  },
  z
    .object(parameters)
    .describe('The parameters of every database of this class. Each database has its own user.'),
);
export type MySQLDatabaseClass = ObjectKind<typeof MySQLDatabaseClassKind>;
