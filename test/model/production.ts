/**
 * The decisions of the product as controllers of the model. Objects of the model are expanded to the objects that the
 * decisions read, and the objects that they want are compared with these: what differs is the call.
 */

import type { Claim as RealClaim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { whyResourceIncompatible } from '../../controllers/claim/incompatible.ts';
import { wasBound } from '../../controllers/claim/ownership.ts';
import { previousAmong, returnableFor, whyNotGivenBack } from '../../controllers/claim/previous-resources.ts';
import { decideBinding, resourceOf } from '../../controllers/claim-binding/decide.ts';
import { decideOrphan } from '../../controllers/claim-binding/decide-orphan.ts';
import type { BindingCall, Provisioning, ReadFirst } from '../../controllers/claim-binding/decision.ts';
import { isCall } from '../../controllers/claim-binding/decision.ts';
import {
  withBound,
  withClaimRef,
  withoutClaimRef,
  withReleased,
} from '../../controllers/claim-binding/desired.ts';
import { secretFacts } from '../../controllers/claim-binding/observe-secrets.ts';
import { correctionOf, editOf } from '../../controllers/claim-binding/provision.ts';
import { serviceOf } from '../../controllers/claim-binding/service-of.ts';
import { storedIn } from '../../controllers/credential.ts';
import { wasNeverFound } from '../../controllers/external-identity.ts';
import { decidePropagation } from '../../controllers/secret-propagation/decide.ts';
import { StepFailure } from '../../controllers/step-failure.ts';
import type { Act, ClaimWaits, Controllers, Decision, View } from './decision.ts';
import { create, patch, remove, wait } from './decision.ts';
import { reconcileManaged } from './managed-run.ts';
import type { Claim, Key, Policy, Resource } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  generated,
  provisionedName,
  resourceKey,
  resourceWith,
} from './objects.ts';
import {
  changeOf,
  passwordIn,
  realClaim,
  realClaimSecret,
  realResource,
  realResourceSecret,
  secretDetails,
  service,
  smallServerClass,
  timeOf,
} from './real-objects.ts';
import type { Obstacle } from './scenario.ts';

export const production: Controllers = { bindClaim, propagateSecret, reconcileManaged, releaseOrphan };

// ── Claim binding ────────────────────────────────────────────────────────────────────────────────────────────────

function bindClaim(see: View, name: string): Act | ClaimWaits {
  const claim = see.claim(name);
  if (claim === undefined) return wait('ClaimGone');
  const obstacle = see.obstacleOf(claimKey(name));
  const policy = obstacle === 'NoClass' ? undefined : see.policyOfClass(name);
  const valid = realClaim(name, claim, policy);
  const real = obstacle === 'SecretNameInvalid' ? misnamed(valid) : valid;
  const all = see.resources();
  const realOf = (resource: Resource) => realResource(resource, see.obstacleOf(resourceKey(resource.name)));
  const owned = all
    .filter(({ claimRef }) => claimRef?.uid === claim.uid)
    .toSorted((a, b) => Number(b.phase === 'Bound') - Number(a.phase === 'Bound'))
    .map(realOf);
  const observed = see.resource(claim.resourceRef);
  const named = observed && realOf(observed);
  const naming = all.filter(({ claimRef }) => claimRef?.claim === name).map(realOf);
  const former = previousAmong(real, naming);
  const returnable = returnableFor(service, real, owned, former.returnable);
  const managed = resourceOf(owned, named, returnable);
  const secret = managed && see.resourceSecret(managed.metadata.name);
  const isControlled = managed !== undefined && secret !== undefined && secret.owner === managed.metadata.uid;
  const source = isControlled ? realResourceSecret(managed.metadata.name, secret, real) : undefined;
  const copy = see.claimSecret(name);
  const target = claim.wantsNoSecret ? undefined : copy && realClaimSecret(name, copy, source);
  const controlled = copy?.owner === claim.uid ? [realClaimSecret(name, copy, source)] : [];
  const services = obstacle === 'NoService' ? [] : [service];
  const bindingService = serviceOf(services, real, owned);
  const isProvisioning =
    bindingService !== undefined &&
    managed === undefined &&
    policy !== undefined &&
    (claim.resourceRef === '' || claim.resourceRef === provisionedName(claim));
  const decision = decideBinding({
    claim: real,
    services,
    service: bindingService,
    owned,
    created: owned.filter(({ metadata }) => metadata.name === provisionedName(claim)),
    named,
    managed,
    returnable,
    previous: former.previous,
    notGivenBack: returnable && whyNotGivenBack(returnable, real, { uid: see.namespaceUid }),
    ...(isProvisioning && { provisioning: provisioningOf(see, name, claim, policy) }),
    ...hindrances(obstacle, real, managed),
    ...(managed && editIn(real, managed)),
    secrets: secretFacts({
      claim: real,
      managed,
      resourceClass: undefined,
      secretDetails,
      source,
      stored: source && storedIn(source),
      target,
      isTargetStored: true,
      controlled,
    }),
  });
  if (isCall(decision)) return callOf(see, name, claim, decision);
  if (decision.name === 'KeepBound' && !claim.bound) {
    return patch('ReportBound', claimKey(name), { bound: true });
  }
  return wait(decision.name as ClaimWaits['name']);
}

const misnamed = (claim: RealClaim): RealClaim => ({
  ...claim,
  spec: { ...claim.spec, writeConnectionSecretToRef: { name: 'Not valid' } },
});

/** The values that the claim would get from its class. */
function provisioningOf(see: View, name: string, claim: Claim, policy: Policy): Provisioning {
  const resourceRef = claim.resourceRef || provisionedName(claim);
  const recorded = { ...claim, finalizer: true, resourceRef };
  const managed = realResource(freshResource(see, name, recorded, policy));
  const { uid: _assigned, ...metadata } = managed.metadata;
  const resourceClass = smallServerClass;
  const obstacle = see.obstacleOf(claimKey(name));
  switch (obstacle) {
    case 'ClassMissing':
      return { resourceClass: undefined };
    case 'NameForbidden':
      return { resourceClass, nameRefused: obstacle };
    case 'ClassIncompatible':
      return { resourceClass, plan: new StepFailure('', new Error(obstacle), {}) };
    default: {
      const plan = { claim: realClaim(name, recorded, policy), managed: { ...managed, metadata } };
      return { resourceClass, plan };
    }
  }
}

/** Obstacles that a search found. */
function hindrances(obstacle: Obstacle | undefined, claim: RealClaim, managed: Managed | undefined) {
  const isOfClass = managed === undefined;
  const isForbidden = obstacle === (isOfClass ? 'ClassForbidden' : 'ResourceForbidden');
  return {
    ...(isForbidden && { forbidden: obstacle }),
    ...(!isOfClass && {
      incompatible:
        obstacle === 'ResourceIncompatible' ? obstacle : whyResourceIncompatible(service, claim, managed),
    }),
  };
}

/** The facts about an edit of the claim's parameter. */
function editIn(claim: RealClaim, managed: Managed) {
  const { edited } = editOf(service, claim, managed, smallServerClass);
  if (edited === undefined) return undefined;
  const isCorrectable = wasNeverFound(managed) && !wasBound(claim);
  return {
    edited,
    ...(isCorrectable && { correction: correctionOf(service, claim, managed, smallServerClass) }),
  };
}

const freshResource = (
  { retention }: View,
  name: string,
  { resourceRef, uid, parameter }: Claim,
  policy: Policy,
): Resource => ({
  ...resourceWith({
    name: resourceRef,
    uid: generated,
    finalizer: true,
    policy,
    provisioned: true,
    claimRef: { claim: name, uid },
  }),
  ...(parameter !== undefined && { parameter, generation: 1, mark: '' }),
  ...(retention && { retention, mark: '' }),
});

function callOf(see: View, name: string, claim: Claim, decision: BindingCall): Act {
  const real = realClaim(name, claim, see.policyOfClass(name));
  const readFirst = keysOf(name, claim, decision.readFirst);
  const change = (managed: Managed, desired: Managed, versioned = true): Act => {
    const resource = see.resource(managed.metadata.name)!;
    const changes = changeOf(resource, desired);
    return patch(decision.name, resourceKey(resource.name), changes, { readFirst, versioned });
  };
  switch (decision.name) {
    case 'RecordName':
      return patch('RecordName', claimKey(name), {
        finalizer: true,
        resourceRef: claim.resourceRef || (decision.managed?.metadata.name ?? nameFor(claim, real)),
      });
    case 'Create': {
      const policy = see.policyOfClass(name) ?? 'Retain';
      return create('Create', resourceKey(claim.resourceRef), freshResource(see, name, claim, policy), {
        readFirst,
      });
    }
    case 'AddFinalizer':
      return patch('AddFinalizer', claimKey(name), { finalizer: true });
    case 'TakeBack':
      return change(decision.managed, withClaimRef(decision.managed, real), true);
    case 'SetClaimRef':
    case 'CorrectClaimRef':
      return change(decision.managed, withClaimRef(decision.managed, real));
    case 'CorrectResource':
      return change(decision.managed, decision.desired);
    case 'RemoveClaimRef':
      return change(decision.managed, withoutClaimRef(decision.managed));
    case 'Bind':
      return change(decision.managed, withBound(decision.managed));
    case 'Release':
      return change(decision.managed, withReleased(decision.managed, releaseNow(see)));
    case 'DeleteResource': {
      const { name: resource, uid = '' } = decision.managed.metadata;
      return remove('DeleteResource', resourceKey(resource), uid, { readFirst });
    }
    case 'CopySecret': {
      const { current, desired } = decision.write;
      const copy = { owner: claim.uid, password: passwordIn(desired) };
      return current === undefined
        ? create('CopySecret', claimSecretKey(name), copy)
        : patch('CopySecret', claimSecretKey(name), copy);
    }
    case 'DeleteSecret':
      return remove('DeleteSecret', claimSecretKey(name), claim.uid);
    case 'RemoveFinalizer':
      return patch('RemoveFinalizer', claimKey(name), { finalizer: false }, { readFirst });
  }
}

const releaseNow = ({ clock, namespaceUid }: View) => ({ now: timeOf(clock), namespaceUid });

const nameFor = (claim: Claim, { spec }: RealClaim): string => (spec.classRef ? provisionedName(claim) : '');

/** A namespace is not part of the model. */
function keysOf(name: string, claim: Claim, readFirst: readonly ReadFirst[] = []): readonly Key[] {
  return readFirst.flatMap((each): readonly Key[] => {
    if (each === 'claim') return [claimKey(name)];
    if (each === 'claimSecret') return [claimSecretKey(name)];
    return each === 'namedResource' ? [resourceKey(claim.resourceRef)] : [];
  });
}

// ── Secret propagation ───────────────────────────────────────────────────────────────────────────────────────────

function propagateSecret(see: View, name: string): Decision {
  const claim = see.claim(name);
  const copy = see.claimSecret(name);
  if (claim === undefined || copy === undefined) return wait('NothingToCopyTo');
  const real = realClaim(name, claim, see.policyOfClass(name));
  for (const resource of see.resources()) {
    const secret = see.resourceSecret(resource.name);
    const source = secret && realResourceSecret(resource.name, secret, real);
    const decision = decidePropagation({
      isServed: true,
      secretDetails,
      target: realClaimSecret(name, copy, source),
      source,
      claim: real,
      resourceClass: undefined,
      managed: realResource(resource),
    });
    if (decision.name !== 'CopySecret') continue;
    return patch('CopySecret', claimSecretKey(name), { password: passwordIn(decision.desired) });
  }
  return wait('InSync');
}

// ── Orphans ──────────────────────────────────────────────────────────────────────────────────────────────────────

function releaseOrphan(see: View, name: string): Decision {
  const resource = see.resource(name);
  if (resource?.claimRef == null || resource.claimRef.uid === '') return wait('NotBound');
  const { claim: claimName, uid } = resource.claimRef;
  const claim = see.claim(claimName);
  const copy = see.claimSecret(claimName);
  const managed = realResource(resource, see.obstacleOf(resourceKey(name)));
  const decision = decideOrphan({
    managed,
    claim: claim && realClaim(claimName, claim, see.policyOfClass(claimName)),
    secrets: copy?.owner === uid ? [realClaimSecret(claimName, copy, undefined)] : [],
    isExpired: resource.deleteAt !== undefined && see.clock >= resource.deleteAt,
  });
  const readFirst = [claimKey(claimName)];
  switch (decision.name) {
    case 'DeleteSecret':
      return remove('DeleteSecret', claimSecretKey(claimName), uid, { readFirst });
    case 'Release': {
      const precautions = { readFirst };
      const release = decision.isClaimRestored ? undefined : { now: timeOf(see.clock) };
      const changes = changeOf(resource, withReleased(managed, release));
      return patch('Release', resourceKey(name), changes, precautions);
    }
    case 'DeleteResource':
      return remove('DeleteResource', resourceKey(name), resource.uid, { readFirst });
    case 'DeleteExpired':
      return remove('DeleteExpired', resourceKey(name), resource.uid);
    default:
      return wait(decision.name);
  }
}
