/* The conditions and Events that a run reports on its claim when it ends with a BindingWait: nothing more to do. */

import compact from 'lodash/compact.js';
import upperFirst from 'lodash/upperFirst.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import { boundMessage } from '../../apis/core/v1alpha1/binding.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import {
  getCondition,
  isConditionTrue,
  notReady,
  reconcileError,
  reconcileSuccess,
  withError,
} from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ReadyReason } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { describeReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { secretNameProblem } from '../../apis/core/v1alpha1/secret.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { normal, warning } from '../../runtime/events/event-facts.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { consideredKinds } from '../claim/other-processes.ts';
import { isOwnedBy, namesClaim, wasBound, wasCreatedFor, wasProvisioned } from '../claim/ownership.ts';
import { noteOnStart, startsEmpty } from '../claim/previous-resources.ts';
import { unknownClaim } from '../credential.ts';
import { shouldDelete } from '../management-policies.ts';
import { hasRetention, isToExpire, retentionText } from '../retention.ts';
import { adviceToClaim } from './claim-advice.ts';
import {
  boundConditions,
  describeManaged,
  describeUnserved,
  errorOf,
  failureReasonOf,
  troubleOf,
} from './conditions.ts';
import { missingClaimRefFields } from './decide.ts';
import { releaseResource } from './decide-claim-end.ts';
import type { BindingFacts, BindingWait } from './decision.ts';
import { kindsFor } from './service-of.ts';

export interface Report {
  readonly facts: ClaimFacts;
  readonly events: readonly EventFacts[];
  /** An Event of the managed resource, for its administrators. */
  readonly resourceEvent?: EventFacts;
  /** Do not report before this time, in epoch ms: the resource will probably be ready earlier. */
  readonly notBeforeMs?: number;
}

/** Most new resources are ready so soon that no claim reports that it waits for them. */
export const soonMs = 2_000;

type Reported = Exclude<BindingWait['name'], 'SecretNotOwned'>;

/** The report of a decision. reconciler.ts reports `SecretNotOwned` as a failure instead. */
export function reportOf(decision: Reported, observed: BindingFacts, now: Date): Report | undefined {
  const report = reports[decision](observed, now);
  const isStuck = isConditionTrue(observed.managed?.status?.conditions, 'Stalled');
  return report && isStuck ? { ...report, facts: { ...report.facts, isStuck } } : report;
}

const reports: Readonly<Record<Reported, (facts: BindingFacts, now: Date) => Report | undefined>> = {
  ClaimGone: () => undefined,
  DeletionProtected: reportProtected,
  NeedsClass: () => undefined,
  StackNotReady: () => undefined,
  ReportedElsewhere: () => undefined,
  UnknownKind: reportUnknownKind,
  StatusFromBackup: ({ managed, named }) =>
    waitingFor(
      managed ?? named,
      (resource) => `the binding status of ${resource} is from a backup, and its controller resets it first`,
    ),
  ResourceLost: reportLost,
  SecretNameInvalid: ({ claim }) => {
    const message = secretNameProblem(claim.spec.writeConnectionSecretToRef?.name ?? '');
    const ready = notReady('InvalidValue', message);
    const phase = wasBound(claim) ? keepsPhase : 'Unbound';
    return report('CannotPropagateConnectionDetails', ready, { isError: true, phase });
  },
  ClassMissing: ({ claim }) => {
    const { classRef = {}, resourceRef } = claim.spec;
    const how = resourceRef === undefined ? advice.correctClassRef : advice.createClass;
    const message = `${describeReference(classRef)} does not exist; ${how(classRef.name)}`;
    return report('CannotGetResourceClass', notReady('ClassNotFound', message), { isError: true });
  },
  ClassForbidden: reportNamespace,
  ExternalNameForbidden: ({
    provisioning: { resourceClass, nameRefused } = { resourceClass: undefined },
  }) => {
    const message = `${resourceClass?.kind} ${resourceClass?.metadata.name} ${nameRefused}`;
    return report('ExternalNameNotAllowed', notReady('ExternalNameNotAllowed', message), { isError: true });
  },
  ResourceForbidden: reportNamespace,
  Incompatible: ({ claim, managed, edited, incompatible }) =>
    refusal('Incompatible', managed, edited ?? `${incompatible}; ${another(claim)}`),
  ResourceMissing: ({ claim }) => {
    const { classRef, resourceRef = {} } = claim.spec;
    const how = classRef === undefined ? advice.createResource : advice.createClaimAgain;
    const message = `${describeReference(resourceRef)} does not exist; ${how(resourceRef.name)}`;
    return report('ManagedResourceNotFound', notReady('ResourceNotFound', message));
  },
  ResourceDeleted: reportDeleted,
  ClaimRefIncomplete: ({ managed }) => {
    const fields = managed === undefined ? [] : missingClaimRefFields(managed);
    return refusal(
      'ClaimRefIncomplete',
      managed,
      `has a spec.claimRef that lacks ${fields.join(', ')}; ${advice.completeClaimRef}`,
    );
  },
  ClaimedByOther: reportClaimedByOther,
  ControlledByOther: ({ claim, managed }) =>
    refusal('ControlledByOther', managed, `is controlled by another object; ${another(claim)}`),
  NotOffered: ({ managed }) =>
    refusal('NotOffered', managed, `is only observed, and not available to claims; ${advice.offerObserved}`),
  AwaitRelease: ({ claim, previous }) =>
    waiting(
      `${describe(previous)} of a previous claim of this name is not released yet${noteOnStart(claim)}`,
    ),
  AwaitGiveBack: reportNotGivenBack,
  Released: ({ service, managed, claim }) => {
    if (service === undefined) return undefined;
    const command = howToMakeAvailable(service.managed, managed, claim);
    const previous = describeReference(managed?.spec.claimRef ?? {});
    const message = startsEmpty(claim)
      ? `spec.resourceRef names ${describe(managed)}, which has the data of a previous ${previous}; ${advice.startWithoutReference}. To have that data, remove the annotation`
      : `${describe(managed)} is Released, with the data of the previous ${previous}; ${advice.makeAvailable(command)}`;
    return waiting(message, { type: 'Warning', reason: 'Released' });
  },
  NotReady: reportNotReady,
  CredentialNotApplied: ({ managed, secrets: { notUsable = '' } }) =>
    waitingFor(managed, reasons[notUsable] ?? (() => notUsable)),
  KeepBound: reportBound,
};

/** The API server permits another `resourceRef` only in a claim without a class. */
const another = ({ spec: { classRef } }: Claim): string =>
  classRef === undefined ? advice.nameAnotherResource : advice.createAnotherClaim;

type Sentence = (resource: string) => string;

const reasons: Readonly<Record<string, Sentence>> = {
  CredentialMissing: (resource) => `the connection secret of ${resource} is not written yet`,
  CredentialForNoClaim: (resource) => `the connection secret of ${resource} does not name this claim yet`,
  CredentialOfAnotherClaim: (resource) =>
    `${resource} still has the credential of another claim, and gets a new one first`,
  CredentialNotApplied: (resource) =>
    `the external system does not use the new credential of ${resource} yet`,
};

const keepsPhase = 'as before';

interface Shown {
  readonly isError?: boolean;
  readonly phase?: 'Unbound' | 'Released' | typeof keepsPhase;
  readonly type?: EventFacts['type'];
  /** The Event if the managed resource reports a failure. */
  readonly trouble?: EventFacts | undefined;
}

/** `reason`: the reason of the Event. Without it, only a failure of the managed resource is recorded as an Event. */
function report(
  reason: string | undefined,
  ready: ReadyFacts,
  { isError = false, phase = 'Unbound', type = isError ? 'Warning' : 'Normal', trouble }: Shown = {},
): Report {
  const { message = '' } = ready;
  const conditions = [ready, isError ? reconcileError(message) : reconcileSuccess()];
  const facts = { conditions, ...(phase !== keepsPhase && { bindingPhase: phase }) };
  return { facts, events: compact([trouble ?? (reason && { type, reason, message })]) };
}

const waiting = (
  message: string,
  {
    error,
    reason = 'Binding',
    ...shown
  }: Shown & {
    readonly error?: ReadyFacts['error'] | undefined;
    readonly reason?: ReadyReason | undefined;
  } = {},
): Report => report(shown.type && 'WaitingToBind', withError(notReady(reason, message), error), shown);

/** Reports that the claim waits for its resource's controller. A failure that the resource reports is the reason. */
function waitingFor(managed: Managed | undefined, why: Sentence): Report {
  const trouble = managed && troubleOf(managed);
  const message = trouble?.message ?? why(describe(managed));
  return waiting(message, { phase: keepsPhase, trouble, reason: managed && failureReasonOf(managed) });
}

function refusal(reason: ReadyReason, managed: Managed | undefined, why: string): Report {
  const message = `${describe(managed)} ${why}`;
  return report('CannotBindManagedResource', notReady(reason, message), { isError: true });
}

const describe = (managed: Managed | undefined): string =>
  managed === undefined ? 'its managed resource' : `${managed.kind} ${managed.metadata.name}`;

/** An administrator's command that makes a Released resource available to this claim alone. */
export function howToMakeAvailable(
  { plural, group }: Kind<Managed>,
  managed: Managed | undefined,
  claim: Claim,
): string {
  const { uid: _own, ...reference } = referenceTo(claim);
  const patch = JSON.stringify({ spec: { claimRef: { ...reference, uid: null } } });
  return `kubectl patch ${plural}.${group} ${managed?.metadata.name} --type=merge -p '${patch}'`;
}

function reportUnknownKind({ claim, services }: BindingFacts): Report {
  const { resourceRef, classRef } = claim.spec;
  const field = resourceRef === undefined ? 'classRef' : 'resourceRef';
  const reference = resourceRef ?? classRef;
  const known = kindsFor(claim, services);
  const lacking = (['kind', 'apiVersion'] as const).filter((each) => !reference?.[each]);
  const given =
    lacking.length > 0
      ? `lacks ${lacking.join(' and ')}`
      : `names a ${reference?.kind} (${reference?.apiVersion}), and no controller here serves a ${claim.kind} with it`;
  const names = known.map((kind) => `${kind.kind} (${apiVersionOf(kind)})`).toSorted();
  const todo = wasDeleted(claim)
    ? `, so that no controller removes the finalizer of this claim; ${advice.runStack}`
    : `; ${advice.nameKnownKind(names, lacking.length > 0 ? undefined : reference?.kind)}`;
  const message = `spec.${field} ${given}${todo}`;
  const { facts, events } = report('UnknownKind', notReady('UnknownKind', message), {
    isError: true,
    ...(wasDeleted(claim) && { phase: keepsPhase }),
  });
  return { facts: { ...facts, consideredKinds: consideredKinds(known) }, events };
}

function reportLost({ claim }: BindingFacts): Report {
  const { spec } = claim;
  const external = externalName(claim);
  // The policies of the resource are not known any more.
  const data =
    external === undefined ? '' : `if its policies kept external resource ${external}, the data is there; `;
  const what = spec.resourceRef === undefined ? 'the managed resource' : describeReference(spec.resourceRef);
  const message = `${what} of this claim does not exist any more; ${data}${advice.restoreResource}`;
  return report('ManagedResourceNotFound', notReady('ResourceNotFound', message), {
    phase: 'Released',
    type: 'Warning',
  });
}

function reportNamespace({ managed, provisioning, forbidden = '' }: BindingFacts): Report {
  const { kind, metadata } = provisioning?.resourceClass ?? {};
  const message = `${managed === undefined ? `${kind} ${metadata?.name}` : describe(managed)} ${forbidden}`;
  return report('NamespaceNotAllowed', notReady('NamespaceNotAllowed', message), { isError: true });
}

/** Kubernetes cannot undo a deletion. So the message says what is lost before the command that ends the claim. */
function reportProtected(facts: BindingFacts): Report {
  const how = advice.endProtection(endOf(facts), facts.claim);
  const message = `this claim is being deleted, and waits because spec.deletionProtection is true. ${how}`;
  const ready = notReady('DeletionProtected', message);
  return report('DeletionProtected', ready, { phase: keepsPhase, type: 'Warning' });
}

/** The effect of the end of the claim on its resource. */
function endOf(facts: BindingFacts): string {
  const end = releaseResource(facts);
  if (end === undefined) return 'loses no data, because the claim has no resource';
  const { managed } = end;
  const resource = describe(managed);
  const isDeleting = end.name === 'DeleteResource';
  if (isDeleting && shouldDelete(managed.spec)) return `deletes ${resource} with all its data`;
  if (isDeleting) return `deletes ${resource}, whose policies keep the data`;
  if (end.name === 'RemoveClaimRef') return `makes ${resource} available to other claims`;
  return hasRetention(managed)
    ? `keeps ${resource} with its data for ${managed.spec.retainFor}, and a claim of the same kind, namespace and name gets it back`
    : `keeps ${resource} with its data, and only an administrator can give it to a claim again`;
}

/** While its resource is being deleted, a Bound claim keeps its status and its Secret. */
function reportDeleted(facts: BindingFacts, now: Date): Report | undefined {
  const { claim, managed } = facts;
  const wasItsOwn = managed !== undefined && isOwnedBy(managed, claim) && wasBound(claim);
  return wasItsOwn
    ? reportBound(facts, now)
    : waiting(`${describe(managed)} is being deleted`, { reason: 'Deleting' });
}

/** A claim does not learn which other claim has the resource. The administrator sees it in an Event of the resource. */
function reportClaimedByOther({ claim, managed }: BindingFacts): Report {
  if (managed !== undefined && namesClaim(managed, claim)) {
    // The same run releases it (orphan-release.ts).
    const previous = `a previous ${describeReference(referenceTo(claim))} with another UID`;
    return waiting(`${describe(managed)} belongs to ${previous}, and is not Released yet`);
  }
  const phase = managed?.status?.bindingPhase;
  const isReleased = phase === 'Released' || managed?.spec.claimRef?.uid === unknownClaim;
  const refused = refusal('ClaimedByOther', managed, `belongs to another claim; ${another(claim)}`);
  // Without `claimRef` an administrator has just made it available, and its controller makes it Unbound.
  if (managed?.spec.claimRef === undefined || !isReleased) return refused;
  return { ...refused, resourceEvent: requestedBy(managed, claim) };
}

/**
 * The Event of a Released resource that a claim asks for. It names the owner of the data. It has no command, because any
 * team can ask for any resource.
 */
function requestedBy(managed: Managed, claim: Claim): EventFacts {
  const { claimRef } = managed.spec;
  const previous = claimRef?.name === undefined ? 'a claim that is not known' : describeReference(claimRef);
  const message = `${describeReference(referenceTo(claim))} asks for this resource, which has the data of ${previous}; ${advice.giveToClaim}`;
  return warning('Released', message);
}

/** The data of a previous claim of this name is there, and this claim does not get an empty resource beside it. */
function reportNotGivenBack({ claim, returnable, notGivenBack = '' }: BindingFacts): Report {
  const { namespace = '', name } = claim.metadata;
  const state = returnable === undefined ? 'kept' : retentionText(returnable);
  const what = `${describe(returnable)} is ${state} with the data of a previous ${describeReference(referenceTo(claim))}`;
  const isNamed = claim.spec.resourceRef !== undefined;
  const after = isNamed ? 'spec.resourceRef names no resource' : 'this claim gets an empty resource';
  const afterDate =
    returnable !== undefined && isToExpire(returnable) ? `. Else, after that date ${after}` : '';
  const empty = isNamed ? upperFirst(advice.startWithoutReference) : advice.startEmpty;
  const ways = `${advice.giveResourceBack(namespace, name)}. ${empty}${afterDate}${noteOnStart(claim)}`;
  return waiting(`${what}; ${notGivenBack}. ${ways}`, { type: 'Warning', reason: 'KeptResourceExists' });
}

function reportNotReady({ claim, managed, service, resourceClass }: BindingFacts): Report | undefined {
  if (managed === undefined || service === undefined) return undefined;
  const madeFrom = wasProvisioned(managed) ? resourceClass : undefined;
  const error = errorOf(managed);
  const toClaim = adviceToClaim(service, claim, madeFrom, managed, error);
  const message = compact([describeManaged(managed), toClaim]).join('; ');
  const createdMs = Date.parse(managed.metadata.creationTimestamp ?? '');
  const { reason = 'Creating' } = getCondition(managed.status?.conditions, 'Ready');
  const [failure, trouble] = [failureReasonOf(managed), troubleOf(managed, message)];
  const isSoonReady = reason === 'Creating' && (failure ?? trouble) === undefined && wasProvisioned(managed);
  return {
    ...waiting(message, { phase: keepsPhase, error, reason: failure, trouble }),
    ...(isSoonReady && !Number.isNaN(createdMs) && { notBeforeMs: createdMs + soonMs }),
  };
}

function reportBound({ claim, managed, secrets }: BindingFacts, now: Date): Report | undefined {
  if (managed === undefined) return undefined;
  const isNew = claim.status?.bindingPhase !== 'Bound';
  const unserved = describeUnserved(claim, managed);
  const { hasCopy, isBindable = true, incomplete } = secrets;
  const createdFrom = wasCreatedFor(managed, claim) ? managed.spec.classRef : undefined;
  return {
    facts: {
      conditions: boundConditions(claim, managed, secrets),
      bindingPhase: 'Bound',
      hasSecret: unserved === undefined && hasCopy && isBindable,
      ...(incomplete !== undefined && { isStuck: true }),
    },
    events: compact([
      isNew && normal('BoundManagedResource', boundMessage(claim, managed, { createdFrom, now })),
      unserved && warning('CannotPropagateConnectionDetails', unserved),
      incomplete && warning('TemplateIncomplete', incomplete),
      troubleOf(managed),
    ]),
  };
}
