/*
 * The conditions and Events of a claim after a decision without a call. A message says what happened, to which
 * object, and what to do now.
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  binding,
  creating,
  notReady,
  reconcileError,
  reconcileSuccess,
  withError,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, describeReference, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { isOwnedBy, namesClaim, wasBound, wasProvisioned } from '../claim/ownership.ts';
import type { ClaimService } from '../claim-service.ts';
import { boundConditions, describeManaged, describeUnserved, errorOf, troubleOf } from './conditions.ts';
import { missingClaimRefFields } from './decide.ts';
import type { BindingFacts, BindingWait } from './decision.ts';
import { quietMs } from './responsibility.ts';
import { adviceToClaim } from './told-to-claim.ts';

/** The status and the Events of a claim. */
export interface Report {
  readonly facts: ClaimFacts;
  readonly events: readonly EventFacts[];
  /** Epoch ms. Until then there is probably nothing to report any more. */
  readonly notBeforeMs?: number;
}

type Facts = BindingFacts & {
  readonly claim: Claim;
  readonly service: ClaimService;
  /** The class that `classRef` names. */
  readonly resourceClass?: Class | undefined;
};

/** Undefined: nothing is reported. A Secret that cannot be written is a failure (reconciler.ts). */
export function reportOf(
  decision: Exclude<BindingWait['name'], 'SecretNotOwned'>,
  facts: Facts,
): Report | undefined {
  return reports[decision](facts);
}

const reports: Readonly<
  Record<Exclude<BindingWait['name'], 'SecretNotOwned'>, (facts: Facts) => Report | undefined>
> = {
  ClaimGone: () => undefined,
  OtherKind: () => undefined,
  UnknownKind: reportUnknownKind,
  StatusFromBackup: (facts) =>
    waiting(
      `waiting for ${named(facts)}: a backup brought its binding status, and its controller replaces that first`,
      keepsPhase,
    ),
  ResourceLost: reportLost,
  ClassMissing: ({ claim }) => {
    const message = `${describeReference(claim.spec.classRef ?? {})} does not exist`;
    return report('CannotGetResourceClass', creating(message), { isError: true });
  },
  ClassForbidden: reportNamespace,
  ResourceForbidden: reportNamespace,
  Incompatible: ({ managed, incompatible }) =>
    refusal(managed, `it ${incompatible}; correct the resource, or create another claim`),
  ResourceMissing: ({ claim }) => {
    const message = `waiting for ${describeReference(claim.spec.resourceRef ?? {})}, which does not exist`;
    return report('ManagedResourceNotFound', binding(message));
  },
  ResourceDeleted: reportDeleted,
  ClaimRefIncomplete: ({ managed }) => {
    const fields = managed === undefined ? [] : missingClaimRefFields(managed);
    return refusal(managed, `its spec.claimRef lacks ${fields.join(', ')}; an administrator has to add that`);
  },
  ClaimedByOther: reportClaimedByOther,
  ControlledByOther: ({ managed }) => {
    const { kind, name } = (managed && controllerOf(managed)) ?? {};
    return refusal(managed, `it is controlled by ${kind} ${name}`);
  },
  NotOffered: ({ managed }) =>
    refusal(
      managed,
      'it is only observed, and no claim may have it; an administrator names the claim in its spec.claimRef, or sets its spec.namespaceSelector ({}: claims of all namespaces)',
    ),
  Released: (facts) => {
    const how = `an administrator can make it available to this claim: ${howToMakeAvailable(facts.service.managed, facts.managed, facts.claim)}`;
    const told = waiting(`${describe(facts.managed)} was released by a previous claim; ${how}`);
    return { ...told, events: told.events.map((event) => ({ ...event, type: 'Warning' as const })) };
  },
  NotReady: reportNotReady,
  CredentialNotApplied: (facts) => {
    const { managed, secrets } = facts;
    const trouble = managed && troubleOf(managed);
    const state = managed && trouble ? describeManaged(managed) : describe(managed);
    const told = waiting(
      `waiting for ${state}: ${reasons[secrets.notUsable ?? ''] ?? secrets.notUsable}`,
      keepsPhase,
    );
    return trouble === undefined ? told : { ...told, events: [trouble] };
  },
  KeepBound: reportBound,
};

/** Why a claim cannot have the connection details now. */
const reasons: Readonly<Record<string, string>> = {
  CredentialMissing: 'its connection secret is not written yet',
  CredentialForNoClaim: 'its connection secret does not name this claim yet',
  CredentialOfAnotherClaim: 'it still has the credential of another claim, and gets a new one first',
  CredentialNotApplied: 'the external system does not use its new credential yet',
};

/** The phase that the claim's status shows stays. */
const keepsPhase = 'as before';

interface Shown {
  readonly isError?: boolean;
  readonly phase?: 'Unbound' | 'Released' | typeof keepsPhase;
}

function report(
  reason: string,
  ready: ReadyFacts,
  { isError = false, phase = 'Unbound' }: Shown = {},
): Report {
  const { message = '' } = ready;
  const conditions = [ready, isError ? reconcileError(message) : reconcileSuccess()];
  const type = isError || phase === 'Released' ? 'Warning' : 'Normal';
  const facts = { conditions, ...(phase !== keepsPhase && { bindingPhase: phase }) };
  return { facts, events: [{ type, reason, message }] };
}

const waiting = (message: string, phase?: Shown['phase'], error?: ReadyFacts['error']): Report =>
  report('WaitingToBind', withError(binding(message), error), { ...(phase && { phase }) });

const refusal = (managed: Managed | undefined, why: string): Report =>
  report('CannotBindManagedResource', binding(`refusing to bind to ${describe(managed)}: ${why}`), {
    isError: true,
  });

const describe = (managed: Managed | undefined): string =>
  managed === undefined ? 'its managed resource' : `${managed.kind} ${managed.metadata.name}`;

const named = ({ managed, named: one }: Facts): string => describe(managed ?? one);

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

function reportUnknownKind({ claim, responsibility }: Facts): Report | undefined {
  if (typeof responsibility !== 'object') return undefined;
  const { message, consideredKinds, notBeforeMs } = responsibility;
  const { facts, events } = report('UnknownKind', notReady('UnknownKind', message), {
    isError: true,
    ...(wasDeleted(claim) && { phase: keepsPhase }),
  });
  return { facts: { ...facts, consideredKinds }, events, ...(notBeforeMs !== undefined && { notBeforeMs }) };
}

function reportLost({ claim: { spec } }: Facts): Report {
  const what = spec.resourceRef === undefined ? 'its managed resource' : describeReference(spec.resourceRef);
  const message = `was bound to ${what}, which no longer exists; create another claim, and delete this one once its secret is not needed any more`;
  return report('ManagedResourceNotFound', binding(message), { phase: 'Released' });
}

function reportNamespace({ managed, provisioning, forbidden = '' }: Facts): Report {
  const { kind, metadata } = provisioning?.resourceClass ?? {};
  const ready =
    managed === undefined
      ? creating(`${kind} ${metadata?.name} ${forbidden}`)
      : binding(`refusing to bind to ${describe(managed)}: it ${forbidden}`);
  return report('NamespaceNotAllowed', ready, { isError: true });
}

/** A Bound claim keeps its status and its Secret until its resource was deleted. */
function reportDeleted(facts: Facts): Report | undefined {
  const { claim, managed } = facts;
  const wasItsOwn = managed !== undefined && isOwnedBy(managed, claim) && wasBound(claim);
  return wasItsOwn ? reportBound(facts) : waiting(`${describe(managed)} is being deleted`);
}

function reportClaimedByOther({ claim, managed }: Facts): Report {
  const owner = describeReference(managed?.spec.claimRef ?? {});
  const isFormer = managed !== undefined && namesClaim(managed, claim);
  return refusal(
    managed,
    isFormer
      ? `it belongs to a previous ${owner} with another UID; name another resource`
      : `it is claimed by ${owner}; name another resource, or delete that claim`,
  );
}

/** The events of the resource wake the claim. */
function reportNotReady({ claim, managed, service, resourceClass }: Facts): Report | undefined {
  if (managed === undefined) return undefined;
  const madeFrom = wasProvisioned(managed) ? resourceClass : undefined;
  const error = errorOf(managed);
  const advice = adviceToClaim(service, claim, madeFrom, error);
  const message = [advice, `waiting for ${describeManaged(managed)}`].filter(Boolean).join(': ');
  const told = waiting(message, keepsPhase, error);
  const trouble = troubleOf(managed, message);
  const createdMs = Date.parse(managed.metadata.creationTimestamp ?? '');
  const isSilent =
    managed.status?.conditions === undefined && wasProvisioned(managed) && !Number.isNaN(createdMs);
  return {
    ...told,
    ...(trouble && { events: [trouble] }),
    ...(isSilent && { notBeforeMs: createdMs + quietMs }),
  };
}

function reportBound({ claim, managed, secrets: { hasCopy } }: Facts): Report | undefined {
  if (managed === undefined) return undefined;
  const unserved = describeUnserved(claim, managed);
  const warning: EventFacts | undefined = unserved
    ? { type: 'Warning', reason: 'CannotPropagateConnectionDetails', message: unserved }
    : undefined;
  const isNew = claim.status?.bindingPhase !== 'Bound';
  const news: EventFacts = {
    type: 'Normal',
    reason: 'BoundManagedResource',
    message: `bound to ${describe(managed)}`,
  };
  const conditions = boundConditions(managed, unserved);
  const trouble = troubleOf(managed);
  return {
    facts: { conditions, bindingPhase: 'Bound', hasSecret: unserved === undefined && hasCopy },
    events: [...(isNew ? [news] : []), ...(warning ? [warning] : []), ...(trouble ? [trouble] : [])],
  };
}
