import {
  claimedByAnother,
  claimRefIncomplete,
  credentialCannotChange,
  credentialNotApplied,
  missingResource,
  released,
  resourceDeleted,
} from './binding-faults.ts';
import { incompatible, malformedSelector, missingClass, noMatch, unknownKind } from './class-faults.ts';
import { controllersDown } from './controller-faults.ts';
import type { Find } from './fault-finding.ts';
import { namespaceNotAllowed } from './namespace-faults.ts';
import {
  missingCredentials,
  missingProvider,
  otherSystem,
  outside,
  providerTold,
  secretOutOfReach,
} from './provider-faults.ts';
import {
  deletionWaits,
  failing,
  invalidPolicies,
  leakedCreation,
  nothingOutside,
  paused,
  told,
  unresolvedReference,
} from './resource-faults.ts';
import { immutableSecret, noSecret, propagationRefused, secretConflict } from './secret-faults.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/**
 * Every fault there is a name for, what keeps others from being seen first. The first that is found is the cause: what
 * comes after it may be its consequence.
 */
export const faults: readonly (readonly [name: string, find: Find])[] = [
  ['controllers down', controllersDown],
  ['malformed selector', malformedSelector],
  ['no match', noMatch],
  ['incompatible', incompatible],
  ['namespace not allowed', namespaceNotAllowed],
  ['unknown kind', unknownKind],
  ['missing class', missingClass],
  ['claimed by another', claimedByAnother],
  ['claimRef incomplete', claimRefIncomplete],
  ['resource released', released],
  ['missing resource', missingResource],
  ['paused', paused],
  ['invalid policies', invalidPolicies],
  ['resource being deleted', resourceDeleted],
  ['leaked creation', leakedCreation],
  ['missing provider', missingProvider],
  ['missing credentials', missingCredentials],
  ['unresolved reference', unresolvedReference],
  ['secret out of reach', secretOutOfReach],
  ['other system', otherSystem],
  ['nothing there', nothingOutside],
  ['wrong credentials', outside('wrong credentials')],
  ['not allowed', outside('not allowed')],
  ['provider down', outside('provider down')],
  ['rate limited', outside('rate limited')],
  ['quota', outside('quota')],
  ['name taken', outside('name taken')],
  ['refused', outside('refused')],
  ['provider not ready', providerTold],
  ['secret conflict', secretConflict],
  ['immutable secret', immutableSecret],
  ['credential cannot change', credentialCannotChange],
  ['credential not applied', credentialNotApplied],
  ['deletion waits', deletionWaits],
  ['failing', failing],
  ['told by the claim', told],
  ['no secret', noSecret],
  ['secret not in step', propagationRefused],
];

/** Every fault that is found, the cause first. */
export const faultsIn = (view: View): readonly Fault[] =>
  faults.flatMap(([name, find]) => {
    const found = find(view);
    return found === undefined ? [] : [{ name, ...found, cause: found.cause.replace(/\.\.$/, '.') }];
  });
