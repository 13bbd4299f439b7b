/* `services-stack/stack`: the means to define stacks and external clients. */
export { advice as coreAdvice } from '../apis/core/v1alpha1/advice.ts';
export type { Claim } from '../apis/core/v1alpha1/claim.ts';
export type { Class } from '../apis/core/v1alpha1/class.ts';
export type { ReadyFacts } from '../apis/core/v1alpha1/condition.ts';
export {
  available,
  creating,
  deleting,
  notReady,
  outOfService,
  renamed,
  unavailable,
} from '../apis/core/v1alpha1/condition.ts';
export type { Kind, KubernetesObject, ObjectMeta } from '../apis/core/v1alpha1/kind.ts';
export type { Managed } from '../apis/core/v1alpha1/managed.ts';
export { wantsDetails } from '../apis/core/v1alpha1/managed.ts';
export { annotationKeys, externalName, nameOf, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
export type { SystemFacts } from '../apis/core/v1alpha1/provider.ts';
export { describeReference } from '../apis/core/v1alpha1/reference.ts';
export type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
export { advice as clientAdvice } from '../clients/advice.ts';
export type { PooledConnection } from '../clients/bounded-connections.ts';
export type { DatabaseAccess } from '../clients/database-details.ts';
export { databaseDetails } from '../clients/database-details.ts';
export type { Advice, ErrorFacts, ExternalErrorClass, Holder } from '../clients/external-error.ts';
export { ChangeRefused, changing, ExternalError, invalid } from '../clients/external-error.ts';
export type { Adoption, Remedies } from '../clients/not-ours.ts';
export { notOurs } from '../clients/not-ours.ts';
export { ownerDigest } from '../clients/owner-digest.ts';
export type { Owner } from '../clients/ownership-tags.ts';
export {
  isOwnerTag,
  labelled,
  labelText,
  ownerNamedBy,
  ownershipOf,
  ownerTags,
  retagged,
  withoutOwner,
} from '../clients/ownership-tags.ts';
export type { RedisAccess } from '../clients/redis-details.ts';
export { redisDetails } from '../clients/redis-details.ts';
export type { Login, ServerCredentials, SslMode } from '../clients/server-credentials.ts';
export {
  oneOfEntry,
  parseServerCredentials,
  serverDetails,
  tlsOptions,
} from '../clients/server-credentials.ts';
export type { ServerErrorOptions } from '../clients/server-error.ts';
export { codeOf, networkReason, ServerError } from '../clients/server-error.ts';
export type { ServerOptions, SharedConnections } from '../clients/shared-connections.ts';
export { sessionDefaults, sharedConnections } from '../clients/shared-connections.ts';
export { counted, escaped, hasUnprintable, quoted } from '../clients/text.ts';
export type { AccountsOn, MarkedAccounts } from '../controllers/author/account-on.ts';
export { accountOn } from '../controllers/author/account-on.ts';
export type { AccountPassword, Accounts } from '../controllers/author/account-password.ts';
export { accountPassword, isLockedOut, refusesPassword } from '../controllers/author/account-password.ts';
export type { Candidate } from '../controllers/author/check-ownership.ts';
export { checkOwnership, ownedByAnother, ownerOf } from '../controllers/author/check-ownership.ts';
export type { CloudClientOptions, OwnCredentials, SystemOf } from '../controllers/author/cloud-clients.ts';
export { cloudClients } from '../controllers/author/cloud-clients.ts';
export type { CloudStates } from '../controllers/author/cloud-state.ts';
export { meaningOf } from '../controllers/author/cloud-state.ts';
export type {
  Actual,
  Compare,
  Comparison,
  FieldRule,
  FieldRules,
  Wanted,
} from '../controllers/author/comparison.ts';
export {
  comparison,
  inAnyCase,
  inAnyOrder,
  notNow,
  observing,
  refuse,
} from '../controllers/author/comparison.ts';
export { contradiction } from '../controllers/author/contradiction.ts';
export type {
  Connect,
  Connection,
  DefinedStack,
  FieldReference,
  Satisfied,
  Service,
  ServiceDefinition,
  StackDefinition,
  StackProvider,
} from '../controllers/author/define-stack.ts';
export { defineStack, satisfies, service } from '../controllers/author/define-stack.ts';
export type { GrantActs } from '../controllers/author/grants.ts';
export { grantClient, referencedOwners } from '../controllers/author/grants.ts';
export { labelsNamed, withParameter } from '../controllers/author/label-tags.ts';
export type { HolderOf, MarkHolder } from '../controllers/author/mark-holders.ts';
export { markHolders } from '../controllers/author/mark-holders.ts';
export type { MarkedKind, Ownership } from '../controllers/author/marked.ts';
export {
  databaseAdoption,
  observedTaken,
  ownAccountAdoption,
  ownershipByMark,
  waitingForSessions,
  wasOurs,
} from '../controllers/author/marked.ts';
export type { Change, NamedByCloud, Reported } from '../controllers/author/named-by-cloud.ts';
export { namedByCloud } from '../controllers/author/named-by-cloud.ts';
export type { ManagedDatabase, NamedByUs, ObservedDatabase } from '../controllers/author/named-by-us.ts';
export { namedByUs } from '../controllers/author/named-by-us.ts';
export { neededFields, withNeeded } from '../controllers/author/needed-fields.ts';
export { ownerIdOf, resourceId } from '../controllers/author/owner-id.ts';
export type { PasswordChecks } from '../controllers/author/password-checks.ts';
export { createPasswordChecks } from '../controllers/author/password-checks.ts';
export { mayBeRenamed } from '../controllers/author/renamed.ts';
export type { RivalFinder } from '../controllers/author/rivals.ts';
export { rivalFinder } from '../controllers/author/rivals.ts';
export type { ServerSurvey } from '../controllers/author/server-survey.ts';
export { noSurvey, serverSurvey } from '../controllers/author/server-survey.ts';
export type { SharedServer, SurveyOptions } from '../controllers/author/shared-servers.ts';
export { sharedServers } from '../controllers/author/shared-servers.ts';
export {
  Ambiguous,
  leftBy,
  nothingOf,
  nothingThere,
  writtenNameProblem,
} from '../controllers/author/written-name.ts';
export type { GeneratedCredential } from '../controllers/credential.ts';
export { generatedPassword, urlSafeAlphabet } from '../controllers/credential.ts';
export { nameInUse } from '../controllers/external-identity.ts';
export type {
  Creation,
  Deletion,
  DesiredCredential,
  ExternalClient,
  ExternalConnector,
  Observation,
  OperationType,
  PollingClient,
  Progress,
  PromptClient,
  ReportedStatus,
  Update,
} from '../controllers/managed/connecting/external-client.ts';
export { UncertainCreationError } from '../controllers/managed/connecting/external-client.ts';
export { isObserver, shouldCreate, shouldDelete, shouldUpdate } from '../controllers/management-policies.ts';
export { isNameFixed, withNameAdvice } from '../controllers/name-advice.ts';
export { heldCredentials } from '../controllers/provider/credential-sources.ts';
export { providerOf } from '../controllers/provider/provider-choice.ts';
export type {
  ProviderFacts,
  ProviderKinds,
  ProviderParameters,
} from '../controllers/provider/provider-credentials.ts';
export { providerFacts, providerFinder } from '../controllers/provider/provider-credentials.ts';
export { lostReferenceFinder } from '../controllers/references/lost-references.ts';
export { boundedCache } from '../runtime/bounded-cache.ts';
export { annotate, isInterrupted, messageOf } from '../runtime/client/errors.ts';
export type { Environment } from '../runtime/controller/environment.ts';
export type { EventFacts } from '../runtime/events/event-facts.ts';
export { normal, warning } from '../runtime/events/event-facts.ts';
export type { Random } from '../runtime/time/random.ts';
export { firstInFirstOut, turnsByGroup } from '../runtime/time/turns-by-group.ts';
