import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { secretNameProblem, secretNamespaceProblem } from '../../apis/core/v1alpha1/secret.ts';
import { annotate, createSecret, quoted } from './commands.ts';
import type { Details } from './fault-row.ts';
import { commandsIn } from './fault-row.ts';
import { credentialsKeyOf, thereOf } from './findings.ts';
import { deploymentOf } from './liveness.ts';
import { orWrongName } from './remedies.ts';
import { failureOf, isOfClass } from './signs.ts';
import type { View } from './view.ts';
import { joined, keyOf } from './words.ts';

/**
 * How to give the provider other credentials. No command changes an existing Secret: other objects may get their
 * credentials from the same Secret, or another controller may write it.
 */
export const newCredentials: Details = (view) => {
  const { provider, providerName, credentials } = view;
  const edit = commandsIn(view, 'edit provider');
  const reference = credentialsKeyOf({ provider });
  if (reference === undefined) return { commands: edit };
  if (secretNameProblem(reference.name) ?? secretNamespaceProblem(reference.namespace))
    return {
      advice: 'No Secret can have this namespace and name: name another in the provider.',
      commands: edit,
    };
  const there = credentials && thereOf(credentials.secret);
  const needed = providerName?.credentialEntries ?? [];
  // The entries of the existing Secret, since the wrong one may be optional.
  const entries = needed.length === 0 ? [] : [...new Set([...needed, ...(there?.keys ?? [])])];
  const isLong = entries.some((entry) => there?.longKeys.includes(entry));
  const content = { entries, isLong, form: providerName?.credentialForm };
  const { advice, command } = createSecret(reference, content);
  if (credentials?.secret.is === 'absent') return { advice, commands: [command] };
  const another = createSecret({ ...reference, name: `${reference.name}-new` }, content);
  return {
    advice: joined(
      'If no other object uses this secret, correct it where it is written. Otherwise create another secret, with the values of this one that are right, and name it in the provider.',
      another.advice,
    ),
    commands: [another.command, ...edit],
  };
};

export const moreRights: Details = (view, message) => {
  const { advice, commands } = newCredentials(view, message);
  const right =
    'Give them the right in the external system, then try again with the first command. Or use other credentials, which then serve all resources of the provider.';
  const isInSecret = credentialsKeyOf(view) !== undefined;
  return {
    advice: joined(right, advice),
    commands: [...commandsIn(view, 'retry resource'), ...(isInSecret ? (commands ?? []) : [])],
  };
};

export const otherSystem: Details = ({ theManaged, managedService, provider }) => {
  const adopt = `${annotationKeys.adoptIdentity}=true`;
  const how =
    theManaged && managedService
      ? annotate(managedService.kind, keyOf(theManaged), adopt)
      : `set the annotation ${adopt}`;
  return {
    link: credentialsKeyOf({ provider }) === undefined ? 'provider' : 'credentials',
    advice: `If the change was a mistake, undo it: check the provider's spec, such as a project or a region, and its credentials. Other providers may use the same secret. Nothing is lost while you do nothing. If both are one system under two names, confirm that for this resource: ${how}`,
  };
};

export const createNamespace: Details = (view) => {
  const namespace = failureOf(view, 'NamespaceNotFound')?.error?.namespace;
  return namespace === undefined
    ? {}
    : orWrongName(
        {
          advice: 'If the name is right, create the namespace. The controller then continues.',
          commands: [`kubectl create namespace ${quoted(namespace)}`],
        },
        view,
      );
};

export const secretOutOfReach: Details = (view) => {
  const { credentials, source, lease } = view;
  const { error } = failureOf(view, 'SecretsForbidden', 'SecretsExcluded') ?? {};
  const namespace = error?.namespace;
  const isIn = (found: View['source']): boolean => found?.key.namespace === namespace;
  const link = isIn(credentials) ? 'credentials' : isIn(source) ? 'resource secret' : 'claim secret';
  if (!isOfClass(error, 'SecretsExcluded'))
    return {
      link,
      advice:
        'Bind the role for secrets to their service account there. Or keep the secret in a namespace where they have that role.',
      commands: [`kubectl ${namespace === undefined ? '-A' : `-n ${namespace}`} get rolebindings -o wide`],
    };
  const deployment = deploymentOf(lease);
  return {
    link,
    advice:
      'Add the namespace to --secret-namespaces, and create the Role there. Or keep the secret in a namespace of that list.',
    commands: [`kubectl -n ${deployment.namespace} edit deployment ${deployment.name}`],
  };
};
