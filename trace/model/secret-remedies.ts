/*
 * Remedies for connection Secrets that cannot be written. No command deletes a Secret that may belong to another owner or
 * be the only copy of its data.
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf, referencesEqual, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { controlOf, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { fittingName } from '../../controllers/core/name-limits.ts';
import { kubectl, patch } from './commands.ts';
import { claimKindOf, keyOf } from './fault-parts.ts';
import type { Details } from './fault-row.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import type { Sign } from './signs.ts';
import type { View } from './view.ts';

/** The managed resource cannot write its Secret. */
export const refusalOf: Sign = ({ source, theManaged, managedService }) => {
  const secret = source && thereOf(source.secret)?.secret;
  if (secret === undefined || !managedService || theManaged === undefined || wasDeleted(theManaged))
    return undefined;
  const control = controlOf(secret, theManaged);
  return typeof control === 'object' ? control.refusal : undefined;
};

function leaveSecret(found: FoundSecret): string {
  const secret = thereOf(found.secret)?.secret;
  const controller = secret && controllerOf(secret);
  return controller === undefined
    ? 'That Secret may be the only copy of the data in it: ask the person who wrote it.'
    : `Leave that Secret: ${controller.kind} ${controller.name} controls it.`;
}

/** The claim's Secret is its own copy and immutable. If a user deletes it, it is created again. */
export const isImmutableCopy = ({ decided }: View): boolean => decided?.secrets?.hasCopy === true;

export const replaceCopy: Details = ({ target, source }) => {
  if (target === undefined) return {};
  const published = source && thereOf(source.secret)?.keys;
  if (thereOf(target.secret)?.keys.some((key) => published?.includes(key) !== true)) {
    return {
      advice:
        'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.',
    };
  }
  return {
    advice: 'This deletes the values in it. The resource publishes newer values:',
    commands: [kubectl('delete', SecretKind, target.key)],
  };
};

const longestObjectName = 253;

function anotherName(owner: Claim | Managed, current: string): string {
  const fitting = (end: string): string =>
    fittingName(`${owner.metadata.name}-connection${end}`, { maxLength: longestObjectName });
  const name = fitting('');
  return name === current ? fitting('-2') : name;
}

/**
 * A namespace where only administrators read Secrets: that of the resource's class, or that of its provider's
 * credentials. The namespace that the resource names may be a mistake.
 */
function safeNamespace({ theClass, theManaged, credentials, source }: View): string | undefined {
  // A claim can name a class and a resource of another class.
  const isItsClass =
    theClass !== undefined && referencesEqual(theManaged?.spec.classRef, referenceTo(theClass));
  const ofClass = isItsClass ? theClass.specTemplate.writeConnectionSecretsToNamespace : undefined;
  if (ofClass !== undefined) return ofClass;
  return source?.key.namespace === credentials?.key.namespace ? source?.key.namespace : undefined;
}

export const publishElsewhere: Details = (view) => {
  const { source, theManaged, managedService } = view;
  if (source === undefined || theManaged === undefined || managedService === undefined) return {};
  const namespace = safeNamespace(view);
  const key = keyOf(theManaged);
  const { kind } = managedService;
  const to = { namespace, name: anotherName(theManaged, source.key.name) };
  const where = namespace === undefined ? ', in a namespace where administrators keep such secrets' : '';
  return {
    advice: `Publish to another Secret${where}. ${leaveSecret(source)}`,
    commands: [
      namespace === undefined
        ? kubectl('edit', kind, key)
        : patch(kind, key, { spec: { writeConnectionSecretToRef: to } }),
    ],
  };
};

export const anotherSecret: Details = (view) => {
  const { target, theClaim } = view;
  if (target === undefined || theClaim === undefined) return {};
  const to = { name: anotherName(theClaim, target.key.name) };
  return {
    advice: `Name another Secret. ${leaveSecret(target)}`,
    commands: [patch(claimKindOf(view), keyOf(theClaim), { spec: { writeConnectionSecretToRef: to } })],
  };
};
