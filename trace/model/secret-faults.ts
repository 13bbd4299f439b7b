import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf, referencesEqual, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { controlOf, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { wasProvisioned } from '../../controllers/core/claim/ownership.ts';
import { fittingName } from '../../controllers/core/name-limits.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, claimKindOf, keyOf } from './fault-finding.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import { describeKey, describeObject, kubectl, patch } from './mend.ts';
import type { View } from './view.ts';
import { readyOf } from './view.ts';

/*
 *   connection secrets that cannot be written. None is deleted that may be somebody else's, or the only copy of what it
 *   holds.
 */

/** Why a managed resource may not write the Secret that it names; undefined: it may. */
function refusalOf(found: FoundSecret | undefined, owner: Managed | undefined): string | undefined {
  const secret = found && thereOf(found.secret)?.secret;
  if (secret === undefined || owner === undefined || wasDeleted(owner)) return undefined;
  const control = controlOf(secret, owner);
  return typeof control === 'object' ? control.refusal : undefined;
}

/** What to do with a Secret that is in the way. */
function aboutSecret(found: FoundSecret): string {
  const secret = thereOf(found.secret)?.secret;
  const controller = secret && controllerOf(secret);
  return controller === undefined
    ? 'That Secret may be the only copy of the data in it: ask the person who wrote it.'
    : `Leave that Secret: ${controller.kind} ${controller.name} controls it.`;
}

/** The claim's own Secret cannot be changed. If a user deletes it, it is created again. */
export const immutableSecret: Find = ({ target, source, decided, binding }) => {
  if (binding?.name !== 'SecretNotOwned' || decided?.secrets?.hasCopy !== true) return undefined;
  if (target === undefined) return undefined;
  const cause = `The claim's Secret is not kept in step: ${binding.message}.`;
  const published = source && thereOf(source.secret)?.keys;
  if (thereOf(target.secret)?.keys.some((key) => published?.includes(key) !== true)) {
    const advice =
      'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.';
    return { link: 'claim secret', cause, advice, mend: [] };
  }
  return {
    link: 'claim secret',
    cause,
    advice: 'The values in it are lost. The resource publishes others by now:',
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

/** A connection Secret belongs to another owner, or a user created it by hand. */
export const secretConflict: Find = (view) => {
  const { source, target, theClaim, theManaged, managedService, binding, decided } = view;
  const refusal = refusalOf(source, theManaged);
  if (refusal !== undefined && source && theManaged && managedService) {
    const namespace = safeNamespace(view);
    const key = keyOf(theManaged);
    const to = { namespace, name: anotherName(theManaged, source.key.name) };
    return {
      link: 'resource secret',
      cause: `${describeObject(theManaged)} cannot publish its connection details: ${refusal} (secret ${describeKey(source.key)}).`,
      advice: `Publish to another Secret${namespace === undefined ? `, ${whereKept}` : ''}. ${aboutSecret(source)}`,
      mend: [
        namespace === undefined
          ? kubectl('edit', managedService.kind, key)
          : patch(managedService.kind, key, { spec: { writeConnectionSecretToRef: to } }),
      ],
    };
  }
  if (binding?.name !== 'SecretNotOwned' || decided?.secrets?.hasCopy === true) return undefined;
  if (target === undefined || theClaim === undefined) return undefined;
  const to = { name: anotherName(theClaim, target.key.name) };
  return {
    link: 'claim secret',
    cause: `The claim's Secret cannot be written: ${binding.message}.`,
    advice: `Name another Secret. ${aboutSecret(target)}`,
    mend: [patch(claimKindOf(view), keyOf(theClaim), { spec: { writeConnectionSecretToRef: to } })],
  };
};

/** The claim's Secret is no copy of the resource's, and no controller makes it one. */
export const propagationRefused: Find = (view) => {
  const { decided, target, theClaim, theManaged, binding, subject } = view;
  const { propagation } = decided ?? {};
  if (propagation?.message === undefined || target === undefined || subject.known.sort !== 'claim')
    return undefined;
  if (theClaim === undefined || theManaged === undefined || wasDeleted(theClaim)) return undefined;
  if (binding?.name === 'CopySecret') return undefined; // binding writes the consent in its next run
  return {
    link: 'claim secret',
    cause: `The claim's Secret is not kept in step: ${propagation.message}.`,
    advice: `Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of ${describeObject(theManaged)} can see more:`,
    mend: [`npm run trace -- ${theManaged.kind.toLowerCase()} ${theManaged.metadata.name}`],
  };
};

/** Whether somebody decided that the claim may have the resource, and not the claimant alone. */
const isMeant = (managed: Managed): boolean =>
  managed.spec.namespaceSelector !== undefined || wasProvisioned(managed);

/** The claim wants a secret of a resource that has none. */
export const noSecret: Find = (view) => {
  const { theClaim, theManaged, managedService, subject } = view;
  if (subject.known.sort !== 'claim' || theClaim?.spec.writeConnectionSecretToRef === undefined)
    return undefined;
  if (theManaged === undefined || managedService === undefined) return undefined;
  if (theManaged.spec.writeConnectionSecretToRef !== undefined || readyOf(theManaged).status !== 'True')
    return undefined;
  const isAsked = !isMeant(theManaged);
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
