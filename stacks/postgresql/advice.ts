import { annotationKeys } from '../../package/stack.ts';

/**
 * The advice of the stack's resources and providers, and in the errors of servers.
 * A test does what each piece says (docs/decisions/0059).
 */
export const advice = {
  keepOwner: 'unless you set spec.forProvider.owner',
  setOwner: 'set owner',
  giveBack: (statement: string) =>
    `if its data is not of another team, an administrator of the server gives it back: ${statement}`,
  followName: (name: string) =>
    `to use it under that name, set the annotation ${annotationKeys.externalName} to ${name}`,
  nameBack: (statement: string) => `to name it back, an administrator of the server runs: ${statement}`,
  nameBackInOrder: (statements: string) =>
    `to name it back, an administrator of the server first gives the other one a spare name: ${statements}`,
  unite: (statements: string, name: string) =>
    `to use it under a spare name, an administrator of the server runs: ${statements}. Then set the annotation ${annotationKeys.externalName} to ${name}`,
  dropOfAnother: (database: string, statement: string) =>
    `this resource is being deleted, and that role may use the database. To drop database ${database} with all its data, an administrator of the server runs: ${statement}`,
  closeDatabases: (owners: string, statements: readonly string[]) =>
    `run as ${owners}: ${statements.join('; ')}`,
  takeBack: (statement: string) =>
    `if its data is not of another team, set another spec.forProvider.owner and run: ${statement}`,
  forgetUsers: (statement: string) =>
    `to use it, after which no resource manages it and the passwords of its previous users do not work, run: ${statement}`,
  endHolder: (statement: string) => `once its data is safe, run in that database: ${statement}`,
  allowInHba:
    'add a line for this user, database and address to pg_hba.conf, before any that rejects them, and reload the server',
  allowLogin: (statement: string) => `if the role exists, run: ${statement}`,
  raiseRoleLimit: 'raise the CONNECTION LIMIT of that role or database, or end its sessions',
  checkPooler: 'check the pooler: its limits, its users, and the server behind it',
  restoreStandby: 'start the standby, or take it off synchronous_standby_names',
  grantAdmin: (statement: string) => `run as a superuser: ${statement}`,
  grantConnect: (statement: string) => `the owner of the database, or a superuser, runs: ${statement}`,
  dropRenamed: (statement: string) => `to drop it with its data, name it back: ${statement}`,
  deleteOwned: 'it belongs to another resource: delete that one first, or give it another owner there',
  giveDatabase: (statement: string) => `to give it to the administrator who runs it: ${statement}`,
  giveObjects: (statements: string) =>
    `to give its objects to the administrator who runs it, and to take back its privileges, run in that database: ${statements}`,
  keepRole: 'or, to keep the role and all that it owns, set spec.deletionPolicy: Orphan',
  endSessions: (statement: string) => `run as a superuser: ${statement}`,
  installExtension: (where: string, statement: string) => `a superuser can run ${where}: ${statement}`,
  nameAnotherSchema: 'Name another schema, or install it by hand',
  avoidExisting:
    'name another schema for it in spec.forProvider.extensions, or give the existing object another name',
  offerExtension: 'install its files on the server, or change spec.forProvider.extensions',
  createMissing: (kinds: readonly string[], fields: readonly string[]) =>
    `create ${fields.length === 1 ? 'it' : 'them'} with ${kinds.map((kind) => `a ${kind}`).join(' and ')}, or change ${fields.join(' and ')}`,
  createSchema: (field: string, database: string, statement: string) =>
    `change ${field}, or run in database ${database}: ${statement}`,
} as const;
