import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import {
  allowsAny,
  defineClass,
  defineManaged,
  hasAny,
  immutable,
  onceCreated,
  optional,
  ownName,
  passwordRotation,
  reference,
  selector,
  sessionPolicy,
  text,
} from '../../../../package/schema.ts';
import { databaseConnection } from './connection.ts';
import { connectionLimit, group, identifier, maxNameBytes, stack, version } from './fields.ts';

const fixed = (description: string) =>
  optional(immutable(text(`${description} PostgreSQL cannot change it later.`)));

const parameters = {
  engineVersion: optional(
    immutable(
      text(
        'The major version that the server must have when the database is created, for example 18. Absent: any version. A later upgrade of the server has no effect.',
      ),
    ),
  ),
  encoding: fixed('Character encoding, for example UTF8. Absent: as in the template.'),
  lcCollate: fixed(
    'Sort order, for example C or en_US.utf8. It is a locale of the C library (provider libc). Absent: as in the template.',
  ),
  lcCType: fixed(
    'Character classification, for example C or en_US.utf8. It is a locale of the C library (provider libc). Absent: as in the template.',
  ),
  template: optional(
    immutable(
      identifier(
        'The database to copy. No client may be connected to it during the creation. Absent: template0, which accepts no connections. It is used at creation only.',
      ),
    ),
  ),
  connectionLimit: connectionLimit('the database, and of its own role on the whole server,'),
  allowConnections: optional(
    z.boolean().describe('Whether clients may connect. Default: true. With false the database is not Ready.'),
  ),
  extensions: optional(
    z
      .array(
        z.object({
          name: identifier('Name of the extension, for example pg_trgm.'),
          version: optional(
            text(
              'Version of the extension. A change updates the extension. Absent: the newest version at installation.',
            ),
          ),
          schema: optional(
            identifier(
              'The schema for the objects of the extension. An installed extension is not moved. Absent: public.',
            ),
          ),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .describe('Extensions to install. An extension is never removed, because that would delete data.'),
  ),
  onDelete: sessionPolicy,
};

/** Whether forProvider or initProvider names an owner. */
const hasOwner = (spec: string): string => {
  const names = (object: string) => hasAny(object, 'owner', 'ownerRef', 'ownerSelector');
  return `(${names(`${spec}.forProvider`)} || (has(${spec}.initProvider) && ${names(`${spec}.initProvider`)}))`;
};

/** A database of a PostgreSQL server. */
export const PostgreSQLDatabaseKind = defineManaged(
  {
    group,
    version,
    stack,
    holdsData: true,
    kind: 'PostgreSQLDatabase',
    plural: 'postgresqldatabases',
    shortNames: ['pgdb'],
    description: 'A database of a PostgreSQL server. Its external name is the name of the database.',
    connectionDetails: databaseConnection,
  },
  z
    .object({
      name: ownName('database', maxNameBytes, 'bytes'),
      owner: optional(
        identifier(
          'The role that owns the database. Without owner, ownerRef and ownerSelector the database gets its own owner role with the same name. The password of that role is in the connection details.',
        ),
      ),
      ownerRef: optional(reference('The PostgreSQLRole whose role is used as owner.')),
      ownerSelector: optional(selector('Selects the PostgreSQLRole whose role is used as owner.')),
      ...parameters,
      passwordRotation,
    })
    .describe('The desired state of the database. Changes made elsewhere are reverted.'),
  {
    owner: optional(z.string().describe('The role that owns the database.')),
    encoding: optional(z.string().describe('The character encoding of the database.')),
    lcCollate: optional(z.string().describe('The sort order of the database.')),
    lcCType: optional(z.string().describe('The character classification of the database.')),
    localeProvider: optional(
      z
        .string()
        .describe(
          'The library that orders and classifies characters: libc, icu or builtin. Absent: libc. Only libc uses lcCollate and lcCType.',
        ),
    ),
    engineVersion: optional(z.string().describe('The major version of the server.')),
  },
  {
    // A database that is only observed gets its actual owner.
    rule: onceCreated(
      `${hasOwner('self.spec')} == ${hasOwner('oldSelf.spec')} || (${hasOwner('self.spec')} && !${allowsAny('self.spec', 'Create', 'Update', 'Delete')})`,
    ),
    message:
      'a database cannot change between its own owner role and a given one: set owner, ownerRef or ownerSelector before it is created',
    fieldPath: '.spec.forProvider.owner',
    reason: 'FieldValueForbidden',
  },
);
export type PostgreSQLDatabase = ObjectKind<typeof PostgreSQLDatabaseKind>;

/** The parameters of PostgreSQL databases for claims. */
export const PostgreSQLDatabaseClassKind = defineClass(
  {
    group,
    version,
    kind: 'PostgreSQLDatabaseClass',
    plural: 'postgresqldatabaseclasses',
    shortNames: ['pgdbclass'],
    description: 'A class of PostgreSQL databases for claims.',
  },
  z
    .object(parameters)
    .describe('The parameters of every database of this class. Each database has its own owner role.'),
);
export type PostgreSQLDatabaseClass = ObjectKind<typeof PostgreSQLDatabaseClassKind>;
