import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf, isControlledBy, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { propagationSource, propagationTargets } from '../../apis/core/v1alpha1/secret.ts';
import { isOwnedBy } from '../claim/ownership.ts';
import type { Copy } from '../claim-secret.ts';
import { copyFor, isCopy, isFrozen } from '../claim-secret.ts';
import type { SecretDetails } from '../credential.ts';
import { storedIn, whyNotUsable } from '../credential.ts';
import { firstMatch } from '../first-match.ts';

/** A claim's Secret (`target`), the Secret that it names as its source, and the objects that control the two. */
export interface PropagationFacts {
  /** Whether a service whose stack is ready has the kind of the object that controls the source. */
  readonly isServed: boolean;
  readonly secretDetails?: SecretDetails | undefined;
  readonly target: Secret | undefined;
  readonly source: Secret | undefined;
  readonly claim: Claim | undefined;
  /** The class of the claim. */
  readonly resourceClass: Class | undefined;
  readonly managed: Managed | undefined;
}

/** The decisions of Secret propagation, in the order of docs/decision-tables.md. */
export const propagationDecisions = [
  'NothingToCopyTo',
  'SourceMissing',
  'NotServed',
  'NoConsent',
  'SourceNotControlled',
  'TargetNotControlled',
  'NotBound',
  'CredentialNotApplied',
  'TargetImmutable',
  'InSync',
  'CopySecret',
] as const;

/** A decision with a `message` is reported in an Event. */
export type PropagationDecision =
  | { readonly name: Exclude<(typeof propagationDecisions)[number], 'CopySecret'>; readonly message?: string }
  | { readonly name: 'CopySecret'; readonly desired: Secret };

type Pair = PropagationFacts & { readonly target: Secret; readonly source: Secret };
type Chain = Pair & { readonly claim: Claim; readonly managed: Managed; readonly copy: Copy };

const pairChecks = [notServed, noConsent, sourceNotControlled, targetNotControlled];
const chainChecks = [notBound, credentialNotApplied, targetImmutable];

/**
 * Decides whether a claim's Secret gets the data of its source. The Secrets must name each other (consent). The resource
 * must control the source, the claim must control the target, and the resource must be Bound to the claim.
 * Otherwise every user with write access to annotations could read the source.
 */
export function decidePropagation(facts: PropagationFacts): PropagationDecision {
  const { target, source, claim, managed } = facts;
  if (target === undefined || wasDeleted(target) || propagationSource(target) === undefined) {
    return { name: 'NothingToCopyTo' };
  }
  if (source === undefined) return { name: 'SourceMissing' };
  const refused = firstMatch({ ...facts, target, source }, pairChecks);
  if (refused !== undefined) return refused;
  if (claim === undefined || managed === undefined) return { name: 'NothingToCopyTo' }; // the checks above exclude this
  const copy = copyFor({ ...facts, target, source, claim });
  return firstMatch({ ...facts, target, source, claim, managed, copy }, chainChecks) ?? copied(target, copy);
}

const copied = (target: Secret, copy: Copy): PropagationDecision =>
  isCopy(target, copy) ? { name: 'InSync' } : { name: 'CopySecret', desired: copy.secret };

const nameOf = ({ metadata }: Secret): string => `${metadata.namespace}/${metadata.name}`;
const describe = ({ kind, metadata }: Claim | Managed): string => `${kind} ${metadata.name}`;

/** The source is of a stack that is not ready yet, or of one that another process runs. */
function notServed({ isServed }: Pair): PropagationDecision | undefined {
  return isServed ? undefined : { name: 'NotServed' };
}

function noConsent({ target, source }: Pair): PropagationDecision | undefined {
  const { namespace, name } = target.metadata;
  const consents = propagationTargets(source).some((to) => to.namespace === namespace && to.name === name);
  if (consents) return undefined;
  const message = `connection secret ${nameOf(source)} does not consent to be copied to ${nameOf(target)}`;
  return { name: 'NoConsent', message };
}

function sourceNotControlled({ source, managed }: Pair): PropagationDecision | undefined {
  if (managed !== undefined && isControlledBy(source, managed)) return undefined;
  const owner = managed === undefined ? 'a managed resource that exists' : describe(managed);
  const message = `connection secret ${nameOf(source)} is not controlled by ${owner}`;
  return { name: 'SourceNotControlled', message };
}

function targetNotControlled({ target, claim }: Pair): PropagationDecision | undefined {
  if (claim !== undefined && isControlledBy(target, claim)) return undefined;
  // A restore leaves it like that. The binding controller takes the Secret, or reports that it cannot.
  if (controllerOf(target) === undefined) return { name: 'TargetNotControlled' };
  const owner = claim === undefined ? 'a claim that exists' : describe(claim);
  return { name: 'TargetNotControlled', message: `secret ${nameOf(target)} is not controlled by ${owner}` };
}

/** After a restore from a backup, waits until the binding controller has corrected the UID in `claimRef`. */
function notBound({ claim, managed }: Chain): PropagationDecision | undefined {
  if (managed.status?.bindingPhase === 'Bound' && isOwnedBy(managed, claim)) return undefined;
  // The copy of a claim that is being deleted will be deleted, too, so there is nothing to report.
  if (wasDeleted(claim)) return { name: 'NotBound' };
  return { name: 'NotBound', message: `${describe(managed)} is not bound to ${describe(claim)}` };
}

/** Until the new credential works, the claim keeps its copy of the old. A changed `status.credential` triggers a run. */
function credentialNotApplied(facts: Chain): PropagationDecision | undefined {
  const { claim, managed, source, secretDetails = {} } = facts;
  const reason = whyNotUsable(managed, storedIn(source), referenceTo(claim), secretDetails);
  return reason === undefined ? undefined : { name: 'CredentialNotApplied' };
}

function targetImmutable({ target, copy }: Chain): PropagationDecision | undefined {
  if (!isFrozen(target, copy)) return undefined;
  const message = `secret ${nameOf(target)} is immutable and differs from its source; ${advice.deleteFrozenCopy}`;
  return { name: 'TargetImmutable', message };
}
