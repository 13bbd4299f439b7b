import { annotationKeys, finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { wasProvisioned } from '../../controllers/core/claim/ownership.ts';
import {
  claimedByOther,
  deletedResource,
  incompatibleChoice,
  incompatibleResource,
  lostResource,
  makeAvailable,
  missingClass,
  missingResource,
  unknownKind,
} from './claim-remedies.ts';
import { annotate, making, traceCommand } from './commands.ts';
import { credentialsKeyOf } from './credentials-key.ts';
import {
  askForOther,
  forbiddenByProvider,
  newCredentials,
  otherSystem,
  secretOutOfReach,
} from './credentials-remedy.ts';
import { isOneOf, keyOf, meantIn } from './fault-parts.ts';
import type { FaultRow } from './fault-row.ts';
import { thereOf } from './findings.ts';
import { nameTaken } from './holding.ts';
import { controllersDown, idleness } from './liveness.ts';
import { nearestClass, noDefaultClass } from './near-miss.ts';
import {
  choosePolicies,
  creationMark,
  foreignFinalizers,
  missingExternal,
  missingReference,
  resume,
  stillUsed,
  usersRemedy,
  waitingObject,
} from './resource-remedies.ts';
import {
  anotherSecret,
  isImmutableCopy,
  publishElsewhere,
  refusalOf,
  replaceCopy,
} from './secret-remedies.ts';
import {
  anyError,
  anyOf,
  binding,
  claimReason,
  credential,
  first,
  lastError,
  missingExternalSign,
  when,
} from './signs.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

const allowNamespace =
  'Create a claim for another class or resource. Or ask an administrator whether this namespace should have this one. The administrator can change the namespaceSelector, or add its labels to the namespace. The labels open everything with the same selector to the namespace.';

const isUndecided = ({ theClaim, binding: decision }: View): boolean =>
  theClaim !== undefined &&
  theClaim.spec.classRef === undefined &&
  theClaim.spec.resourceRef === undefined &&
  !wasDeleted(theClaim) &&
  decision?.name !== 'RecordName';

const hasNoMatch = (view: View, by: 'selector' | 'default'): boolean => {
  const { choice, theClaim } = view;
  if (choice?.by !== by || !isUndecided(view)) return false;
  const reason = readyOf(theClaim).reason ?? '';
  return choice.matching === undefined
    ? isOneOf(reason, ['NoMatchingClass', 'NoDefaultClass'])
    : choice.matching.length === 0;
};

const isChoiceRefused = ({ assignment, theClaim }: View): boolean =>
  theClaim !== undefined && assignment?.act === 'report';

const providerIsNeeded = ({ provider, providerName, theManaged }: View): boolean =>
  provider.is === 'absent' &&
  providerName !== undefined &&
  !(theManaged && wasDeleted(theManaged) && !hasFinalizer(theManaged, finalizerNames.managed));

/** The credentials Secret, if it was read and its entry is looked for. */
const secretKeys = ({ credentials, provider }: View) => {
  const secret = credentials && thereOf(credentials.secret);
  const key = credentialsKeyOf(thereOf(provider))?.key;
  return secret && key !== undefined ? { key, ...secret } : undefined;
};

/** A healthy paused resource is no fault for a claim that does not use it. */
const isPauseFelt = ({ theManaged, theClaim }: View): boolean =>
  !theManaged ||
  wasDeleted(theManaged) ||
  readyOf(theManaged).status !== 'True' ||
  theClaim === undefined ||
  theClaim.status?.bindingPhase === 'Bound';

const providerReport = (view: View) => {
  const ready = readyOf(thereOf(view.provider));
  return view.subject.known.sort === 'provider' && ready.status === 'False' ? ready : undefined;
};

/** Whether a person other than the claim's author decided that the claim may have the resource. */
const isConsented = ({ theManaged }: View): boolean =>
  theManaged !== undefined && (theManaged.spec.namespaceSelector !== undefined || wasProvisioned(theManaged));

const publishesNothing = ({ subject, theClaim, theManaged }: View): boolean =>
  subject.known.sort === 'claim' &&
  theClaim?.spec.writeConnectionSecretToRef !== undefined &&
  theManaged !== undefined &&
  theManaged.spec.writeConnectionSecretToRef === undefined &&
  readyOf(theManaged).status === 'True';

const propagationRefusal = ({ decided, subject, theClaim, theManaged, binding: decision }: View) =>
  subject.known.sort === 'claim' &&
  theClaim !== undefined &&
  !wasDeleted(theClaim) &&
  theManaged !== undefined &&
  // In this case binding writes the consent in its next run.
  decision?.name !== 'CopySecret'
    ? decided?.propagation?.message
    : undefined;

/** The message of the claim's Ready condition if it is a problem, or if nothing else can be read. */
const claimReport = (isHidden: boolean) => (view: View) => {
  const { theClaim, managed, subject } = view;
  const { status, message, reason = '' } = readyOf(theClaim);
  if (subject.known.sort !== 'claim' || status !== 'False' || (managed.is === 'withheld') !== isHidden)
    return undefined;
  return !isHidden && isOneOf(reason, ['Pending', 'Creating', 'Binding', 'Deleting']) ? undefined : message;
};

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
    link: 'choice',
    sign: (view) =>
      view.choice?.isMalformed === true && view.theClaim?.spec.classRef === undefined
        ? view.assignment?.act === 'report'
          ? view.assignment.message
          : (readyOf(view.theClaim).message ?? 'spec.classSelector is malformed')
        : undefined,
    cause: "The claim's selector is invalid: {message}.",
    commands: ['edit claim'],
  },
  {
    name: 'no match',
    link: 'choice',
    sign: when((view) => hasNoMatch(view, 'default')),
    cause: 'The claim names no class, and no class is the default.',
    commands: ['edit claim'],
    details: noDefaultClass,
  },
  {
    name: 'no match',
    link: 'choice',
    sign: when((view) => hasNoMatch(view, 'selector')),
    cause: 'No class matches {selector}{count}.',
    details: nearestClass,
  },
  {
    name: 'incompatible',
    link: 'resource',
    sign: binding('Incompatible'),
    cause: '{message}.',
    details: incompatibleResource,
  },
  {
    name: 'incompatible',
    link: 'choice',
    sign: incompatibleChoice(isChoiceRefused),
    cause: 'Of the classes that match, none can serve the claim: {message}.',
    advice:
      'Change the claim to an engine and version that a class has. Or ask an administrator for a class that has them.',
    commands: ['edit claim'],
  },
  {
    name: 'namespace not allowed',
    link: 'resource',
    sign: binding('ResourceForbidden'),
    cause: '{message}.',
    advice: allowNamespace,
    commands: ['edit resource'],
  },
  {
    name: 'namespace not allowed',
    link: 'resource',
    sign: binding('NotOffered'),
    cause: '{message}.',
    advice: 'Or create a claim for another resource.',
    commands: ['edit resource'],
  },
  {
    name: 'namespace not allowed',
    link: 'class',
    sign: binding('ClassForbidden'),
    cause: '{message}.',
    advice: allowNamespace,
    commands: ['edit class'],
  },
  {
    name: 'namespace not allowed',
    link: 'choice',
    sign: when(
      (view) =>
        isChoiceRefused(view) && (view.choice?.forbidden ?? 0) > 0 && !view.choice?.incompatible?.length,
    ),
    cause: 'Of the classes that match, none may be claimed from namespace {namespace}.',
    advice: allowNamespace,
    commands: ['edit claim'],
  },
  {
    name: 'namespace not allowed',
    link: 'claim',
    sign: (view) => (view.binding ? undefined : claimReason('NamespaceNotAllowed')(view)),
    cause: '{message}.',
    advice: allowNamespace,
    commands: ['edit claim'],
  },
  {
    name: 'unknown kind',
    link: 'class',
    sign: anyOf(binding('UnknownKind'), claimReason('UnknownKind')),
    cause: '{message}.',
    details: unknownKind,
  },
  {
    name: 'missing class',
    link: 'class',
    sign: binding('ClassMissing'),
    cause: 'The claim names {classRef}, which does not exist.',
    details: missingClass,
  },
  {
    name: 'claimed by another',
    link: 'resource',
    sign: binding('ControlledByOther'),
    cause: '{message}.',
    advice: 'Name another resource in spec.resourceRef of the claim.',
    commands: ['edit claim'],
  },
  {
    name: 'claimed by another',
    link: 'resource',
    sign: binding('ClaimedByOther'),
    cause: '{resource} is claimed by {owner}.',
    commands: ['edit claim'],
    details: claimedByOther,
  },
  {
    name: 'claimRef incomplete',
    link: 'resource',
    sign: binding('ClaimRefIncomplete'),
    cause: '{message}.',
    commands: ['edit resource'],
  },
  {
    name: 'resource released',
    link: 'resource',
    sign: binding('Released'),
    cause: 'A previous claim released {resource}, and no administrator has made it available again.',
    advice:
      'It may hold the data of its previous claim: ask the team of that claim first. Then an administrator can make it available to this claim, and to no other:',
    details: makeAvailable,
  },
  {
    name: 'missing resource',
    link: 'resource',
    sign: binding('ResourceLost'),
    cause: 'The claim was bound to {resourceRef}, which no longer exists.',
    details: lostResource,
  },
  {
    name: 'missing resource',
    link: 'resource',
    sign: binding('ResourceMissing'),
    cause: '{message}.',
    details: missingResource,
  },
  {
    name: 'paused',
    link: 'resource',
    sign: first('Paused', isPauseFelt),
    cause: '{resource} is paused: {message}.',
    details: resume,
  },
  {
    name: 'invalid policies',
    link: 'resource',
    sign: first('UnsupportedPolicies'),
    cause: 'The controller does not handle {resource}: {message}.',
    advice: choosePolicies,
    commands: ['edit resource'],
  },
  {
    name: 'resource being deleted',
    link: 'resource',
    sign: binding('ResourceDeleted'),
    cause: '{resource} is being deleted, and no claim can use it any more.',
    details: deletedResource,
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
    details: (view) => {
      const { advice, commands } = making(view.providerName ?? {});
      return { advice: [meantIn(view), advice].filter(Boolean).join(' '), commands };
    },
  },
  {
    name: 'missing credentials',
    link: 'credentials',
    sign: when(
      ({ credentials, provider }) =>
        credentials?.secret.is === 'absent' && credentialsKeyOf(thereOf(provider)) !== undefined,
    ),
    cause: 'The secret {secret} with the credentials of {provider} does not exist.',
    details: newCredentials,
  },
  {
    name: 'missing credentials',
    link: 'credentials',
    sign: (view) => {
      const { key, keys } = secretKeys(view) ?? {};
      if (key === undefined || keys === undefined || keys.includes(key)) return undefined;
      return keys.length === 0 ? 'nothing' : keys.join(', ');
    },
    cause: 'The secret {secret} of {provider} has no key "{key}"; it has {message}.',
    details: newCredentials,
  },
  {
    name: 'missing credentials',
    link: 'credentials',
    sign: when((view) => {
      const { key, emptyKeys = [] } = secretKeys(view) ?? {};
      return key !== undefined && emptyKeys.includes(key);
    }),
    cause: 'The key "{key}" of the secret {secret} of {provider} is empty.',
    details: newCredentials,
  },
  {
    name: 'unresolved reference',
    link: 'references',
    sign: ({ unresolved, theManaged }) =>
      theManaged && !wasDeleted(theManaged) && readyOf(theManaged).status !== 'True' ? unresolved : undefined,
    cause: '{resource} refers to an object that does not exist: {message}.',
    details: missingReference,
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
    name: 'nothing there',
    link: 'external',
    sign: missingExternalSign,
    cause: 'The external resource of {resource} does not exist: {message}.',
    details: missingExternal,
  },
  {
    name: 'wrong credentials',
    link: 'provider',
    // AWS rejects a request for the wrong region with the same error as wrong credentials.
    sign: lastError('wrong credentials', ({ error }) => error?.advice?.includes('ChangeProvider') === true),
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
    name: 'not allowed',
    link: 'credentials',
    sign: lastError('not allowed'),
    cause: 'The credentials of {provider} do not have the right for this action: {message}.',
    commands: ['retry resource'],
    details: forbiddenByProvider,
  },
  {
    name: 'provider down',
    link: 'server',
    sign: lastError('provider down'),
    cause: 'The external system of {provider} does not answer correctly: {message}.',
    advice: 'The controllers continue once it answers. To try again at once:',
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
    name: 'name taken',
    link: 'external',
    sign: lastError('name taken'),
    cause: 'The external system has another resource with this name: {message}.',
    commands: ['edit resource'],
    details: nameTaken,
  },
  {
    name: 'refused',
    link: 'external',
    sign: lastError('refused'),
    cause: 'The external system refuses the request: {message}.',
    commands: ['edit resource'],
    details: askForOther,
  },
  {
    name: 'provider not ready',
    link: 'server',
    sign: (view) =>
      isOneOf(providerReport(view)?.reason ?? '', ['NoAnswer', 'Forbidden', 'Throttled', 'QuotaExceeded'])
        ? providerReport(view)?.message
        : undefined,
    cause: '{provider} is not ready: {message}.',
  },
  {
    name: 'provider not ready',
    link: 'credentials',
    sign: (view) => providerReport(view)?.message ?? providerReport(view)?.reason,
    cause: '{provider} is not ready: {message}.',
    details: newCredentials,
  },
  {
    name: 'secret conflict',
    link: 'resource secret',
    sign: refusalOf,
    cause: '{resource} cannot publish its connection details: {message} (secret {sourceSecret}).',
    details: publishElsewhere,
  },
  {
    name: 'secret conflict',
    link: 'claim secret',
    sign: binding('SecretNotOwned', (view) => !isImmutableCopy(view)),
    cause: "The claim's Secret cannot be written: {message}.",
    details: anotherSecret,
  },
  {
    name: 'immutable secret',
    link: 'claim secret',
    sign: binding('SecretNotOwned', isImmutableCopy),
    cause: "The claim's Secret cannot be updated: {message}.",
    details: replaceCopy,
  },
  {
    name: 'credential cannot change',
    link: 'resource',
    sign: credential('CredentialCannotChange'),
    cause: '{resource} still has the credentials of its previous claim: {message}.',
    advice:
      'If the previous claim may know the credentials of the new claim, give the same credentials to the new claim. Otherwise do the other thing that the message names:',
    details: ({ managedService, theManaged }) => {
      const annotation = `${annotationKeys.reoffer}=with-same-credentials`;
      return managedService && theManaged
        ? { commands: [annotate(managedService.kind, keyOf(theManaged), annotation)] }
        : {};
    },
  },
  {
    name: 'credential not applied',
    link: 'resource',
    sign: binding('CredentialNotApplied', ({ theManaged }) => syncedOf(theManaged).status === 'False'),
    cause: '{message}.',
    advice: 'The claim gets the connection details once the controller has applied the credential.',
    commands: ['edit resource'],
  },
  {
    name: 'deletion waits',
    link: 'resource',
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
    cause: '{subject} is being deleted, and {message}.',
    details: usersRemedy,
  },
  {
    name: 'failing',
    link: 'resource',
    sign: ({ theManaged, managedService }) => {
      const { status, reason = '', message = reason } = syncedOf(theManaged);
      return managedService && status === 'False' && reason !== 'ReconcilePaused' ? message : undefined;
    },
    cause: 'The controller of {resource} reports a failure: {message}.',
    commands: ['edit resource'],
  },
  {
    name: 'failing',
    link: 'claim',
    sign: ({ theClaim, managed, subject }) => {
      const { status, reason = '', message = reason } = syncedOf(theClaim);
      const isOwn = subject.known.sort === 'claim' && managed.is !== 'withheld';
      return isOwn && status === 'False' ? message : undefined;
    },
    cause: '{message}.',
    commands: ['edit claim'],
  },
  {
    name: 'reported by the claim',
    link: 'claim',
    sign: claimReport(false),
    cause: '{message}.',
    commands: ['edit claim'],
  },
  {
    name: 'reported by the claim',
    link: 'resource',
    sign: claimReport(true),
    cause: '{message}.',
    advice: 'You cannot read the managed resource. An administrator of it can see more:',
    details: ({ theClaim }) => ({ commands: [traceCommand(theClaim?.spec.resourceRef ?? {})] }),
  },
  {
    name: 'no secret',
    link: 'resource secret',
    sign: when(publishesNothing),
    cause: 'The claim wants a secret, and {resource} publishes none.',
    commands: ['edit resource'],
    details: (view) => ({
      advice: isConsented(view)
        ? 'Set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.'
        : `A claim of any namespace can have it. Ask first whether ${view.theClaim?.metadata.namespace} should have it, and select that namespace in its spec.namespaceSelector. Then set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.`,
    }),
  },
  {
    name: 'secret out of date',
    link: 'claim secret',
    sign: (view) => (view.target ? propagationRefusal(view) : undefined),
    cause: "The claim's Secret is not updated: {message}.",
    advice:
      'Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of {resource} can see more:',
    details: ({ theManaged }) => ({
      commands: [traceCommand({ kind: theManaged?.kind, name: theManaged?.metadata.name })],
    }),
  },
];
