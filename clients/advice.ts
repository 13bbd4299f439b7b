/**
 * The advice to users in errors of external systems. Tests follow each piece of advice on emulators and real servers
 * (docs/decisions/0059). The advice of the controllers is in the folders of the stacks.
 */
export const advice = {
  createRetainedAgain:
    'if a deleted resource retained it (Retain, Orphan), create one with the same kind, name and claimRef',
  change: (places: readonly string[]) => `change ${places.join(' and ')}`,
  trustAuthority:
    'name a file with the certificate of that authority in NODE_EXTRA_CA_CERTS of the controllers',
  renewCertificate: 'give the server a certificate that is valid for the name by which it is reached',
  putCaBundle: 'put the certificate of that authority into spec.vault.caBundle of the StoreConfig',
  correctUrl: 'check the port, and whether its URL must begin with http:',

  // Vault.
  unsealVault: 'run: vault operator unseal',
  enableVersioning: (mount: string) => `run: vault kv enable-versioning ${mount}`,
  correctMount: 'correct spec.vault.mountPath of the StoreConfig',
  enableEngine: (mount: string) => `run: vault secrets enable -path=${mount} kv-v2`,

  // AWS.
  correctAccessKey:
    'check the access key in the credentials of the provider, and the region (spec.forProvider.region, or that of the provider): the account must have enabled it',
  allowAction: (action: string) => `the IAM policies of the credentials must allow ${action}`,
  raiseQuota: 'delete unused resources, or ask AWS for a higher quota',
  changeRegion:
    'the credentials work in another region: change spec.forProvider.region, or enable that region for the account',
  correctRegion: 'check spec.forProvider.region',

  // Google Cloud.
  replaceKey: "put a valid key of that service account into the provider's secret",
  correctProject: 'check spec.projectID of the ProviderConfig',

  // PostgreSQL.
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
