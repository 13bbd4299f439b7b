/** The reasons of the condition Ready of claims and managed resources. Stacks may use others. */
const readyReasons = [
  // While all is well.
  'Available',
  'Pending',
  'Creating',
  'Binding',
  'Deleting',
  // It works, or worked, and something about it fails.
  'AvailableWithTrouble',
  'Unavailable',
  // The claim has no class.
  'NoMatchingClass',
  'NoDefaultClass',
  'InvalidClassSelector',
  'AmbiguousClass',
  'ClassNotFound',
  'UnknownKind',
  // The claim cannot have the class or resource.
  'NamespaceNotAllowed',
  'Incompatible',
  'ResourceNotFound',
  'Released',
  'ClaimedByOther',
  'ControlledByOther',
  'ClaimRefIncomplete',
  'NotOffered',
  'StackBug',
  // The resource of the claim does not work.
  'ResourcePaused',
  'ResourceFailing',
  'ExternalResourceNotFound',
  'InvalidValue',
  'Conflict',
  'OtherSystem',
  // The API server refuses what the controllers write.
  'RequestRefused',
  // Secrets cannot be written.
  'SecretConflict',
  'NamespaceNotFound',
  'DependencyNotFound',
  'DependencyDeleting',
  'SecretsForbidden',
  'SecretsExcluded',
  'ObserveOnly',
] as const;

/** The reasons of a failure that can affect every resource of a provider. Providers, resources and claims show them. */
const providerReasons = [
  'CannotReadCredentials',
  'ProviderUnreachable',
  'CredentialsRefused',
  'Throttled',
  'QuotaExceeded',
  'Forbidden',
] as const;

export type ProviderReason = (typeof providerReasons)[number];
export type ReadyReason = (typeof readyReasons)[number] | ProviderReason;

/** All reasons of conditions that the controllers write. */
export const conditionReasons: readonly string[] = [
  ...readyReasons,
  ...providerReasons,
  ...['CredentialsAccepted', 'Unused'],
  ...['ReconcileSuccess', 'ReconcileError', 'ReconcilePaused'],
];
