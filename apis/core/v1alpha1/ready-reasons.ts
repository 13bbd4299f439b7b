/** The controllers try again by themselves, or a person must act, to end the state that a reason of Ready reports. */
type Actor = 'controllers' | 'person';

/** The reasons of the condition Ready of claims and managed resources. Stacks may use others. */
const readyReasons = {
  // While all is well.
  Available: 'controllers',
  Pending: 'controllers',
  Creating: 'controllers',
  Binding: 'controllers',
  Deleting: 'controllers',
  // It works, or worked, and something about it fails.
  AvailableWithTrouble: 'controllers',
  Unavailable: 'controllers',
  // The claim has no class.
  NoMatchingClass: 'person',
  NoDefaultClass: 'person',
  InvalidClassSelector: 'person',
  AmbiguousClass: 'person',
  ClassNotFound: 'person',
  UnknownKind: 'person',
  // The claim cannot have the class or resource.
  NamespaceNotAllowed: 'person',
  Incompatible: 'person',
  ResourceNotFound: 'person',
  Released: 'person',
  ClaimedByOther: 'person',
  ControlledByOther: 'person',
  ClaimRefIncomplete: 'person',
  NotOffered: 'person',
  StackBug: 'person',
  // The resource of the claim does not work.
  ResourcePaused: 'person',
  ResourceFailing: 'controllers',
  ExternalResourceNotFound: 'person',
  InvalidValue: 'person',
  Conflict: 'person',
  OtherSystem: 'person',
  // The API server refuses what the controllers write.
  RequestRefused: 'person',
  // Secrets cannot be written.
  SecretConflict: 'person',
  NamespaceNotFound: 'person',
  DependencyNotFound: 'person',
  DependencyDeleting: 'person',
  SecretsForbidden: 'person',
  SecretsExcluded: 'person',
  ObserveOnly: 'person',
} as const satisfies Readonly<Record<string, Actor>>;

/** The reasons of a failure that can affect every resource of a provider. Providers, resources and claims show them. */
const providerReasons = {
  CannotReadCredentials: 'person',
  ProviderUnreachable: 'controllers',
  CredentialsRefused: 'person',
  Throttled: 'controllers',
  QuotaExceeded: 'person',
  Forbidden: 'person',
} as const satisfies Readonly<Record<string, Actor>>;

export type ProviderReason = keyof typeof providerReasons;
export type ReadyReason = keyof typeof readyReasons | ProviderReason;

const actors = new Map<string, Actor>(Object.entries({ ...readyReasons, ...providerReasons }));

/** Whether the state that a reason of Ready reports lasts until a person acts. */
export const needsPerson = (reason: string): boolean => actors.get(reason) === 'person';

/** All reasons of conditions that the controllers write. */
export const conditionReasons: readonly string[] = [
  ...actors.keys(),
  ...['CredentialsAccepted', 'Unused'],
  ...['ReconcileSuccess', 'ReconcileError', 'ReconcilePaused'],
];
