import { z } from 'zod';
import { immutable } from '../../core/marks.ts';
import { hasAny, onceCreated } from '../../core/rules.ts';
import type { ObjectKind } from '../../core/schema.ts';
import { optional, text } from '../../core/schema.ts';
import { defineClass } from '../../core/v1alpha1/define-class.ts';
import { allowsAny, defineManaged } from '../../core/v1alpha1/define-managed.ts';
import { passwordRotation, reference, selector } from '../../core/v1alpha1/fields.ts';
import { connectionLimit, group, identifier, ownName, stack, version } from './fields.ts';

/** What to do about sessions when a database is deleted. */
const sessionPolicies = ['WaitForSessions', 'TerminateSessions'] as const;

const fixed = (description: string) =>
  optional(immutable(text(`${description} PostgreSQL cannot change it later.`)));

const parameters = {
  engineVersion: optional(
    immutable(
      text(
        'The major version the server must have for the database to be created, as 18. Absent: any. A later upgrade of the server does no harm.',
      ),
    ),
  ),
  encoding: fixed('Character encoding, as UTF8. Absent: that of the template.'),
  lcCollate: fixed('Sort order, as C or en_US.utf8. Absent: that of the template.'),
  lcCType: fixed('Character classification, as C or en_US.utf8. Absent: that of the template.'),
  template: optional(
    immutable(
      identifier(
        'The database to copy, which nobody may be connected to meanwhile. Absent: template0, which takes no connections. Of use at creation only.',
      ),
    ),
  ),
  connectionLimit: connectionLimit('the database, and its own role on the whole server,'),
  allowConnections: optional(
    z.boolean().describe('Whether anybody may connect. Default: true. A database closed so is not Ready.'),
  ),
  extensions: optional(
    z
      .array(
        z.object({
          name: identifier('Name of the extension, as pg_trgm.'),
          version: optional(
            text('Its version; changing it updates the extension. Absent: the newest at the time.'),
          ),
          schema: optional(identifier('Where its objects go. Absent: public.')),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .describe('Extensions to install. None is ever removed, since that would take data with it.'),
  ),
  onDelete: optional(
    z
      .enum(sessionPolicies)
      .describe(
        'What to do about open sessions when the database is deleted: wait until there are none (the default), or terminate them.',
      ),
  ),
};

/** Whether an owner is named, for good or for the creation only. */
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
    kind: 'PostgreSQLDatabase',
    plural: 'postgresqldatabases',
    shortNames: ['pgdb'],
    description: 'A database of a PostgreSQL server. Its external name is the name of the database.',
  },
  z
    .object({
      name: ownName('database'),
      owner: optional(
        identifier(
          'The role that owns the database. Absent, with ownerRef and ownerSelector: the database gets an owner role of its own, of the same name, whose password is among the connection details.',
        ),
      ),
      ownerRef: optional(reference('The PostgreSQLRole whose role is taken as owner.')),
      ownerSelector: optional(selector('Chooses the PostgreSQLRole whose role is taken as owner.')),
      ...parameters,
      passwordRotation,
    })
    .describe('The database as it should be. Changes made elsewhere are reverted.'),
  {
    owner: optional(z.string().describe('The role that owns the database.')),
    encoding: optional(z.string().describe('Its character encoding.')),
    lcCollate: optional(z.string().describe('Its sort order.')),
    lcCType: optional(z.string().describe('Its character classification.')),
    engineVersion: optional(z.string().describe('The major version of the server.')),
  },
  {
    // What is only looked at gets the owner that it turns out to have.
    rule: onceCreated(
      `${hasOwner('self.spec')} == ${hasOwner('oldSelf.spec')} || (${hasOwner('self.spec')} && !${allowsAny('self.spec', 'Create', 'Update', 'Delete')})`,
    ),
    message:
      'a database keeps its own owner role, or a given one: set owner, ownerRef or ownerSelector before it is created',
    fieldPath: '.spec.forProvider.owner',
    reason: 'FieldValueForbidden',
  },
);
export type PostgreSQLDatabase = ObjectKind<typeof PostgreSQLDatabaseKind>;

/** What PostgreSQL databases that claims are given are like. */
export const PostgreSQLDatabaseClassKind = defineClass(
  {
    group,
    version,
    kind: 'PostgreSQLDatabaseClass',
    plural: 'postgresqldatabaseclasses',
    shortNames: ['pgdbclass'],
    description: 'A class of PostgreSQL databases, from which claims are satisfied.',
  },
  z
    .object(parameters)
    .describe('What every database of this class is like. Each has an owner role of its own.'),
);
export type PostgreSQLDatabaseClass = ObjectKind<typeof PostgreSQLDatabaseClassKind>;
