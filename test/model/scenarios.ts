import type { Key, Restriction } from './objects.ts';
import type { ActKind, ByHand, NamedByClaim, Obstacle, Scenario } from './scenario.ts';

type Claims = Scenario['claims'];
type More = Pick<Scenario, 'situation' | 'acts' | 'maxActs'> & Partial<Scenario>;

const faults: readonly ActKind[] = ['crash', 'stopWatch', 'stopAllWatches', 'staleAPIServer'];
/** The acts around a restore of the claims alone. */
const claimsAlone: readonly ActKind[] = [
  ...(['restoreClaimAlone', 'removeClaimRef', 'removeClaimRefUID', 'deleteClaim'] as const),
  ...(['crash', 'stopAllWatches'] as const),
];

const classDelete: Claims = { A: { class: 'Delete' } };
const classRetain: Claims = { A: { class: 'Retain' } };
const namesM0: NamedByClaim = { resourceRef: 'm0' };
const oneClaim: Claims = { A: namesM0 };
const twoClaims: Claims = { A: namesM0, B: namesM0 };
const m0: ByHand = { name: 'm0', policy: 'Retain' };
const m0Delete: ByHand = { name: 'm0', policy: 'Delete' };

/** The resource is created for the claim. */
const provisioned = (claims: Claims, more: More): Scenario => ({ claims, start: ['A'], ...more });

/** The class keeps the resource of a deleted claim. */
const retained = (more: More): Scenario =>
  provisioned(classDelete, { retention: 'Automatic', startSettled: true, ...more });

/** The resources were created by hand. */
const byHand = (claims: Claims, resources: readonly ByHand[], more: More): Scenario => ({
  claims,
  resources,
  start: Object.keys(claims),
  ...more,
});

function obstructed(of: Key<'claim'> | Key<'resource'>, name: Obstacle, more: readonly ActKind[]): More {
  return {
    situation: `${of} meets an obstacle: ${name}.`,
    obstacle: { of, name },
    maxActs: 2,
    acts: ['removeObstacle', 'crash', ...more],
  };
}

const released: ByHand = { ...m0, given: { phase: 'Released' }, database: 'released' };
const observed: ByHand = { ...m0, given: { restriction: 'onlyObserve' }, database: 'exists' };

/** The password changes once at most: two changes while the policies change are a known limit. */
const restricted = (restriction: Restriction, change: ActKind) =>
  ({
    restriction,
    startSettled: true,
    eachActOnce: true,
    maxActs: 4,
    acts: ['restrict', 'allow', change, 'editClaimSecret', 'deleteClaim'],
  }) as const satisfies Partial<Scenario>;

/** A claim or a resource meets an obstacle, which an administrator removes. */
const obstacles: readonly { readonly name: string; readonly scenario: Scenario }[] = [
  ...(
    [
      'NoClass',
      'SecretNameInvalid',
      'ClassMissing',
      'ClassForbidden',
      'NameForbidden',
      'ClassIncompatible',
    ] as const
  ).map((name) => ({
    name,
    scenario: provisioned(classDelete, obstructed('claim/A', name, ['deleteClaim'])),
  })),
  {
    name: 'UnknownKind',
    scenario: provisioned(classDelete, {
      situation: 'A claim names a kind that no stack has.',
      obstacle: { of: 'claim/A', name: 'NoService' },
      maxActs: 2,
      acts: ['deleteClaim', 'createClaim'],
    }),
  },
  {
    name: 'NoService',
    scenario: provisioned(classDelete, obstructed('claim/A', 'NoService', ['addObstacle'])),
  },
  ...(['ResourceForbidden', 'ResourceIncompatible'] as const).map((name) => ({
    name,
    scenario: byHand(oneClaim, [m0], obstructed('claim/A', name, ['deleteClaim'])),
  })),
  ...(['ControlledByOther', 'ClaimRefIncomplete'] as const).map((name) => ({
    name,
    scenario: byHand(
      oneClaim,
      [{ ...m0, claimRef: { claim: 'A', uid: '' } }],
      obstructed('resource/m0', name, ['deleteClaim']),
    ),
  })),
  ...(
    [
      ...(['Paused', 'PoliciesInvalid', 'OtherSystem', 'NameRefused'] as const),
      ...(['RenamedExternal', 'Uncreatable', 'HiddenExternal'] as const),
    ] as const
  ).map((name) => ({
    name,
    scenario: byHand(oneClaim, [m0Delete], obstructed('resource/m0', name, ['deleteResource'])),
  })),
  {
    name: 'CreationIncomplete',
    scenario: byHand(
      oneClaim,
      [{ ...m0, database: 'exists' }],
      obstructed('resource/m0', 'CreationIncomplete', []),
    ),
  },
  {
    name: 'OperationRuns',
    scenario: byHand(
      oneClaim,
      [{ ...m0, given: { operation: 'create' } }],
      obstructed('resource/m0', 'OperationRuns', ['deleteResource']),
    ),
  },
];

/** The situations that the explorer explores, by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'provision-D': provisioned(classDelete, {
    maxActs: 2,
    acts: ['deleteClaim', 'createClaim', 'editClaimSecret', 'editSecret', ...faults],
    situation: 'A user creates a claim with a class of policy Delete, and deletes or edits it early.',
  }),
  'provision-R': provisioned(classRetain, {
    maxActs: 2,
    acts: ['deleteClaim', 'createClaim', 'rotate', ...faults],
    situation:
      'A user creates a claim with a class of policy Retain, and an administrator rotates the password early.',
  }),
  'bound-D': provisioned(classDelete, {
    startSettled: true,
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'editSecret', 'editClaimSecret', 'rotate', ...faults],
    situation:
      'A team uses its database: Secrets are edited, passwords are rotated, the claim is deleted and created again.',
  }),
  vanish: provisioned(classRetain, {
    startSettled: true,
    maxActs: 3,
    acts: ['stripFinalizer', 'deleteClaim', 'createClaim', 'removeClaimRef', ...faults],
    situation: 'A user removes the finalizer of a claim, so that the claim is deleted without a release.',
  }),
  'edit-back': provisioned(classDelete, {
    startSettled: true,
    maxActs: 3,
    acts: ['editSecret', 'undoEdit', 'crash', 'rotate'],
    situation: 'An administrator edits a password and then sets the previous one again.',
  }),
  'edit-back-lost': provisioned(classDelete, {
    startSettled: true,
    maxActs: 4,
    acts: ['loseExternal', 'editSecret', 'undoEdit', 'crash'],
    situation:
      'A database is lost in the external system while an administrator edits a password and sets the previous one again.',
  }),
  'edit-back-released': provisioned(classRetain, {
    startSettled: true,
    maxActs: 4,
    acts: ['deleteClaim', 'editSecret', 'undoEdit', 'crash'],
    situation:
      'A claim is deleted (Retain), and an administrator edits a password and sets the previous one again.',
  }),
  refused: provisioned(classRetain, {
    maxActs: 3,
    acts: ['editSecretRefused', 'editSecret', 'deleteClaim', 'editClaimSecret', 'crash'],
    situation: 'An administrator chooses a password that the external system refuses.',
  }),
  foreign: byHand(oneClaim, [m0], {
    maxActs: 3,
    acts: ['foreignSecret', 'deleteClaim', 'crash'],
    situation: "A Secret of the user already has the name of the claim's Secret.",
  }),

  static: byHand(twoClaims, [m0], {
    maxActs: 2,
    acts: ['deleteClaim', 'reserve', 'removeClaimRef', ...faults],
    situation: 'Two teams name the same resource (Retain), and an administrator decides between them.',
  }),
  'static-D': byHand(twoClaims, [m0Delete], {
    maxActs: 2,
    acts: ['deleteClaim', 'createClaim', ...faults],
    situation: 'Two teams name the same resource (Delete), and they delete and create their claims again.',
  }),
  'static-lag': byHand(oneClaim, [m0], {
    eachActOnce: true,
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'staleAPIServer', 'crash', 'removeClaimRef'],
    situation: 'A new process reads old objects while a claim on a resource is created again.',
  }),
  'provision-lag': provisioned(classRetain, {
    eachActOnce: true,
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'staleAPIServer', 'crash'],
    situation: 'A new process reads old objects while a claim with a class is created again.',
  }),
  reserved: byHand(twoClaims, [{ ...m0, claimRef: { claim: 'A', uid: '' } }], {
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'reserve', 'crash'],
    situation: 'An administrator reserves a resource for a claim in advance, and changes the reservation.',
  }),
  'two-resources': byHand(oneClaim, [m0, { ...m0, name: 'm1' }], {
    maxActs: 2,
    acts: ['editResourceRef', 'deleteClaim', ...faults],
    situation: 'A user corrects the resourceRef of a claim before it is Bound.',
  }),
  reoffer: byHand(twoClaims, [m0], {
    onlyDeletedClaims: ['A'],
    startSettled: true,
    maxActs: 4,
    acts: ['deleteClaim', 'removeClaimRef', 'removeClaimRefUID', 'reserve', ...faults],
    situation: 'An administrator makes a Released resource available to another team or to the same one.',
  }),
  removed: byHand(oneClaim, [m0Delete], {
    startSettled: true,
    maxActs: 3,
    acts: ['deleteResource', 'recreateResource', 'editSecret', ...faults],
    situation: 'An administrator deletes a resource in use, and creates one of the same name.',
  }),
  policy: byHand(twoClaims, [m0Delete], {
    onlyDeletedClaims: ['A'],
    startSettled: true,
    eachActOnce: true,
    maxActs: 5,
    acts: ['retain', 'deleteClaim', 'removeClaimRef', 'staleAPIServer', 'crash'],
    situation: 'An administrator changes the policy to Retain just before the user deletes the claim.',
  }),
  'by-hand': byHand({}, [m0Delete], {
    maxActs: 3,
    acts: ['deleteResource', 'recreateResource', ...faults],
    situation: 'An administrator creates, deletes and creates again a resource that no claim uses.',
  }),

  restore: provisioned(classRetain, {
    mayStayReserved: true,
    startSettled: true,
    maxActs: 4,
    acts: ['backup', 'rotate', 'restore', 'deleteClaim', 'crash', 'stopAllWatches'],
    situation: 'An administrator restores an older backup: all UIDs are new, and no object has a status.',
  }),
  'restore-static': byHand(twoClaims, [m0], {
    mayStayReserved: true,
    onlyDeletedClaims: ['A'],
    startSettled: true,
    maxActs: 4,
    acts: ['restore', 'deleteClaim', 'removeClaimRef', 'crash'],
    situation: 'An administrator restores a resource created by hand with the claims of two teams.',
  }),
  'restore-status': provisioned(classDelete, {
    eachActOnce: true,
    startSettled: true,
    backupHasStatus: true,
    maxActs: 3,
    acts: ['restore', 'deleteClaim', 'createClaim', 'crash'],
    situation: 'An administrator restores a backup with statuses.',
  }),
  'restore-owned': provisioned(classDelete, {
    claimsHaveOwner: true,
    eachActOnce: true,
    startSettled: true,
    maxActs: 3,
    acts: ['restore', 'crash', 'stopWatch', 'stopAllWatches'],
    situation:
      'An administrator restores claims with the owner references that they had, so that the garbage collector deletes them.',
  }),
  'restore-owned-status': byHand(oneClaim, [m0Delete], {
    claimsHaveOwner: true,
    backupHasStatus: true,
    eachActOnce: true,
    startSettled: true,
    maxActs: 3,
    acts: ['restore', 'crash', 'stopAllWatches'],
    situation: 'The same with statuses, and with a resource created by hand.',
  }),
  'restore-without': byHand(twoClaims, [m0], {
    onlyDeletedClaims: ['A'],
    startSettled: true,
    mayStayReserved: true,
    backupMayMissClaim: true,
    maxActs: 3,
    acts: ['restore', 'createClaim', 'deleteClaim', 'removeClaimRef'],
    situation: 'An administrator restores a backup that lacks one of the claims.',
  }),
  'restore-order': byHand(oneClaim, [m0Delete], {
    startSettled: true,
    mayStayReserved: true,
    backupHasStatus: true,
    backupMayMissClaim: true,
    nothingIsDeleted: true,
    maxActs: 3,
    acts: ['restore', 'createClaim', 'crash', 'stopAllWatches'],
    situation: 'An administrator restores resources with statuses before their claims.',
  }),
  'restore-claims': byHand(oneClaim, [m0Delete], {
    startSettled: true,
    maxActs: 3,
    acts: claimsAlone,
    situation: 'An administrator restores only the claims, beside living resources created by hand.',
  }),
  'restore-claims-class': provisioned(classDelete, {
    mayBeMadeAvailable: true,
    startSettled: true,
    maxActs: 3,
    acts: claimsAlone,
    situation: 'An administrator restores only the claims, beside living provisioned resources.',
  }),

  'restore-resource': provisioned(classRetain, {
    startSettled: true,
    maxActs: 3,
    acts: ['restoreResourceAlone', 'deleteClaim', 'crash', 'stopAllWatches'],
    situation:
      'An administrator restores only a resource with its status, beside the claim that is Bound to it.',
  }),

  lost: provisioned(classRetain, {
    startSettled: true,
    maxActs: 3,
    acts: ['deleteResource', 'deleteClaim', 'createClaim', 'loseExternal', 'crash', 'stopAllWatches'],
    situation: 'Someone deletes the resource that was created for a claim, or its database.',
  }),
  'no-note': provisioned(classDelete, {
    startSettled: true,
    maxActs: 3,
    acts: ['stripNote', 'rotate', 'editSecret', 'deleteClaim', 'createClaim', 'crash'],
    situation: "The annotation of a resource's Secret is removed while the password changes.",
  }),
  'taken-over': byHand(oneClaim, [released], {
    maxActs: 3,
    acts: ['removeClaimRef', 'rotate', 'deleteClaim', 'crash', 'stopAllWatches'],
    situation: 'Crossplane released the resource that a claim names.',
  }),
  'no-update': provisioned(classDelete, {
    ...restricted('noUpdate', 'rotate'),
    situation: 'An administrator forbids updates of a database in use, and allows them again.',
  }),
  'no-change': provisioned(classDelete, {
    ...restricted('noChange', 'editSecret'),
    situation: 'An administrator forbids each change of a database in use, and allows them again.',
  }),
  'only-observe': provisioned(classRetain, {
    ...restricted('onlyObserve', 'stripNote'),
    situation: 'An administrator lets a database in use be only observed, and allows changes again.',
  }),
  observed: byHand(oneClaim, [{ ...observed, claimRef: { claim: 'A', uid: '' } }], {
    restriction: 'onlyObserve',
    maxActs: 3,
    acts: [
      'giveSecret',
      'stripNote',
      'editClaimSecret',
      'loseExternal',
      'deleteResource',
      'deleteClaim',
      'crash',
    ],
    situation: 'A person writes the password of a database that is only observed into its Secret.',
  }),
  'observed-unoffered': byHand(oneClaim, [observed], {
    restriction: 'onlyObserve',
    maxActs: 2,
    acts: ['giveSecret', 'deleteClaim', 'createClaim', 'crash'],
    situation: 'A claim names a database that is only observed, and that no administrator offered.',
  }),
  'report-loss': byHand(oneClaim, [{ ...m0, given: { reportsLoss: true } }], {
    maxActs: 3,
    acts: ['loseExternal', 'deleteClaim', 'createClaim', 'crash'],
    situation: 'A database is lost, and its resource asks to report that.',
  }),
  'identity-edited': byHand({}, [{ ...m0, given: { isIdentityEdited: true } }], {
    maxActs: 1,
    acts: ['crash'],
    situation: 'A user edits the identity of a resource whose database does not exist.',
  }),
  'parameter-edited': provisioned(classRetain, {
    hasParameter: true,
    obstacle: { of: 'resource/m-u101', name: 'Paused' },
    eachActOnce: true,
    maxActs: 3,
    acts: ['editParameter', 'removeObstacle', 'crash', 'deleteClaim', 'stopAllWatches'],
    situation: 'A user corrects the parameter of a claim before or after the database is created.',
  }),
  'creation-refused': provisioned(classRetain, {
    hasParameter: true,
    obstacle: { of: 'resource/m-u101', name: 'QuotaExceeded' },
    maxActs: 3,
    acts: ['editParameter', 'removeObstacle', 'crash', 'deleteClaim', 'stopAllWatches'],
    situation:
      'The external system refuses a creation, and a user corrects the parameter of the claim meanwhile.',
  }),
  'refused-shown-late': provisioned(classRetain, {
    isKnownLimit: true,
    hasParameter: true,
    isShownLate: true,
    obstacle: { of: 'resource/m-u101', name: 'QuotaExceeded' },
    maxActs: 2,
    acts: ['editParameter', 'removeObstacle'],
    situation:
      'A refused creation is repeated and succeeds while a user corrects the parameter, and the new database shows late.',
  }),
  'shown-late': provisioned(classRetain, {
    hasParameter: true,
    isShownLate: true,
    maxActs: 3,
    acts: ['editParameter', 'crash', 'deleteClaim'],
    situation: 'The external system shows a new database late, and a user corrects the parameter meanwhile.',
  }),
  'no-secret': provisioned(classRetain, {
    maxActs: 2,
    acts: ['wantNoSecret', 'rotate', 'deleteClaim', 'crash'],
    situation: 'A user removes the name of the Secret from a claim.',
  }),
  held: provisioned(classDelete, {
    isHeld: true,
    startSettled: true,
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'letGo', 'crash'],
    situation: 'Another controller holds a deleted claim with its own finalizer.',
  }),
  'held-resource': byHand({}, [m0Delete], {
    isHeld: true,
    maxActs: 3,
    acts: ['deleteResource', 'letGo', 'crash'],
    situation: 'Another controller holds a deleted resource with its own finalizer.',
  }),
  'no-collector': provisioned(classRetain, {
    hasNoGarbageCollector: true,
    startSettled: true,
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'crash'],
    situation: 'A claim is deleted in a cluster without a garbage collector.',
  }),
  'no-collector-vanish': provisioned(classRetain, {
    hasNoGarbageCollector: true,
    startSettled: true,
    maxActs: 3,
    acts: ['stripFinalizer', 'createClaim', 'crash'],
    situation: 'The same with a claim that is deleted without a release.',
  }),

  protected: provisioned(classDelete, {
    isProtected: true,
    maxActs: 4,
    acts: ['deleteClaim', 'endProtection', 'createClaim', 'crash', 'stopWatch'],
    situation: 'A user deletes a claim that has deletion protection, and may end the protection.',
  }),
  'protected-keep': retained({
    isProtected: true,
    maxActs: 4,
    acts: ['deleteClaim', 'endProtection', 'createClaim', 'timePasses', 'staleAPIServer'],
    situation: 'The same with a class that keeps the resource of a deleted claim.',
  }),

  keep: retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'timePasses', 'crash', 'stopWatch'],
    situation: 'A user deletes a claim and creates it again, before or after the date.',
  }),
  'keep-early': retained({
    startSettled: false,
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'timePasses', ...faults],
    situation: 'A user deletes a claim before it is Bound.',
  }),
  'keep-lag': retained({
    eachActOnce: true,
    maxActs: 5,
    acts: ['deleteClaim', 'createClaim', 'timePasses', 'staleAPIServer', 'crash'],
    situation: 'A new process reads old objects while a deleted claim is created again.',
  }),
  'keep-twice': retained({
    maxActs: 5,
    acts: ['deleteClaim', 'createClaim', 'timePasses'],
    situation: 'A user deletes and creates a claim again and again.',
  }),
  'keep-copy': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createFromCopy', 'timePasses', 'crash', 'stopWatch'],
    situation: 'A user deletes a claim and applies a copy of it, which names its resource.',
  }),
  'keep-secrets': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'editSecret', 'rotate', 'crash'],
    situation: 'The password is rotated, or its Secret is lost, while the resource is kept.',
  }),
  'keep-lost': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'loseExternal', 'timePasses', 'crash'],
    situation: 'Someone deletes the database of a kept resource in the external system.',
  }),
  'keep-retain': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'retain', 'timePasses', 'crash'],
    situation: 'An administrator changes the policy of a kept resource to Retain.',
  }),
  'keep-paused': retained({
    obstacle: { of: 'resource/m-u101', name: 'Paused', isLate: true },
    eachActOnce: true,
    maxActs: 4,
    acts: ['deleteClaim', 'addObstacle', 'removeObstacle', 'timePasses', 'crash'],
    situation: 'An administrator pauses a kept resource.',
  }),
  'keep-admin': retained({
    mayBeMadeAvailable: true,
    mayHaveTwo: true,
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'timePasses', 'removeClaimRef', 'removeClaimRefUID', 'crash'],
    situation: 'An administrator makes a kept resource available by hand.',
  }),
  'keep-undated': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'removeDate', 'createClaim', 'timePasses', 'crash', 'stopWatch'],
    situation: 'An administrator removes the date of a kept resource.',
  }),
  'keep-reserve': retained({
    claims: { A: { class: 'Delete' }, B: { class: 'Delete' } },
    onlyDeletedClaims: ['A'],
    mayBeMadeAvailable: true,
    mayStayReserved: true,
    mayHaveTwo: true,
    maxActs: 3,
    acts: ['deleteClaim', 'createClaim', 'reserve', 'crash'],
    situation:
      'An administrator reserves a kept resource for another claim while its claim is created again.',
  }),
  'keep-vanish': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'stripFinalizer', 'createClaim', 'giveBack', 'timePasses', 'crash'],
    situation: 'A user removes the finalizer of a claim, so that the claim is deleted without a release.',
  }),
  'keep-vanish-lag': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'stripFinalizer', 'createClaim', 'timePasses', 'stopAllWatches'],
    situation: 'The same while watches stop.',
  }),
  'keep-namespace': retained({
    maxActs: 5,
    acts: ['deleteClaim', 'recreateNamespace', 'createClaim', 'giveBack', 'timePasses'],
    situation: 'A namespace is deleted and created again, perhaps by another team.',
  }),
  'keep-namespace-vanish': retained({
    maxActs: 4,
    acts: ['stripFinalizer', 'recreateNamespace', 'createClaim', 'crash'],
    situation: 'The same with a claim that was deleted without a release.',
  }),
  'keep-administrator': retained({
    retention: 'Administrator',
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'giveBack', 'timePasses', 'crash', 'stopWatch'],
    situation: 'An administrator gives a kept resource back.',
  }),
  'keep-empty': retained({
    maxActs: 4,
    acts: ['deleteClaim', 'createClaim', 'startEmpty', 'recreateNamespace', 'timePasses'],
    situation: 'The author of a claim wants a new database beside the kept one.',
    mayHaveTwo: true,
  }),
  'keep-restore': retained({
    mayStayReserved: true,
    mayHaveTwo: true,
    eachActOnce: true,
    maxActs: 5,
    acts: ['deleteClaim', 'restore', 'createClaim', 'timePasses', 'crash'],
    situation: 'An administrator restores a backup without statuses while a resource is kept.',
  }),
  'keep-restore-status': retained({
    mayStayReserved: true,
    mayHaveTwo: true,
    backupHasStatus: true,
    backupMayMissClaim: true,
    eachActOnce: true,
    maxActs: 5,
    acts: ['deleteClaim', 'restore', 'createClaim', 'timePasses', 'crash'],
    situation: 'An administrator restores a backup with statuses while a resource is kept.',
  }),
  'keep-restore-resource': retained({
    maxActs: 3,
    acts: ['restoreResourceAlone', 'deleteClaim', 'createClaim', 'crash'],
    situation:
      'An administrator restores only a resource, and its claim is deleted before it is Bound again.',
  }),
  'keep-claims': retained({
    mayBeMadeAvailable: true,
    maxActs: 4,
    acts: ['restoreClaimAlone', 'deleteClaim', 'createClaim', 'timePasses', 'crash', 'stopAllWatches'],
    situation: 'An administrator restores only the claims, beside kept resources.',
  }),
  'keep-failover': retained({
    maxActs: 4,
    acts: ['failover', 'deleteClaim', 'createClaim', 'timePasses'],
    situation:
      'A call of the former leader is carried out after the new leader started, while a resource is kept.',
  }),

  ...Object.fromEntries(obstacles.map((obstacle) => [obstacle.name, obstacle.scenario])),

  failover: provisioned(classDelete, {
    isKnownLimit: true,
    maxActs: 2,
    acts: ['failover', 'deleteClaim', 'rotate'],
    situation:
      'Two processes overlap: a call of the former leader is carried out after the new leader started.',
  }),
};
