/**
 * The advice to users in errors of external systems. Tests follow each piece of advice on emulators and real servers
 * (docs/decisions/0059). The advice of the controllers is in the folders of the stacks.
 */
export const advice = {
  createRetainedAgain:
    'if a deleted resource retained it (Retain, Orphan), create one with the same kind and name',
  change: (places: readonly string[]) => `change ${places.join(' and ')}`,
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
  adopt: (consequence: string, statement: string) => `to adopt it${consequence}, run: ${statement}`,
  takeBack: (statement: string) =>
    `if its data is not of another team, set another spec.forProvider.owner and run: ${statement}`,
  nameByReference: (field: string) => `if it is meant, set ${field}: a name alone is not enough`,
  forgetUsers: (statement: string) =>
    `to use it, after which the passwords of its previous users do not work, run: ${statement}`,
  endHolder: (statement: string) => `once its data is safe, run in that database: ${statement}`,
  disableTls: 'to connect without TLS, set sslmode "disable" in the credentials',
  nameAnotherSchema: 'Name another schema, or install it by hand',
} as const;
