/*
 * All that a tenant can write on a PostgreSQL server with the password of its claim, and that others read. Each row says who
 * reads it, and what it may decide.
 */

interface Writable {
  /** The readers besides the tenant. */
  readonly readBy: string;
  /** The decisions that may follow from it; no others may. */
  readonly mayDecide: string;
}

/** `identity.test.ts` has a test for each row. */
export const writtenInPostgresql = {
  'the external name of a claim': {
    readBy: 'grants, owners, memberships and templates that name a role or database',
    mayDecide: 'the name of its own database and role, if both are free and the class allows the name',
  },
  'the comment of its database': {
    readBy: 'every controller that looks whose database it is',
    mayDecide: 'nothing: the mark of the owner role decides',
  },
  'privileges on its database and in it': {
    readBy: 'PostgreSQL, for every role that it names',
    mayDecide: 'who else gets into its own database',
  },
  'schemas in a database that it may create in': {
    readBy: 'grants on that schema, and extensions that a spec puts there',
    mayDecide: 'nothing: who owns the schema decides',
  },
  'settings of its database and role': {
    readBy: 'PostgreSQL, for every session on that database or of that role',
    mayDecide: 'how its own sessions behave, and those of roles that an administrator lets in',
  },
  'default privileges and objects in its database': {
    readBy: 'roles that an administrator lets in',
    mayDecide: 'what those find there',
  },
  'the owner of its database': {
    readBy: 'every controller that looks whose database it is',
    mayDecide: 'nothing: PostgreSQL allows no other owner',
  },
  'extensions in its database': {
    readBy: 'the controller that installs extensions',
    mayDecide: 'which trusted extensions its own database has',
  },
  'event triggers and roles': {
    readBy: 'PostgreSQL, on behalf of other users',
    mayDecide: 'nothing: PostgreSQL refuses both',
  },
  'sessions that stay open': {
    readBy: 'PostgreSQL, which checks privileges at each statement',
    mayDecide: 'nothing that its role may not do any more',
  },
} as const satisfies Readonly<Record<string, Writable>>;
