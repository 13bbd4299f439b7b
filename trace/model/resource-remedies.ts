/*
 * Remedies for a managed resource, and for objects whose deletion waits.
 */

import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, externalName, finalizerNames, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import {
  isNeverChanged,
  isPausedByPolicies,
  shouldDelete,
} from '../../controllers/core/management-policies.ts';
import { isResolvable, referencesIn } from '../../controllers/core/references/references.ts';
import { annotate, describeObject, kubectl, making } from './commands.ts';
import { adviceOf, claimKindOf, keyOf } from './fault-parts.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import { named } from './link-parts.ts';
import { meant } from './near-names.ts';
import type { Sign } from './signs.ts';
import type { LinkName } from './trace.ts';
import type { View } from './view.ts';
import { syncedOf } from './view.ts';

export const choosePolicies =
  'Set spec.managementPolicies to the actions that you want. ["*"] allows all: the controller changes the external resource to match this one, and deletes it with this one.';

export const resume: Details = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined) return {};
  const { spec, metadata } = theManaged;
  const isByPolicies = isPausedByPolicies(spec);
  const deletes = wasDeleted(theManaged) && (isByPolicies || shouldDelete(spec));
  const { kind } = managedService;
  // An unpaused deletion deletes data, and an administrator chooses policies: no command does either.
  const isSafe = metadata.annotations?.[annotationKeys.paused] === 'true' && !deletes && !isByPolicies;
  return {
    ...adviceOf(
      isByPolicies ? choosePolicies : undefined,
      deletes
        ? 'It is being deleted. When it resumes, the external resource is deleted too, with its data, unless the policies keep it.'
        : undefined,
    ),
    commands: [
      isSafe
        ? annotate(kind, keyOf(theManaged), `${annotationKeys.paused}-`)
        : kubectl('edit', kind, keyOf(theManaged)),
    ],
  };
};

const setExternalName = ['--overwrite', `${annotationKeys.externalName}="\${NAME:?its name there}"`] as const;

/** One command sets the name and removes the mark, so that nothing is created between the two. */
export const creationMark: Details = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined) return {};
  const name = externalName(theManaged);
  const unmarked = `${annotationKeys.externalCreatePending}-`;
  const annotated = (...rest: readonly string[]) => [
    kubectl('annotate', managedService.kind, keyOf(theManaged), ...rest),
  ];
  if (name !== undefined) {
    const advice = `Check in the external system whether "${name}" exists and belongs to this one. Then remove the mark.`;
    return { advice, commands: annotated(unmarked) };
  }
  return {
    advice: `Check the external system first. If the resource exists, set NAME to its name there: the command sets the name and removes the mark. If not, leave ${annotationKeys.externalName} out of the command.`,
    commands: annotated(...setExternalName, unmarked),
  };
};

export const missingExternal: Details = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined) return {};
  const key = keyOf(theManaged);
  const { kind } = managedService;
  if (isNeverChanged(theManaged.spec)) {
    const advice = 'Set NAME to its name in the external system: the command corrects it.';
    return { advice, commands: [kubectl('annotate', kind, key, ...setExternalName)] };
  }
  // If only the policies forbid the creation, the resource is in sync.
  if (syncedOf(theManaged).status !== 'False')
    return { advice: 'Create it there, or allow Create.', commands: [kubectl('edit', kind, key)] };
  return {
    advice:
      'Restore it there, for example from a backup. Or let the controller forget it and create another one, which is empty:',
    commands: [annotate(kind, key, `${annotationKeys.externalName}-`)],
  };
};

export const missingReference: Details = ({ theManaged, managedService, referenced }) => {
  if (theManaged === undefined || managedService === undefined) return {};
  const namesOf = (kind: Kind): readonly string[] =>
    referenced
      .filter((one) => one.kind.kind === kind.kind)
      .flatMap(({ objects }) => thereOf(objects) ?? [])
      .map(({ metadata }) => metadata.name);
  const absent = (managedService.references ?? [])
    .flatMap((field) => {
      const references = isResolvable(theManaged, field) ? referencesIn(theManaged, field) : [];
      return references.map(({ name }) => ({ to: field.to, name }));
    })
    .find(({ to, name }) => !namesOf(to).includes(name));
  const edit = kubectl('edit', managedService.kind, keyOf(theManaged));
  if (absent === undefined) return { commands: [edit] };
  const { to, name } = absent;
  const { advice, commands } = making({ kind: to.kind, name });
  return {
    ...adviceOf(meant(name, namesOf(to)), 'Change the reference, or create the object.', advice),
    commands: [...commands, edit],
  };
};

/** The traced object, if it is being deleted. */
function deleted(view: View) {
  const { theClaim, theManaged, managedService, provider, providerName } = view;
  const objects: Readonly<
    Record<string, readonly [LinkName, KubernetesObject | undefined, Kind | undefined]>
  > = {
    claim: ['claim', theClaim, claimKindOf(view)],
    managed: ['resource', theManaged, managedService?.kind],
    provider: ['provider', thereOf(provider), providerName?.kindOf],
  };
  const [link, object, kind] = objects[view.subject.known.sort] ?? [];
  return link && object && kind && wasDeleted(object) ? { link, object, kind } : undefined;
}

const ours: readonly string[] = Object.values(finalizerNames);

export const foreignFinalizers: Sign = (view) => {
  const { finalizers = [] } = deleted(view)?.object.metadata ?? {};
  const foreign = finalizers.filter((name) => !ours.includes(name));
  return foreign.length === 0 ? undefined : foreign.join(', ');
};

export const waitingObject: Details = (view) => {
  const { link, object, kind } = deleted(view) ?? {};
  return link && object && kind ? { link, commands: [kubectl('edit', kind, keyOf(object))] } : {};
};

const usersOf = (view: View) =>
  view.subject.known.sort === 'provider' && deleted(view) ? (thereOf(view.users) ?? []) : [];

export const stillUsed: Sign = (view) => {
  const users = usersOf(view);
  if (users.length === 0) return undefined;
  const verb = users.length === 1 ? ' uses' : 's use';
  return `${users.length} managed resource${verb} it: ${named(users.map(describeObject))}`;
};

export const usersRemedy: Details = (view) => {
  const users = usersOf(view);
  return {
    ...adviceOf(
      'It is deleted once they use another one or are deleted.',
      users.some(({ spec }) => shouldDelete(spec))
        ? 'If you delete one, its external resource is deleted too, with its data, unless its policies keep it.'
        : undefined,
    ),
    commands: users
      .slice(0, 5)
      .map(
        ({ apiVersion, kind, metadata }) =>
          `kubectl edit ${kind.toLowerCase()}.${apiVersion.split('/')[0]} ${metadata.name}`,
      ),
  };
};
