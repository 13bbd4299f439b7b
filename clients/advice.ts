/**
 * The advice to users in errors of any external system, of shared servers, and of Vault. Tests follow each piece of
 * advice on emulators and real servers (docs/decisions/0059). The advice about one cloud or server is in the folder of its
 * stack.
 */
export const advice = {
  createRetainedAgain:
    'if a deleted resource retained it (Retain, Orphan), create one with the same kind, name and claimRef',
  setOwnerTags: (tags: readonly string[]) =>
    `to hand it to this resource, with its data, set its tags (or labels) ${tags.join(' and ')}`,
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

  // Servers that many tenants share, such as database servers.
  mergeGrants: 'put all privileges there, and delete this one',
  matchVersion: (version: string) => `change it, or use a provider whose server runs ${version}`,
  dropUnmarked: (statement: string) => `to drop it with its data, run: ${statement}`,
  keepUnmarked: 'to keep it, set spec.deletionPolicy: Orphan',
  terminateSessions: 'to terminate them, set spec.forProvider.onDelete: TerminateSessions',
  handOver: (kind: string, whose: string, statement: string, freeIt = 'rename that one') =>
    `if another ${kind} took the name, ${freeIt}. To hand it to ${whose}, with all that it owns and may do, an administrator of the server runs: ${statement}`,
  dropHandedOver: (database: string, statement: string) =>
    `this resource is being deleted: the statement lets it drop database ${database} with all its data. To drop it, an administrator of the server runs: ${statement}`,
  chooseExternalName: 'choose another external name',
  adopt: (isForAnyClaim: boolean, consequence: string, statement: string) =>
    `${isForAnyClaim ? 'set spec.claimRef first, because the first claim that names this resource gets its data; ' : ''}to adopt it${consequence}, run: ${statement}`,
  adoptRole: (consequence: string, statement: string) =>
    `to adopt it, after which its password and attributes become those of this resource${consequence}, run: ${statement}`,
  nameByReference: (field: string) => `if it is meant, set ${field}: a name alone is not enough`,
  disableTls: 'to connect without TLS, set sslmode "disable" in the credentials',
  putClusterCA: 'put the certificate of that authority into the entry clusterCA of the credentials',
  correctEndpoint:
    'use a name of the certificate as endpoint in the credentials, or set sslmode "verify-ca" there',
  usePrimary: 'use the address of the primary in the credentials',
  useTls: 'Or, if it asks for TLS, set sslmode "require" in the credentials',
  freeConnections: 'end sessions, or raise max_connections',
  addSpace: 'add space to its disk, or delete what is not needed there',
  addMemory: 'give it more memory, or raise the limit that it names',
} as const;
