import { annotationKeys, coreAdvice } from '../../package/stack.ts';

/**
 * The advice of the stack's resources and providers, and in the errors of servers.
 * A test does what each piece says (docs/decisions/0059).
 */
export const advice = {
  mergeGrants: 'put all privileges there, and delete this one',
  matchVersion: (version: string) => `change it, or use a provider whose server runs ${version}`,
  dropUnmarked: (statement: string) => `to drop it with its data, run: ${statement}`,
  keepUnmarked: 'to keep it, set spec.deletionPolicy: Orphan',
  terminateSessions: 'to terminate them, set spec.forProvider.onDelete: TerminateSessions',
  keepOwner: 'unless you set spec.forProvider.owner',
  setOwner: 'set owner',
  handOver: (kind: string, whose: string, statement: string) =>
    `if another ${kind} took the name, rename that one. To hand it to ${whose}, with all that it owns and may do, an administrator of the server runs: ${statement}`,
  dropHandedOver: (database: string, statement: string) =>
    `this resource is being deleted: the statement lets it drop database ${database} with all its data. To drop it, an administrator of the server runs: ${statement}`,
  giveBack: (statement: string) =>
    `if its data is not of another team, an administrator of the server gives it back: ${statement}`,
  followName: (name: string) =>
    `to use it under that name, set the annotation ${annotationKeys.externalName} to ${name}`,
  createElsewhere: `to have an empty one created, ${coreAdvice.setExternalName}`,
  nameBack: (statement: string) => `to name it back, an administrator of the server runs: ${statement}`,
  nameBackInOrder: (statements: string) =>
    `to name it back, an administrator of the server first gives the other one a spare name: ${statements}`,
  unite: (statements: string, name: string) =>
    `to use it under a spare name, an administrator of the server runs: ${statements}. Then set the annotation ${annotationKeys.externalName} to ${name}`,
  dropOfAnother: (database: string, statement: string) =>
    `this resource is being deleted, and that role may use the database. To drop database ${database} with all its data, an administrator of the server runs: ${statement}`,
  closeDatabases: (owners: string, statements: readonly string[]) =>
    `run as ${owners}: ${statements.join('; ')}`,
  chooseExternalName: 'choose another external name',
  adopt: (isForAnyClaim: boolean, consequence: string, statement: string) =>
    `${isForAnyClaim ? 'set spec.claimRef first, because the first claim that names this resource gets its data; ' : ''}to adopt it${consequence}, run: ${statement}`,
  adoptRole: (consequence: string, statement: string) =>
    `to adopt it, after which its password and attributes become those of this resource${consequence}, run: ${statement}`,
  takeBack: (statement: string) =>
    `if its data is not of another team, set another spec.forProvider.owner and run: ${statement}`,
  nameByReference: (field: string) => `if it is meant, set ${field}: a name alone is not enough`,
  forgetUsers: (statement: string) =>
    `to use it, after which no resource manages it and the passwords of its previous users do not work, run: ${statement}`,
  endHolder: (statement: string) => `once its data is safe, run in that database: ${statement}`,
  disableTls: 'to connect without TLS, set sslmode "disable" in the credentials',
  putClusterCA: 'put the certificate of that authority into the entry clusterCA of the credentials',
  correctEndpoint:
    'use a name of the certificate as endpoint in the credentials, or set sslmode "verify-ca" there',
  usePrimary: 'use the address of the primary in the credentials',
  allowInHba:
    'add a line for this user, database and address to pg_hba.conf, before any that rejects them, and reload the server',
  useTls: 'Or, if it asks for TLS, set sslmode "require" in the credentials',
  allowLogin: (statement: string) => `if the role exists, run: ${statement}`,
  raiseRoleLimit: 'raise the CONNECTION LIMIT of that role or database, or end its sessions',
  freeConnections: 'end sessions, or raise max_connections',
  addSpace: 'add space to its disk, or delete what is not needed there',
  addMemory: 'give it more memory, or raise the limit that it names',
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
