/**
 * The advice to users in errors of any external system, and of Vault. Tests follow each piece of advice on emulators and
 * real servers (docs/decisions/0059). The advice about one cloud or server is in the folder of its stack.
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
} as const;
