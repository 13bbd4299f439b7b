/**
 * The person or program that ends the state of a reason of Ready:
 * - `controllers`: they try again by themselves.
 * - `platform`: an administrator of the controllers, of the cluster or of the external system.
 * - `author`: the author of the claim, also if its managed resource reports the reason. An administrator cannot end it
 *   without an edit of what belongs to the author.
 * - `namespace`: the owner of the object's namespace: the author of a claim, the administrator of a managed resource.
 */
type Actor = 'controllers' | 'platform' | 'author' | 'namespace';

/** The reasons of the condition Ready of claims and managed resources. Stacks may use others. */
const readyReasons = {
  // Nothing fails.
  Available: 'controllers',
  Pending: 'controllers',
  Creating: 'controllers',
  Binding: 'controllers',
  Deleting: 'controllers',
  // It works, or worked, and something about it fails.
  AvailableWithTrouble: 'controllers',
  Unavailable: 'controllers',
  // The claim has no class.
  NoMatchingClass: 'author',
  NoDefaultClass: 'author',
  InvalidClassSelector: 'author',
  AmbiguousClass: 'author',
  ClassNotFound: 'author',
  UnknownKind: 'author',
  // The claim cannot have the class or resource.
  NamespaceNotAllowed: 'author',
  ExternalNameNotAllowed: 'author',
  Incompatible: 'author',
  ResourceNotFound: 'author',
  Released: 'author',
  KeptResourceExists: 'author',
  DeletionProtected: 'author',
  ClaimedByOther: 'author',
  ControlledByOther: 'author',
  ClaimRefIncomplete: 'platform',
  NotOffered: 'author',
  StackBug: 'platform',
  // The resource of the claim does not work.
  ResourcePaused: 'platform',
  ResourceFailing: 'controllers',
  ExternalResourceNotFound: 'platform',
  ExternalResourceRenamed: 'platform',
  MarkLost: 'platform',
  InvalidValue: 'author',
  Conflict: 'author',
  OutOfService: 'platform',
  NoEffect: 'platform',
  OtherSystem: 'platform',
  // The API server refuses what the controllers write.
  RequestRefused: 'platform',
  // Secrets cannot be written.
  SecretConflict: 'namespace',
  NamespaceNotFound: 'platform',
  DependencyNotFound: 'platform',
  DependencyDeleting: 'platform',
  SecretsForbidden: 'platform',
  SecretsExcluded: 'platform',
  SecretNotPublished: 'platform',
  TemplateIncomplete: 'author',
  CredentialCannotChange: 'platform',
  ObserveOnly: 'platform',
} as const satisfies Readonly<Record<string, Actor>>;

/** The reasons of a failure that can affect every resource of a provider. Providers, resources and claims show them. */
const providerReasons = {
  CannotReadCredentials: 'platform',
  ProviderUnreachable: 'controllers',
  TlsFailed: 'platform',
  ServerExhausted: 'controllers',
  ServerReadOnly: 'platform',
  LoginRefused: 'platform',
  CredentialsRefused: 'platform',
  Throttled: 'controllers',
  QuotaExceeded: 'platform',
  Forbidden: 'platform',
} as const satisfies Readonly<Record<string, Actor>>;

export type ProviderReason = keyof typeof providerReasons;
export type ReadyReason = keyof typeof readyReasons | ProviderReason;

const actors = new Map<string, Actor>(Object.entries({ ...readyReasons, ...providerReasons }));

/** Whether the state that a reason of Ready reports lasts until a person acts. */
export const needsPerson = (reason: string): boolean =>
  (actors.get(reason) ?? 'controllers') !== 'controllers';

/** A claim, a managed resource of a claim, or a managed resource that no claim has. */
export type Reporter = 'claim' | 'claimed resource' | 'unclaimed resource';

export type WaitsFor = Exclude<Actor, 'namespace'>;

/** For whom an object with this reason of Ready waits. A reason of a stack or of another program counts as `controllers`. */
export function waitsFor(reason: string, reporter: Reporter): WaitsFor {
  const actor = actors.get(reason) ?? 'controllers';
  if (actor === 'author') return reporter === 'unclaimed resource' ? 'platform' : 'author';
  if (actor === 'namespace') return reporter === 'claim' ? 'author' : 'platform';
  return actor;
}

/** All reasons of conditions that the controllers write. */
export const conditionReasons: readonly string[] = [
  ...actors.keys(),
  ...['CredentialsAccepted', 'Unused'],
  ...['ReconcileSuccess', 'ReconcileError', 'ReconcilePaused'],
  ...['CreationAccepted', 'UpdateAccepted', 'DeletionAccepted'],
];
