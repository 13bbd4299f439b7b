import { incompleteTemplate } from '../../apis/core/v1alpha1/condition.ts';
import { wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isOwnedBy } from '../../controllers/claim/ownership.ts';
import { startsEmpty } from '../../controllers/claim/previous-resources.ts';
import { traceCommand } from './commands.ts';
import {
  createNamespace,
  moreRights,
  newCredentials,
  otherSystem,
  secretOutOfReach,
} from './credentials-remedy.ts';
import type { FaultRow } from './fault-row.ts';
import { credentialsKeyOf, thereOf } from './findings.ts';
import { controllersDown, idleness, leaderless } from './liveness.ts';
import { labelsOfClasses, noDefaultClass } from './no-class.ts';
import {
  anotherClaim,
  askAdministrator,
  choosePolicies,
  correctShape,
  creationMark,
  foreignFinalizers,
  giveBack,
  incompatibleResource,
  isFrozenCopy,
  lostMark,
  makeAvailable,
  missingClass,
  missingExternal,
  missingProvider,
  missingResource,
  nameAnotherSecret,
  nameTaken,
  refusalOf,
  refusedValue,
  replaceCopy,
  resume,
  stillUsed,
  takenName,
  unknownKind,
  waitingObject,
  wrongName,
} from './remedies.ts';
import type { Failure } from './signs.ts';
import {
  anyError,
  anyOf,
  binding,
  claimReason,
  first,
  inTheWay,
  isOfClass,
  lastError,
  missingExternalSign,
  noClass,
  unavailable,
  when,
} from './signs.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

const isAboutProvider = ({ error }: Failure): boolean => error?.advice?.includes('ChangeProvider') === true;

const allowNamespace =
  'Create a claim for another class or resource. Or ask an administrator whether this namespace should have this one. The administrator can change the namespaceSelector, or add its labels to the namespace. The labels open everything with the same selector to the namespace.';
const nameAnother = 'Name another resource in spec.resourceRef of the claim.';

const providerIsNeeded = ({ provider, providerName, theManaged }: View): boolean =>
  provider.is === 'absent' &&
  providerName !== undefined &&
  !(theManaged && wasDeleted(theManaged) && !hasFinalizer(theManaged, finalizerNames.managed));

/** A healthy paused resource is no fault for a claim that does not use it. */
const isPauseFelt = ({ theManaged, theClaim }: View): boolean =>
  !theManaged ||
  wasDeleted(theManaged) ||
  readyOf(theManaged).status !== 'True' ||
  theClaim === undefined ||
  theClaim.status?.bindingPhase === 'Bound';

const isClaim = ({ subject }: View): boolean => subject.known.sort === 'claim';

const publishesNothing = (view: View): boolean =>
  isClaim(view) &&
  view.theClaim?.spec.writeConnectionSecretToRef !== undefined &&
  view.theManaged !== undefined &&
  !wantsDetails(view.theManaged) &&
  readyOf(view.theManaged).status === 'True';

/** A restored manifest, for example, lacks the claimRef that the controllers wrote. */
const isBoundWithoutClaim = ({ theClaim, theManaged }: View): boolean =>
  theClaim?.status?.bindingPhase === 'Bound' && theManaged !== undefined && !isOwnedBy(theManaged, theClaim);

const reportBug =
  'The author of the stack has to correct its code. The log of the controllers has the stack trace.';

/** The message of a condition that reports a bug in the code of a stack. */
const bugOf = ({ status, message, error }: ReturnType<typeof syncedOf>): string | undefined =>
  status === 'False' && isOfClass(error, 'StackBug') ? message : undefined;

const isProgress = (reason = ''): boolean => ['Pending', 'Creating', 'Binding', 'Deleting'].includes(reason);

const isToStartEmpty = ({ theClaim }: View): boolean => theClaim !== undefined && startsEmpty(theClaim);

/** All faults. A fault that can cause another one comes first. */
export const faultTable: readonly FaultRow[] = [
  {
    name: 'controllers down',
    link: 'controllers',
    sign: idleness,
    cause: 'No controller handles this object: {message}.',
    details: controllersDown,
  },
  {
    name: 'malformed selector',
    link: 'class',
    sign: noClass('InvalidClassSelector'),
    cause: "The claim's selector is invalid: {message}.",
    commands: ['edit claim'],
  },
  { name: 'no match', link: 'class', sign: noClass('NoDefaultClass'), details: noDefaultClass },
  {
    name: 'no match',
    link: 'class',
    sign: noClass('NoMatchingClass'),
    commands: ['edit claim'],
    details: labelsOfClasses,
  },
  {
    name: 'incompatible',
    // The condition has the advice of the controller, too.
    sign: (view) =>
      binding('Incompatible')(view) && (claimReason('Incompatible')(view) ?? binding('Incompatible')(view)),
    details: incompatibleResource,
  },
  {
    name: 'namespace not allowed',
    sign: binding('ResourceForbidden'),
    advice: allowNamespace,
    commands: ['edit resource'],
  },
  {
    name: 'not offered',
    sign: binding('NotOffered'),
    advice:
      'Create a claim for a class or another resource. Or ask an administrator for the data of this one. The administrator names the claim in spec.claimRef of the resource, or sets its spec.namespaceSelector.',
    commands: ['edit resource'],
  },
  {
    name: 'namespace not allowed',
    link: 'class',
    sign: binding('ClassForbidden'),
    advice: allowNamespace,
    commands: ['edit class'],
  },
  {
    name: 'external name not allowed',
    link: 'claim',
    sign: binding('ExternalNameForbidden'),
    commands: ['edit claim'],
  },
  {
    name: 'invalid secret name',
    link: 'claim',
    sign: binding('SecretNameInvalid'),
    commands: ['edit claim'],
  },
  {
    name: 'unknown kind',
    link: 'class',
    sign: anyOf(binding('UnknownKind'), claimReason('UnknownKind')),
    details: unknownKind,
  },
  { name: 'missing class', link: 'class', sign: binding('ClassMissing'), details: missingClass },
  {
    name: 'missing class',
    link: 'class',
    sign: anyOf(noClass('ClassNotFound'), noClass('AmbiguousClass')),
    cause: 'spec.classRef does not name exactly one class: {message}.',
    commands: ['edit claim'],
  },
  {
    name: 'claimed by another',
    sign: anyOf(binding('ControlledByOther'), binding('ClaimedByOther')),
    advice: nameAnother,
    commands: ['edit claim'],
  },
  { name: 'claimRef incomplete', sign: binding('ClaimRefIncomplete'), commands: ['edit resource'] },
  {
    name: 'kept, and to start empty',
    sign: binding('Released', isToStartEmpty),
    commands: ['edit claim'],
  },
  {
    name: 'resource released',
    sign: binding('Released', (view) => !isToStartEmpty(view)),
    cause: 'spec.claimRef of {resource} has the UID of a claim that does not exist.',
    advice:
      'It may hold the data of a previous claim: ask the team of that claim first. Then an administrator can make it available to this claim, and to no other:',
    details: makeAvailable,
  },
  {
    name: 'kept',
    sign: binding('AwaitGiveBack'),
    advice: `To start empty, set the annotation ${annotationKeys.startEmpty}=true on the claim. If the claim has spec.resourceRef, create it again without that, and with the annotation. Or an administrator gives the resource back. Ask the team of the previous claim first, if the namespace may be of another team now:`,
    details: giveBack,
  },
  {
    name: 'deletion protected',
    sign: binding('DeletionProtected'),
    cause:
      'The claim is being deleted, and waits because its spec.deletionProtection is true. Until then its resource and its Secret stay.',
    advice:
      'The condition Ready of the claim shows what its end deletes, and the command that ends it. Kubernetes cannot undo the deletion.',
  },
  { name: 'missing resource', sign: binding('ResourceLost'), details: anotherClaim },
  { name: 'missing resource', sign: binding('ResourceMissing'), details: missingResource },
  {
    name: 'paused',
    sign: first('Paused', isPauseFelt),
    cause: '{resource} is paused: {message}.',
    details: resume,
  },
  {
    name: 'invalid policies',
    sign: first('UnsupportedPolicies'),
    cause: 'The controller does not handle {resource}: {message}.',
    advice: choosePolicies,
    commands: ['edit resource'],
  },
  {
    name: 'resource being deleted',
    sign: binding('ResourceDeleted'),
    cause: '{resource} is being deleted, and no claim can use it any more.',
    details: anotherClaim,
  },
  {
    name: 'leaked creation',
    link: 'external',
    sign: first('CreationIncomplete'),
    cause:
      'The controller began to create {resource}, and its result is not known. A second creation could make a duplicate.',
    details: creationMark,
  },
  {
    name: 'missing provider',
    link: 'provider',
    sign: when(providerIsNeeded),
    cause: '{provider} ({providerVersion}) does not exist. It names the external system and the credentials.',
    details: missingProvider,
  },
  {
    name: 'missing credentials',
    link: 'credentials',
    sign: when((view) => view.credentials?.secret.is === 'absent' && credentialsKeyOf(view) !== undefined),
    cause: 'The secret {secret} with the credentials of {provider} does not exist.',
    details: newCredentials,
  },
  {
    name: 'missing credentials',
    link: 'credentials',
    sign: ({ credentials, provider }) => {
      const keys = credentials && thereOf(credentials.secret)?.keys;
      const key = credentialsKeyOf({ provider })?.key;
      if (key === undefined || keys === undefined || keys.includes(key)) return undefined;
      return keys.length === 0 ? 'nothing' : keys.join(', ');
    },
    cause: 'The secret {secret} of {provider} has no value for the key "{key}"; it has {message}.',
    details: newCredentials,
  },
  {
    name: 'missing StoreConfig',
    sign: anyError('DependencyNotFound'),
    commands: ['edit resource'],
    details: wrongName,
  },
  {
    name: 'store token missing',
    sign: anyError('StoreTokenUnreadable'),
    advice:
      'Write the token into that Secret, or correct the StoreConfig. The controllers continue by themselves.',
    commands: ['edit store'],
  },
  {
    name: 'store failing',
    sign: anyError('StoreFailing'),
    advice:
      'Check the secret store, its StoreConfig, and its token. The controllers continue when it answers. To try again at once:',
    commands: ['retry resource', 'edit store'],
  },
  {
    name: 'dependency being deleted',
    // The users of a deleted provider are the row 'deletion waits'.
    sign: (view) => (stillUsed(view) === undefined ? anyError('DependencyDeleting')(view) : undefined),
    commands: ['edit resource'],
    details: wrongName,
  },
  {
    name: 'missing namespace',
    link: 'resource secret',
    sign: anyError('NamespaceNotFound'),
    cause: 'The Secret of {resource} cannot be written: {message}.',
    details: createNamespace,
  },
  {
    name: 'secret out of reach',
    link: 'claim secret',
    sign: anyError('SecretsForbidden', 'SecretsExcluded'),
    cause: 'The controllers cannot use a secret: {message}.',
    details: secretOutOfReach,
  },
  {
    name: 'other system',
    link: 'provider',
    sign: (view) => view.providerName && anyError('OtherSystem')(view),
    cause: '{provider} leads to another system now: {message}.',
    // Neither of the two fixes is a command: the wrong one recreates every resource in another system.
    commands: ['read provider'],
    details: otherSystem,
  },
  {
    name: 'refused by Kubernetes',
    sign: anyError('RequestRefused'),
    cause: 'The API server refuses what the controllers write: {message}.',
    advice:
      'A ResourceQuota, an admission webhook, a ValidatingAdmissionPolicy, a definition or RBAC refuses it. Change the one that the message names, or exempt the service account of the controllers. If the message names a class that lacks a field, correct the class. The controllers try again by themselves.',
  },
  {
    name: 'observing only',
    sign: anyError('ObserveOnly'),
    cause: 'The controllers change nothing in external systems: {message}.',
  },
  {
    name: 'renamed',
    link: 'external',
    sign: anyError('ExternalRenamed'),
    cause: 'The external resource of {resource} has another name now: {message}.',
    advice:
      'Name it back in the external system: the controllers then continue by themselves. To try again at once:',
    commands: ['retry resource'],
    details: takenName,
  },
  {
    name: 'nothing there',
    link: 'external',
    sign: missingExternalSign,
    cause: 'The external resource of {resource} does not exist: {message}.',
    details: missingExternal,
  },
  {
    name: 'unusable credentials',
    link: 'credentials',
    sign: lastError('unusable credentials'),
    cause: 'The credentials of {provider} cannot be used: {message}.',
    details: newCredentials,
  },
  {
    name: 'wrong credentials',
    link: 'provider',
    // AWS rejects a request for the wrong region with the same error as wrong credentials.
    sign: lastError('wrong credentials', isAboutProvider),
    cause: '{provider} signs requests for a region that rejects them: {message}.',
    commands: ['edit provider'],
  },
  {
    name: 'wrong credentials',
    link: 'credentials',
    sign: lastError('wrong credentials'),
    cause: 'The external system rejects the credentials of {provider}: {message}.',
    details: newCredentials,
  },
  {
    name: 'login refused',
    link: 'server',
    sign: lastError('login refused'),
    cause:
      'The rules of the external system keep the user of {provider} out, whatever the password: {message}.',
    advice: 'Change these rules. The controllers continue by themselves. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'no secure connection',
    link: 'server',
    sign: lastError('no secure connection'),
    cause: 'There is no secure connection to the external system of {provider}: {message}.',
    advice:
      'The network works. The controllers continue once the certificate is accepted. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'server exhausted',
    link: 'server',
    sign: lastError('server exhausted'),
    cause: 'The external system of {provider} has no room for this call: {message}.',
    advice: 'The controllers continue by themselves once there is room. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'server read-only',
    link: 'server',
    sign: lastError('server read-only'),
    cause: 'The external system of {provider} changes nothing: {message}.',
    advice: 'The controllers continue by themselves once it accepts changes. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'not allowed',
    link: 'credentials',
    sign: lastError('not allowed'),
    cause: 'The credentials of {provider} do not have the right for this action: {message}.',
    details: moreRights,
  },
  {
    name: 'provider down',
    link: 'server',
    sign: lastError('provider down'),
    cause: 'The external system of {provider} does not answer correctly: {message}.',
    advice:
      'Check the network, and the address in the credentials. The controllers continue once it answers. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'rate limited',
    link: 'server',
    sign: lastError('rate limited'),
    cause: 'The external system of {provider} limits requests: {message}.',
    advice:
      'The controllers try again by themselves. With --max-external-calls-per-second they send fewer requests.',
  },
  {
    name: 'quota',
    link: 'server',
    sign: lastError('quota'),
    cause: 'The quota of {provider} in the external system is used up: {message}.',
    advice:
      'Have the quota raised, or delete external resources that are not needed. To try again at once afterwards:',
    commands: ['retry resource'],
  },
  {
    name: 'in the way',
    link: 'external',
    sign: inTheWay,
    cause:
      'Something else in the external system is in the way of the external resource of {resource}: {message}.',
    advice:
      'The external resource exists, so that another name has no effect. Do what the message says: that needs an administrator of the external system. The controllers continue by themselves. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'name taken',
    link: 'external',
    sign: lastError('name taken'),
    cause: 'The external system has another resource with this name: {message}.',
    commands: ['edit resource'],
    details: nameTaken,
  },
  {
    name: 'mark lost',
    link: 'external',
    sign: lastError('mark lost'),
    cause: 'The external resource of {resource} does not carry its mark: {message}.',
    advice:
      'Find out who changed the mark, and which resource should have it. Only an administrator of the external system can write it. The controllers continue by themselves. To try again at once:',
    commands: ['retry resource'],
    details: lostMark,
  },
  {
    name: 'not ready',
    link: 'external',
    sign: lastError('not ready'),
    cause: 'The external system cannot carry out the request now: {message}.',
    advice: 'The controllers try again by themselves, and continue once that ends. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'out of service',
    link: 'external',
    sign: anyOf(lastError('out of service'), unavailable('OutOfService')),
    cause: 'The external resource of {resource} does not work, and only a person can change that: {message}.',
    advice:
      'Start, repair or restore it in the external system. If it is lost, save its backups before you delete the resource. To observe it again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'no effect',
    link: 'external',
    sign: lastError('no effect'),
    cause: 'The controllers make the same call for {resource} again and again: {message}.',
    advice: 'The controllers try again by themselves, and continue once they see it. To try again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'refused',
    link: 'provider',
    // For example a project that does not exist.
    sign: lastError('refused', isAboutProvider),
    cause: 'The external system refuses the requests of {provider}: {message}.',
    commands: ['edit provider'],
  },
  {
    name: 'refused',
    link: 'external',
    sign: lastError('refused'),
    cause: 'The external system refuses the request: {message}.',
    details: refusedValue,
  },
  {
    name: 'provider not ready',
    link: 'server',
    sign: (view) => {
      const { status, reason = '', message = reason } = readyOf(thereOf(view.provider));
      return view.subject.known.sort === 'provider' && status === 'False' ? message : undefined;
    },
    cause: '{provider} is not ready: {message}.',
    details: (view, message) =>
      ['CredentialsRefused', 'CannotReadCredentials'].includes(readyOf(thereOf(view.provider)).reason ?? '')
        ? { link: 'credentials', ...newCredentials(view, message) }
        : {},
  },
  {
    name: 'secret conflict',
    link: 'resource secret',
    sign: ({ source, theManaged }) => refusalOf(source, theManaged),
    cause: '{resource} cannot publish its connection details: {message} (secret {sourceSecret}).',
    commands: ['edit resource'],
    details: ({ source }) => ({ advice: nameAnotherSecret(source) }),
  },
  {
    name: 'secret conflict',
    link: 'claim secret',
    sign: (view) => (isClaim(view) ? refusalOf(view.target, view.theClaim) : undefined),
    cause: "The claim's Secret cannot be written: {message} (secret {targetSecret}).",
    commands: ['edit claim'],
    details: ({ target }) => ({ advice: nameAnotherSecret(target) }),
  },
  {
    name: 'immutable secret',
    link: 'claim secret',
    sign: when((view) => isClaim(view) && isFrozenCopy(view)),
    cause: 'Secret {targetSecret} is immutable, and differs from the Secret of {resource}.',
    details: replaceCopy,
  },
  {
    name: 'template incomplete',
    link: 'claim secret',
    sign: (view) => {
      const { reason, message } = syncedOf(view.theClaim);
      return isClaim(view) && reason === incompleteTemplate ? message : undefined;
    },
    cause: "A part of the template is missing in the claim's Secret: {message}.",
    advice: 'All other entries are written.',
    details: correctShape,
  },
  {
    name: 'deletion waits',
    sign: foreignFinalizers,
    cause: '{subject} is being deleted, and finalizers of another product hold it: {message}.',
    advice:
      'The product that set them removes them. If that product is no longer installed, remove them by hand.',
    details: waitingObject,
  },
  {
    name: 'deletion waits',
    link: 'users',
    sign: stillUsed,
    cause: '{subject} is being deleted: {message}.',
    advice:
      'If you delete one of them, its external resource is deleted too, with its data, unless its policies keep it.',
  },
  {
    name: 'bug in the stack',
    sign: ({ theManaged }) => bugOf(syncedOf(theManaged)),
    cause: 'The controller of {resource} met a {message}.',
    advice: `${reportBug} The controller tries again by itself. To try again at once:`,
    commands: ['retry resource'],
  },
  {
    name: 'bug in the stack',
    link: 'claim',
    sign: (view) =>
      isClaim(view) && view.managed.is !== 'withheld' ? bugOf(readyOf(view.theClaim)) : undefined,
    cause: 'The controller of the claim met a {message}.',
    advice: `${reportBug} The controller tries again by itself.`,
  },
  {
    name: 'no secret',
    link: 'resource secret',
    sign: when(publishesNothing),
    cause: 'The claim wants a secret, and {resource} publishes none.',
    advice:
      'Ask first whether namespace {namespace} should have the secret: without spec.namespaceSelector a claim of any namespace can have the resource. Then set its spec.writeConnectionSecretToRef, in a namespace that only administrators can read.',
    commands: ['edit resource'],
  },
  {
    name: 'failing',
    sign: ({ theManaged }) => {
      const { status, reason = '', message = reason } = syncedOf(theManaged);
      return status === 'False' && reason !== 'ReconcilePaused' ? message : undefined;
    },
    cause: 'The controller of {resource} reports a failure: {message}.',
    advice: 'The controller tries again by itself, and at once after an edit.',
    commands: ['edit resource'],
  },
  {
    name: 'failing',
    link: 'external',
    sign: unavailable(undefined),
    cause: 'The external system reports that {resource} does not work: {message}.',
    advice: 'Look there. The controllers continue once it works. To observe it again at once:',
    commands: ['retry resource'],
  },
  {
    name: 'failing',
    link: 'claim',
    sign: (view) => {
      const [synced, ready] = [syncedOf(view.theClaim), readyOf(view.theClaim)];
      const isReported = ready.status === 'False' && !isProgress(ready.reason);
      const shown = [...(synced.status === 'False' ? [synced] : []), ...(isReported ? [ready] : [])];
      return isClaim(view) && view.managed.is !== 'withheld' ? shown[0]?.message : undefined;
    },
    advice: 'The controller tries again by itself, and at once after an edit.',
    commands: ['edit claim'],
  },
  {
    name: 'reported by the claim',
    sign: (view) => {
      const { status, message } = readyOf(view.theClaim);
      return isClaim(view) && view.managed.is === 'withheld' && status === 'False' ? message : undefined;
    },
    details: askAdministrator,
  },
  {
    name: 'secret out of date',
    link: 'claim secret',
    sign: when((view) => isClaim(view) && isBoundWithoutClaim(view)),
    cause: "The claim's Secret is not updated: {resource} does not name the claim in spec.claimRef.",
    advice:
      'Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of {resource} can see more:',
    details: ({ theManaged }) => ({
      commands: [
        traceCommand({
          apiVersion: theManaged?.apiVersion,
          kind: theManaged?.kind,
          name: theManaged?.metadata.name,
        }),
      ],
    }),
  },
  {
    name: 'controllers down',
    link: 'controllers',
    sign: leaderless,
    cause: 'No controller continues: {message}.',
    details: controllersDown,
  },
];
