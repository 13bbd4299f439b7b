import omit from 'lodash/omit.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import { wasBound } from '../../controllers/core/claim/ownership.ts';
import { annotate, describeObject, kubectl, putCredentials } from './commands.ts';
import { credentialsKeyOf } from './credentials-key.ts';
import { isOfClass } from './external-trouble.ts';
import type { Remedy } from './fault-parts.ts';
import { adviceOf, keyOf } from './fault-parts.ts';
import type { Details } from './fault-row.ts';
import { thereOf, unsought } from './findings.ts';
import { named } from './link-parts.ts';
import { deploymentOf } from './liveness.ts';
import { failureOf } from './signs.ts';
import type { View } from './view.ts';

/** The other objects with credentials from the same Secret: `StoreConfig a has its`, `Provider b, Provider c have their`. */
function sharedWith({ sharing = unsought }: View) {
  const others = thereOf(sharing) ?? [];
  if (others.length === 0) return undefined;
  const isOne = others.length === 1;
  return { text: `${named(others.map(describeObject))} ${isOne ? 'has its' : 'have their'}`, isOne };
}

/**
 * How to give the provider other credentials. No command changes a Secret that another object controls, or from which
 * other objects get, or may get, their credentials.
 */
export function newCredentials(view: View): Remedy {
  const { provider, providerName, credentials, sharing } = view;
  const edit = providerName === undefined ? [] : [kubectl('edit', providerName.kindOf, providerName)];
  const reference = credentialsKeyOf(thereOf(provider));
  if (reference === undefined) return { commands: edit };
  const isThere = credentials?.secret.is !== 'absent';
  const shared = sharedWith(view);
  const put = putCredentials(reference, { isThere, entries: providerName?.credentialEntries });
  if (!isThere) {
    const advice = shared && `${shared.text} credentials from this secret too: it must be right for all.`;
    return { ...put, ...adviceOf(advice, put.advice) };
  }
  const secret = credentials && thereOf(credentials.secret)?.secret;
  const writer = secret && controllerOf(secret);
  const own = 'create a secret for this one alone, and name it there:';
  const obstacle = writer
    ? `${writer.kind} ${writer.name} controls and writes the secret. Fix the credentials there, or ${own}`
    : shared
      ? `${shared.text} credentials from the same secret, and a change applies to all. Unless you want that, ${own}`
      : sharing?.is === 'withheld'
        ? `You cannot see whether others have their credentials from the same secret. An administrator who can see that can change it. Or ${own}`
        : undefined;
  return obstacle === undefined ? put : { advice: obstacle, commands: edit };
}

export const forbiddenByProvider: Details = (view) => {
  const { advice, commands } = newCredentials(view);
  const { providerName, provider } = view;
  const name = providerName === undefined ? 'the provider' : `${providerName.kind} ${providerName.name}`;
  return {
    ...adviceOf(
      `Give them the right in the external system. Or use other credentials, which then serve all resources of ${name}.`,
      advice,
    ),
    ...(credentialsKeyOf(thereOf(provider)) !== undefined && { commands }),
  };
};

export const otherSystem: Details = (view) => {
  const { theManaged, managedService, provider } = view;
  const adopt = `${annotationKeys.adoptIdentity}=true`;
  const how =
    theManaged && managedService
      ? annotate(managedService.kind, keyOf(theManaged), adopt)
      : `the annotation ${adopt}`;
  const isSecret = credentialsKeyOf(thereOf(provider)) !== undefined;
  const shared = sharedWith(view);
  const where = isSecret
    ? 'its credentials secret, the name of that secret, and the rest of its spec, such as a project or a region'
    : 'its spec';
  return {
    link: isSecret ? 'credentials' : 'provider',
    ...adviceOf(
      shared &&
        `${shared.text} credentials from the same secret: a change there also affects ${shared.isOne ? 'its' : 'their'} resources.`,
      `If the change was a mistake, undo it: check ${where}. If both are one system under two names, confirm that for this resource with ${how}. Nothing is lost while you do nothing.`,
    ),
  };
};

export const secretOutOfReach: Details = (view, message) => {
  const { credentials, source, lease } = view;
  const { error } = failureOf(view, 'SecretsForbidden', 'SecretsExcluded') ?? {};
  const namespace = error?.namespace;
  const deployment = deploymentOf(lease);
  const links = [
    ['credentials', credentials],
    ['resource secret', source],
  ] as const;
  const [link] = links.find(([, found]) => found?.key.namespace === namespace) ?? ['claim secret' as const];
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const isExcluded = isOfClass(error, 'SecretsExcluded');
  return {
    link,
    cause: `The controllers cannot use the secrets of ${where}: ${message}.`,
    advice: isExcluded
      ? 'Add the namespace to --secret-namespaces, and create the Role there. Or keep the secret in a namespace of that list.'
      : 'Bind the role for secrets to their service account there. Or keep the secret in a namespace where they have that role.',
    commands: [
      isExcluded
        ? `kubectl -n ${deployment.namespace} edit deployment ${deployment.name}`
        : `kubectl -n ${namespace} get rolebindings -o wide`,
    ],
  };
};

const fieldsOfEveryClaim = ['writeConnectionSecretToRef', 'classSelector', 'classRef', 'resourceRef'];

/** A claim's own fields cannot change once it has a resource. */
export const askForOther: Details = ({ theClaim }) => {
  const fields =
    theClaim === undefined || wasBound(theClaim)
      ? []
      : Object.keys(omit(theClaim.spec, fieldsOfEveryClaim)).map((field) => `spec.${field}`);
  return adviceOf(
    fields.length === 0
      ? undefined
      : `The fields of the claim (${named(fields)}) cannot change: if the external system refuses one of them, create another claim.`,
    `${fields.length === 0 ? 'Change' : 'Otherwise change'} the fields in the managed resource and in its class.`,
  );
};
