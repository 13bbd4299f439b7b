/*
 * All that a tenant can write and that others read: in the cluster with the rights on claims and Secrets of its namespace,
 * on a PostgreSQL server with the password of its claim. Each row says who reads it, and what it may decide.
 */

export interface Writable {
  /** The readers besides the tenant. */
  readonly readBy: string;
  /** The decisions that may follow from it; no others may. */
  readonly mayDecide: string;
}

/** On a PostgreSQL server. `test/stacks/postgresql/server/controllers/identity.test.ts` has a test for each row. */
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

/** In its namespace, with the rights on claims of `deploy/` and all rights on Secrets. `in-kubernetes.test.ts` has the tests. */
export const writtenInKubernetes = {
  'the name of a claim': {
    readBy: 'the binding controller, which derives the name of the resource',
    mayDecide: 'how the name of its own resource begins, after the namespace',
  },
  'the labels of a claim': {
    readBy: 'no controller',
    mayDecide: 'nothing',
  },
  'the external name of a claim': {
    readBy: 'the binding controller, which copies it to the resource, and the external clients',
    mayDecide: 'the name of its own external resource, if it is free and the class allows it',
  },
  'a requested run of a claim': {
    readBy: 'the controllers of that claim',
    mayDecide: 'that its own claim is reconciled now',
  },
  'each other annotation of a claim': {
    readBy: 'no controller',
    mayDecide: 'nothing',
  },
  'the owners and finalizers of a claim': {
    readBy: 'the garbage collector and the API server',
    mayDecide: 'when its own claim is deleted',
  },
  'the references of a claim': {
    readBy: 'the binding controller',
    mayDecide: 'which of the classes and resources that its namespace may have its claim gets',
  },
  'the shape of the Secret of its claim': {
    readBy: 'the controllers that copy connection details',
    mayDecide: 'labels, annotations and entries of its own Secret, from its own connection details',
  },
  'the content of the Secret of its claim': {
    readBy: 'the controller that copies connection details',
    mayDecide: 'nothing: it is written again',
  },
  'the annotations of the Secret of its claim': {
    readBy: 'the controller that copies connection details',
    mayDecide: 'whether its own Secret counts as the copy for its claim',
  },
  'the owners of the Secret of its claim': {
    readBy: 'the controllers that copy and delete connection details',
    mayDecide: 'whether its own Secret belongs to its claim',
  },
  'a Secret of its own in the place of the copy': {
    readBy: 'the binding controller',
    mayDecide: 'that its own claim waits',
  },
  'a Secret of the type of connection Secrets': {
    readBy: 'the controllers that copy and delete connection details',
    mayDecide: 'whether that Secret itself is kept',
  },
  ConfigMaps: {
    readBy: 'no controller: the process has no right to read them',
    mayDecide: 'nothing',
  },
  Events: {
    readBy: 'people, and the trace, which lists them',
    mayDecide: 'nothing: no fault and no command comes from an Event',
  },
  'the status of a claim': {
    readBy: 'the controllers, the trace and people',
    mayDecide: 'nothing: users have no right to write it',
  },
  'tags in a cloud': {
    readBy: 'the external clients, which find the owner there',
    mayDecide: 'nothing: no claim has a field for tags',
  },
} as const satisfies Readonly<Record<string, Writable>>;
