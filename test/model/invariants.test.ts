import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Act, ClaimWaits, Controllers, Decision } from './decision.ts';
import { external, patch, remove, wait } from './decision.ts';
import { explore } from './explore.ts';
import type { Invariant } from './invariants.ts';
import { checkCredentialInUseStays, checkStep, Violation } from './invariants.ts';
import type { Claim, Resource } from './objects.ts';
import { claimKey, claimSecretKey, generated, resourceKey, resourceSecretKey } from './objects.ts';
import { production } from './production.ts';
import type { Scenario } from './scenario.ts';
import { emptyState } from './state.ts';

/** Controllers with a fault, and a scenario in which the fault breaks the invariant. */
interface History {
  readonly scenario: Scenario;
  readonly faulty: Controllers;
}

const base = { situation: 'A test.', acts: [], maxActs: 0 };
const m0 = { name: 'm0', policy: 'Retain' } as const;
const m1 = { ...m0, name: 'm1' };
const names = { resourceRef: 'm0' };
const unclaimed: Scenario = { ...base, claims: {}, start: [], resources: [m0] };
const oneClaim: Scenario = { ...base, claims: { A: names }, start: ['A'], resources: [m0] };
const twoClaims: Scenario = { ...base, claims: { A: names, B: names }, start: ['A', 'B'], resources: [m0] };
const provisioned: Scenario = { ...base, claims: { A: { class: 'Delete' } }, start: ['A'] };
const retained: Scenario = { ...provisioned, retention: 'Automatic', startSettled: true };

/** The controllers of the product, but some decisions are replaced, by name. */
function insteadOf(
  changes: Readonly<Record<string, (decision: Decision, id: string) => Decision>>,
): Controllers {
  const changed = (decision: Decision, id: string): Decision =>
    changes[decision.name]?.(decision, id) ?? decision;
  const { bindClaim, propagateSecret, reconcileManaged, releaseOrphan } = production;
  return {
    bindClaim: (see, claim) => changed(bindClaim(see, claim), claim) as Act | ClaimWaits,
    propagateSecret: (see, claim) => changed(propagateSecret(see, claim), claim),
    reconcileManaged: (see, name, run) => changed(reconcileManaged(see, name, run), name),
    releaseOrphan: (see, name) => changed(releaseOrphan(see, name), name),
  };
}

const claimWaits = (name: ClaimWaits['name']): Controllers => ({
  ...production,
  bindClaim: () => wait(name),
});

/** A controller that does something to each resource in this phase. */
const toEach = (phase: Resource['phase'], decide: (resource: Resource) => Decision): Controllers => ({
  ...production,
  releaseOrphan(see, name) {
    const resource = see.resource(name);
    return resource?.phase === phase && !resource.deleting ? decide(resource) : wait('NotBound');
  },
});
const deletes = ({ name, uid }: Resource): Decision => remove('DeleteResource', resourceKey(name), uid);

const endsWithoutRelease = (_: Decision, claim: string): Decision =>
  patch('RemoveFinalizer', claimKey(claim), { finalizer: false });
const neverReleases: Controllers = {
  ...insteadOf({ Release: endsWithoutRelease, RemoveClaimRef: endsWithoutRelease }),
  releaseOrphan: () => wait('NotBound'),
};

/** The claim takes m1 when it has m0. */
const takesSecond = (set: Partial<Resource>): Controllers => ({
  ...production,
  bindClaim(see, name) {
    const decision = production.bindClaim(see, name);
    const uid = see.claim(name)?.uid ?? '';
    const second = see.resource('m1');
    if (decision.name !== 'KeepBound' || second?.phase !== 'Unbound' || second.claimRef) return decision;
    return patch('SetClaimRef', resourceKey('m1'), { claimRef: { claim: name, uid }, ...set });
  },
});

const histories: Readonly<Record<Exclude<Invariant, 'ClaimRefStays' | 'CredentialInUseStays'>, History>> = {
  AvailableWhenOffered: {
    scenario: { ...oneClaim, startSettled: true, acts: ['deleteClaim', 'removeClaimRef'], maxActs: 2 },
    faulty: insteadOf({ MakeAvailable: () => wait('NoUpdate') }),
  },
  BoundAsRequested: {
    scenario: { ...provisioned, hasParameter: true, acts: ['editParameter'], maxActs: 1 },
    faulty: {
      ...production,
      bindClaim(see, name) {
        const decision = production.bindClaim(see, name);
        const isBound = see.resources().some(({ phase }) => phase === 'Bound');
        return decision.name === 'Incompatible' && isBound
          ? patch('ReportBound', claimKey(name), { bound: true })
          : decision;
      },
    },
  },
  BoundStays: {
    scenario: oneClaim,
    faulty: toEach('Bound', ({ name }) => patch('Release', resourceKey(name), { phase: 'Released' })),
  },
  CallChangesSomething: {
    scenario: unclaimed,
    faulty: insteadOf({ NoUpdate: (_, name) => patch('Write', resourceKey(name), {}) }),
  },
  ClaimCanLogIn: {
    scenario: { ...oneClaim, startSettled: true, acts: ['rotate'], maxActs: 1 },
    faulty: insteadOf({
      CopySecret: (decision) => (decision.call?.verb === 'patch' ? wait('KeepBound') : decision),
    }),
  },
  ClaimHasNamedResource: {
    scenario: { ...oneClaim, resources: [m0, m1], acts: ['editResourceRef'], maxActs: 1 },
    faulty: {
      ...production,
      bindClaim(see, name) {
        const decision = production.bindClaim(see, name);
        const { uid: boundUID = '' } = see.resource('m0') ?? {};
        return decision.name === 'RemoveClaimRef'
          ? patch('Bind', resourceKey('m0'), { phase: 'Bound', boundUID })
          : decision;
      },
    },
  },
  ClaimHasResource: { scenario: provisioned, faulty: claimWaits('KeepBound') },
  ClaimOwnsOneResource: { scenario: { ...oneClaim, resources: [m0, m1] }, faulty: takesSecond({}) },
  ClaimWaitsForTrueReason: { scenario: oneClaim, faulty: claimWaits('NotReady') },
  ClaimsFreeResourceOnly: {
    scenario: twoClaims,
    faulty: insteadOf({
      ClaimedByOther: (_, claim) =>
        patch('SetClaimRef', resourceKey('m0'), { claimRef: { claim, uid: 'u0' } }),
    }),
  },
  ComesToRest: {
    scenario: unclaimed,
    faulty: insteadOf({ NoUpdate: (_, name) => patch('Write', resourceKey(name), {}, { versioned: false }) }),
  },
  CreatedOnce: {
    scenario: { ...provisioned, hasParameter: true },
    faulty: toEach('Unbound', (resource) => external('CreateExternal', resource, { parameter: 2 })),
  },
  CredentialAgrees: {
    scenario: { ...oneClaim, startSettled: true, acts: ['rotate'], maxActs: 1 },
    faulty: insteadOf({ SetPassword: () => wait('NoUpdate') }),
  },
  DataStaysUntilDate: {
    scenario: { ...retained, acts: ['deleteClaim'], maxActs: 1 },
    faulty: toEach('Released', deletes),
  },
  DatabaseHasResource: {
    scenario: { ...unclaimed, startSettled: true, acts: ['deleteResource'], maxActs: 1 },
    faulty: insteadOf({
      DeleteExternal: (_, name) => patch('RemoveFinalizer', resourceKey(name), { finalizer: false }),
    }),
  },
  DatabaseOfResourceStays: {
    scenario: unclaimed,
    faulty: toEach('Unbound', (resource) => external('DeleteExternal', resource)),
  },
  DecisionIsMade: {
    scenario: unclaimed,
    faulty: insteadOf({
      NoUpdate() {
        throw new Error('a bug');
      },
    }),
  },
  DeletionOfClaimEnds: {
    scenario: { ...oneClaim, startSettled: true, acts: ['deleteClaim'], maxActs: 1 },
    faulty: insteadOf({ RemoveFinalizer: () => wait('ClaimGone') }),
  },
  DeletionOfResourceEnds: {
    scenario: { ...unclaimed, startSettled: true, acts: ['deleteResource'], maxActs: 1 },
    faulty: insteadOf({ RemoveFinalizer: () => wait('ResourceGone') }),
  },
  ForeignReleaseStays: {
    scenario: { ...unclaimed, resources: [{ ...m0, given: { phase: 'Released' }, database: 'released' }] },
    faulty: insteadOf({
      KeepReleased: (_, name) => patch('MakeAvailable', resourceKey(name), { phase: 'Unbound' }),
    }),
  },
  ForeignSecretIsForeign: {
    scenario: oneClaim,
    faulty: insteadOf({ KeepBound: () => wait('SecretNotOwned') }),
  },
  ForeignSecretStays: {
    scenario: { ...oneClaim, acts: ['foreignSecret'], maxActs: 1 },
    faulty: insteadOf({
      SecretNotOwned: (_, claim) =>
        patch('CopySecret', claimSecretKey(claim), { owner: 'u9', password: 'p9' }),
    }),
  },
  MissingResourceIsMissing: { scenario: oneClaim, faulty: claimWaits('ResourceMissing') },
  NamedResourceStays: {
    scenario: {
      ...oneClaim,
      resources: [{ ...m0, policy: 'Delete' }],
      startSettled: true,
      acts: ['restoreClaimAlone'],
      maxActs: 1,
    },
    faulty: {
      ...production,
      releaseOrphan(see, name) {
        const decision = production.releaseOrphan(see, name);
        const resource = see.resource(name);
        return resource && decision.name === 'Release' ? deletes(resource) : decision;
      },
    },
  },
  NothingIsDeleted: {
    scenario: { ...unclaimed, nothingIsDeleted: true },
    faulty: toEach('Unbound', deletes),
  },
  OneBoundResource: {
    scenario: { ...oneClaim, resources: [m0, m1] },
    faulty: takesSecond({ phase: 'Bound' }),
  },
  OtherOwnerExists: {
    scenario: { ...twoClaims, acts: ['deleteClaim'], maxActs: 1 },
    faulty: neverReleases,
  },
  ParameterIsApplied: {
    scenario: {
      ...provisioned,
      hasParameter: true,
      obstacle: { of: 'resource/m-u101', name: 'Paused' },
      acts: ['editParameter'],
      maxActs: 1,
    },
    faulty: insteadOf({ CorrectResource: () => wait('NotReady') }),
  },
  PasswordIsKnownToOwnerOnly: {
    scenario: {
      ...twoClaims,
      startSettled: true,
      onlyDeletedClaims: ['A'],
      acts: ['deleteClaim', 'removeClaimRef'],
      maxActs: 2,
    },
    faulty: insteadOf({
      ReplaceCredential(decision, name) {
        if (decision.call?.verb !== 'patch') return decision;
        const { password: _, ...set } = decision.call.set;
        return patch('WriteFor', resourceSecretKey(name), { for: set.for ?? '' });
      },
    }),
  },
  ProvisionedFollowsPolicy: {
    scenario: { ...provisioned, acts: ['deleteClaim'], maxActs: 1 },
    faulty: insteadOf({
      DeleteResource: ({ call }) =>
        call?.verb === 'delete'
          ? patch('RemoveClaimRef', call.key as 'resource/m', { claimRef: null })
          : wait(''),
    }),
  },
  ReservingClaimExists: {
    scenario: { ...oneClaim, acts: ['deleteClaim'], maxActs: 1 },
    faulty: neverReleases,
  },
  ResourceInUseStays: { scenario: oneClaim, faulty: toEach('Bound', deletes) },
  ResourceIsAvailable: {
    scenario: oneClaim,
    faulty: insteadOf({
      NotReady: (_, claim) => patch('SetClaimRef', resourceKey('m0'), { claimRef: { claim, uid: 'u9' } }),
    }),
  },
  ResourceReportsTrueReason: {
    scenario: { ...unclaimed, obstacle: { of: 'resource/m0', name: 'Paused' } },
    faulty: insteadOf({ Paused: () => wait('NoUpdate') }),
  },
  RestoredResourceStays: {
    scenario: { ...provisioned, claimsHaveOwner: true, startSettled: true, acts: ['restore'], maxActs: 1 },
    faulty: {
      ...production,
      bindClaim(see, claim) {
        const decision = production.bindClaim(see, claim);
        const [resource] = see.resources();
        return resource && decision.name === 'Release' ? (deletes(resource) as Act) : decision;
      },
    },
  },
  RestrictionIsObeyed: {
    scenario: { ...unclaimed, resources: [{ ...m0, given: { restriction: 'noChange' } }] },
    faulty: insteadOf({
      CreateNotAllowed: (_, name) => external('CreateExternal', { name, uid: '' } as Resource),
    }),
  },
  RotationIsCarriedOut: {
    scenario: { ...unclaimed, startSettled: true, acts: ['rotate'], maxActs: 1 },
    faulty: insteadOf({ RotateCredential: () => wait('NoUpdate') }),
  },
  RetainedEndsAtDate: {
    scenario: { ...retained, acts: ['deleteClaim', 'timePasses'], maxActs: 2 },
    faulty: insteadOf({ DeleteExpired: () => wait('NotBound') }),
  },
  RetainedIsTakenBack: {
    scenario: { ...retained, acts: ['deleteClaim', 'createClaim'], maxActs: 2 },
    faulty: {
      ...production,
      bindClaim(see, name) {
        const resources = () => see.resources().filter(({ phase }) => phase !== 'Released');
        return production.bindClaim({ ...see, resources }, name);
      },
    },
  },
  RetainedLossStays: {
    scenario: { ...retained, acts: ['deleteClaim', 'loseExternal'], maxActs: 2 },
    faulty: {
      ...production,
      reconcileManaged(see, name, run) {
        const decision = production.reconcileManaged(see, name, run);
        return decision.name === 'ExternalLost'
          ? external('CreateExternal', see.resource(name)!, { password: 'p501' })
          : decision;
      },
    },
  },
  RetainedWasThere: {
    scenario: { ...retained, startSettled: false, acts: ['deleteClaim'], maxActs: 1 },
    faulty: {
      ...production,
      bindClaim(see, name) {
        const decision = production.bindClaim(see, name);
        const [resource] = see.resources();
        if (decision.name !== 'DeleteResource' || resource === undefined) return decision;
        const released = { phase: 'Released', boundUID: resource.uid, releasedFrom: resource.claimRef?.uid };
        return patch('Release', resourceKey(resource.name), {
          ...released,
          deleteAt: 1,
        } as Partial<Resource>);
      },
    },
  },
  SecretHasOwner: {
    scenario: {
      ...oneClaim,
      hasNoGarbageCollector: true,
      startSettled: true,
      acts: ['deleteClaim'],
      maxActs: 1,
    },
    faulty: insteadOf({ DeleteSecret: endsWithoutRelease }),
  },
  TakenBackAsAllowed: {
    scenario: { ...retained, acts: ['deleteClaim', 'recreateNamespace', 'createClaim'], maxActs: 3 },
    faulty: {
      ...production,
      bindClaim: (see, name) => production.bindClaim({ ...see, namespaceUid: 'namespace 1' }, name),
    },
  },
  UnwantedCopyGoes: {
    scenario: { ...oneClaim, startSettled: true, acts: ['wantNoSecret'], maxActs: 1 },
    faulty: insteadOf({ DeleteSecret: () => wait('KeepBound') }),
  },
};

describe('controllers with a fault break the invariant, and those of the production keep it', () => {
  for (const [invariant, { scenario, faulty }] of Object.entries(histories)) {
    test(invariant, () => {
      assert.equal(explore(scenario, faulty, 20_000).violation?.invariant, invariant);
      assert.equal(explore(scenario, production, 20_000).verdict, 'holds');
    });
  }
});

describe('no controller alone can break this: the API server, or a read, prevents it', () => {
  const claim: Claim = { uid: 'u1', deleting: false, finalizer: true, resourceRef: 'm0', bound: true };
  const resource: Resource = {
    ...m0,
    uid: 'u2',
    deleting: false,
    finalizer: true,
    provisioned: false,
    rotation: 0,
    applied: 'p1',
    claimRef: { claim: 'A', uid: 'u1' },
    phase: 'Bound',
    boundUID: 'u2',
  };
  const secret = { owner: 'u2', password: 'p1', rotation: 0, for: 'A' };
  const state = {
    ...emptyState(oneClaim),
    objects: { [claimKey('A')]: claim, [resourceKey('m0')]: resource, [resourceSecretKey('m0')]: secret },
  };

  test('ClaimRefStays', () => {
    const edited = { ...resource, claimRef: { claim: 'A', uid: '' } };
    const after = { ...state, objects: { ...state.objects, [resourceKey('m0')]: edited } };
    assert.throws(
      () => checkStep(state, after),
      new Violation('ClaimRefStays', 'claimRef of m0 changes while its claim exists'),
    );
    assert.doesNotThrow(() => checkStep(state, state));
  });

  test('CredentialInUseStays', () => {
    const watches = { [resourceKey('m0')]: { object: resource, changed: true, afterRestart: false } };
    const stale = { ...state, watches };
    const { call } = patch('RotateCredential', resourceSecretKey('m0'), { password: generated, rotation: 1 });
    assert.ok(call.verb === 'patch');
    assert.throws(
      () => checkCredentialInUseStays(stale, secret, call),
      new Violation('CredentialInUseStays', 'the password of m0 is replaced although a living claim uses it'),
    );
    assert.doesNotThrow(() => checkCredentialInUseStays(state, secret, call));
  });
});
