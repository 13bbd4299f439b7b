/* `services-stack/stack`: the means to define stacks and external clients. */
export type { Claim } from '../apis/core/v1alpha1/claim.ts';
export type { Class } from '../apis/core/v1alpha1/class.ts';
export type { ReadyFacts } from '../apis/core/v1alpha1/condition.ts';
export {
  available,
  creating,
  deleting,
  notReady,
  outOfService,
  unavailable,
} from '../apis/core/v1alpha1/condition.ts';
export type { Kind, KubernetesObject, ObjectMeta } from '../apis/core/v1alpha1/kind.ts';
export type { Managed } from '../apis/core/v1alpha1/managed.ts';
export { wantsDetails } from '../apis/core/v1alpha1/managed.ts';
export { externalName, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
export type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
export type { DatabaseAccess } from '../clients/database-details.ts';
export { databaseDetails } from '../clients/database-details.ts';
export type { Advice, ErrorFacts, ExternalErrorClass, Holder } from '../clients/external-error.ts';
export { ExternalError } from '../clients/external-error.ts';
export type { Owner } from '../clients/ownership-tags.ts';
export {
  labelled,
  ownerNamedBy,
  ownershipOf,
  ownerTags,
  retagged,
} from '../clients/ownership-tags.ts';
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
export type { Change, NamedByCloud, Reported } from '../controllers/author/named-by-cloud.ts';
export { namedByCloud } from '../controllers/author/named-by-cloud.ts';
export type { NamedByUs, ObservedDatabase } from '../controllers/author/named-by-us.ts';
export { namedByUs } from '../controllers/author/named-by-us.ts';
export { withNeeded } from '../controllers/author/needed-fields.ts';
export { nothingThere, writtenNameProblem } from '../controllers/author/written-name.ts';
export type { GeneratedCredential } from '../controllers/credential.ts';
export { generatedPassword, urlSafeAlphabet } from '../controllers/credential.ts';
export type {
  Creation,
  Deletion,
  DesiredCredential,
  ExternalClient,
  ExternalConnector,
  Observation,
  Progress,
  PromptClient,
  Update,
} from '../controllers/managed/connecting/external-client.ts';
export { UncertainCreationError } from '../controllers/managed/connecting/external-client.ts';
export type {
  ProviderFacts,
  ProviderKinds,
  ProviderParameters,
} from '../controllers/provider/provider-credentials.ts';
export { providerFacts } from '../controllers/provider/provider-credentials.ts';
export type { Environment } from '../runtime/controller/environment.ts';
