import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import {
  controllerOf,
  isControlledBy,
  referencesEqual,
  referenceTo,
} from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { controlOf, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { isFrozen, whyNotTaken } from '../../controllers/core/claim/propagated-secret.ts';
import { isProvisionedName } from '../../controllers/core/claim/provisioned-name.ts';
import { fittingName } from '../../controllers/core/name-limits.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, claimKindOf, keyOf } from './fault-finding.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import { describeKey, describeObject, kubectl, lookAgain, patch } from './mend.ts';
import type { View } from './view.ts';
import { readyOf } from './view.ts';

/*
 *   connection secrets that cannot be written. None is deleted that may be somebody else's, or the only copy of what it
 *   holds.
 */

interface Conflict {
  readonly refusal: string;
  readonly whose: string;
}

/** A secret that an owner is to write, if that is there. */
function inTheWay(
  found: FoundSecret | undefined,
  owner: Claim | Managed | undefined,
): { readonly secret: Secret; readonly control: ReturnType<typeof controlOf> } | undefined {
  const secret = found && thereOf(found.secret)?.secret;
  if (secret === undefined || owner === undefined || wasDeleted(owner)) return undefined;
  return { secret, control: controlOf(secret, owner) };
}

/** Whose a secret is that an owner is to write: why he may not, and what is to be said of it. */
function conflictOf(...[found, owner]: Parameters<typeof inTheWay>): Conflict | undefined {
  const there = inTheWay(found, owner);
  return there && typeof there.control === 'object'
    ? { ...there.control, whose: whoseIs(there.secret) }
    : undefined;
}

function whoseIs(secret: Secret): string {
  const controller = controllerOf(secret);
  return controller === undefined
    ? 'The one in the way may be the only copy of what it holds: whoever wrote it can say.'
    : `The one in the way is of ${controller.kind} ${controller.name}, which needs it: leave it.`;
}

/** What is published for a claim that is given it, or has it. */
function publishedFor({ binding, source, theManaged }: View): Secret | undefined {
  const isGiven = binding?.act === 'bind' || binding?.act === 'refresh';
  if (!isGiven || source === undefined || theManaged === undefined || wasDeleted(theManaged))
    return undefined;
  const secret = thereOf(source.secret)?.secret;
  return secret && isControlledBy(secret, theManaged) ? secret : undefined;
}

/** The same of a claim's, which takes over what nobody controls only if nothing is lost by it, and may be written. */
function conflictOfClaim(view: View): Conflict | undefined {
  const { target, theClaim } = view;
  const conflict = conflictOf(target, theClaim);
  const there = inTheWay(target, theClaim);
  const published = publishedFor(view);
  if (conflict !== undefined || there === undefined || published === undefined) return conflict;
  const { secret } = there;
  const isNobodys = controllerOf(secret) === undefined;
  const refusal =
    whyNotTaken(secret, published) ??
    (isNobodys && isFrozen(secret, published)
      ? 'what nobody controls there is immutable, and holds something else than is to be written'
      : undefined);
  return refusal === undefined ? undefined : { refusal, whose: whoseIs(secret) };
}

/** The claim's own secret, where nobody can write it any more: it is made again, once it is gone. */
export const immutableSecret: Find = (view) => {
  const { target, theClaim, subject } = view;
  if (subject.known.sort !== 'claim') return undefined;
  const there = inTheWay(target, theClaim);
  const published = publishedFor(view);
  if (target === undefined || there === undefined || published === undefined) return undefined;
  const isOwn = typeof there.control === 'string' && controllerOf(there.secret) !== undefined;
  if (!isOwn || !isFrozen(there.secret, published)) return undefined;
  const cause = `The claim's secret is not kept in step: secret ${describeKey(target.key)} is immutable, and is no copy of what its resource publishes.`;
  const { data = {} } = published;
  if (Object.keys(there.secret.data ?? {}).some((key) => !(key in data))) {
    const advice = `It holds keys that its resource does not publish, and may be the only copy of them: ask first whether anybody needs those. Once it is gone it is made again, of what the resource publishes.`;
    return { link: 'claim secret', cause, advice, mend: [] };
  }
  return {
    link: 'claim secret',
    cause,
    advice:
      'The values in it are lost with it, which are no longer those that its resource publishes. Of these it is made again:',
    mend: [kubectl('delete', SecretKind, target.key)],
  };
};

/** What the API server takes for a name. */
const longestName = 253;

/** A name for another secret of an owner than the one that is in the way. */
function anotherName(owner: Claim | Managed, inTheWay: string): string {
  const fitting = (end: string): string =>
    fittingName(`${owner.metadata.name}-connection${end}`, { maxLength: longestName });
  const name = fitting('');
  return name === inTheWay ? fitting('-2') : name;
}

/**
 * The namespace in which a managed resource may publish for all that is known: that of its class, or the one that has its
 * provider's credentials, where nobody reads who has not more already. The one that it names may be a slip.
 */
function safeNamespace({ theClass, theManaged, credentials, source }: View): string | undefined {
  // Of a claim that names a class and a resource at once, the class may be another than that of the resource.
  const isItsClass =
    theClass !== undefined && referencesEqual(theManaged?.spec.classRef, referenceTo(theClass));
  const ofClass = isItsClass ? theClass.specTemplate.writeConnectionSecretsToNamespace : undefined;
  if (ofClass !== undefined) return ofClass;
  return source?.key.namespace === credentials?.key.namespace ? source?.key.namespace : undefined;
}

const whereKept = 'in a namespace where administrators keep such secrets';

/** A connection secret is somebody else's. */
export const secretConflict: Find = (view) => {
  const { source, target, theClaim, theManaged, managedService } = view;
  const ofResource = conflictOf(source, theManaged);
  if (ofResource && source && theManaged && managedService) {
    const { refusal, whose } = ofResource;
    const namespace = safeNamespace(view);
    const key = keyOf(theManaged);
    const to = { namespace, name: anotherName(theManaged, source.key.name) };
    return {
      link: 'resource secret',
      cause: `${describeObject(theManaged)} cannot publish its connection details: ${refusal} (secret ${describeKey(source.key)}).`,
      advice: `Publish to another secret${namespace === undefined ? `, ${whereKept}` : ''}. ${whose}`,
      mend: [
        namespace === undefined
          ? kubectl('edit', managedService.kind, key)
          : patch(managedService.kind, key, { spec: { writeConnectionSecretToRef: to } }),
      ],
    };
  }
  if (view.subject.known.sort !== 'claim') return undefined;
  const ofClaim = conflictOfClaim(view);
  if (ofClaim === undefined || target === undefined || theClaim === undefined) return undefined;
  const to = { name: anotherName(theClaim, target.key.name) };
  return {
    link: 'claim secret',
    cause: `The claim cannot be given its secret: ${ofClaim.refusal} (secret ${describeKey(target.key)}).`,
    advice: `Name another secret. ${ofClaim.whose}`,
    mend: [patch(claimKindOf(view), keyOf(theClaim), { spec: { writeConnectionSecretToRef: to } })],
  };
};

/** The two secrets, once all else is well. */
export const propagationRefused: Find = (view) => {
  const { propagation, target, theClaim, theManaged, binding, subject } = view;
  if (propagation?.act !== 'refuse' || target === undefined || subject.known.sort !== 'claim')
    return undefined;
  if (theClaim === undefined || theManaged === undefined || wasDeleted(theClaim)) return undefined;
  const cause = `The claim's secret is not kept in step: ${propagation.message}.`;
  // Only the leave on the source is for binding to give.
  const isWritten =
    propagation.name === 'NoConsent' && (binding?.act === 'refresh' || binding?.act === 'bind');
  if (isWritten) {
    const mend = [lookAgain(claimKindOf(view), keyOf(theClaim))];
    return { link: 'claim secret', cause, advice: 'Binding writes it at its next look.', mend };
  }
  return {
    link: 'claim secret',
    cause,
    advice: `Leave the secret: nothing writes it anew as things are, and it may be the only copy of a password that works. Who administers ${describeObject(theManaged)} can see more:`,
    mend: [`npm run trace -- ${theManaged.kind.toLowerCase()} ${theManaged.metadata.name}`],
  };
};

/** Whether somebody decided that the claim may have the resource, and not the claimant alone. */
const isMeant = (managed: Managed, claim: Claim): boolean =>
  managed.spec.namespaceSelector !== undefined || isProvisionedName(claim, managed.metadata.name);

/** The claim wants a secret of a resource that has none. */
export const noSecret: Find = (view) => {
  const { theClaim, theManaged, managedService, subject } = view;
  if (subject.known.sort !== 'claim' || theClaim?.spec.writeConnectionSecretToRef === undefined)
    return undefined;
  if (theManaged === undefined || managedService === undefined) return undefined;
  if (theManaged.spec.writeConnectionSecretToRef !== undefined || readyOf(theManaged).status !== 'True')
    return undefined;
  const isAsked = !isMeant(theManaged, theClaim);
  return {
    link: 'resource secret',
    cause: `The claim wants a secret, and ${describeObject(theManaged)} publishes none.`,
    ...adviceOf(
      isAsked
        ? `Anybody may claim it who knows its name: ask first whether ${theClaim.metadata.namespace} should have it, and say so in its spec.namespaceSelector.`
        : undefined,
      `${isAsked ? 'Then set' : 'Set'} its spec.writeConnectionSecretToRef, ${whereKept}.`,
    ),
    mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
  };
};
