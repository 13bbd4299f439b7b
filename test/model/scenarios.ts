import type { ActKind, ByHand, NamedByClaim, Scenario } from './scenario.ts';

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

/** The resources were created by hand. */
const byHand = (claims: Claims, resources: readonly ByHand[], more: More): Scenario => ({
  claims,
  resources,
  start: Object.keys(claims),
  ...more,
});

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

  failover: provisioned(classDelete, {
    isKnownLimit: true,
    maxActs: 2,
    acts: ['failover', 'deleteClaim', 'rotate'],
    situation:
      'Two processes overlap: a call of the former leader is carried out after the new leader started.',
  }),
};
