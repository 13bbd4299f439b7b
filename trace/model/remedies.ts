/*
 * The remedies that depend on more than the message of a fault. No command deletes a Secret that may belong to another
 * owner or be the only copy of its data, an external resource, or a claim that may have data.
 */

import isEmpty from 'lodash/isEmpty.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { nearestFirst } from '../../apis/core/v1alpha1/likeness.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isObjectName } from '../../apis/core/v1alpha1/object-name.ts';
import { controllerOf, isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import { controlOf, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { isCorrectable, whyParametersDiffer } from '../../controllers/claim/claim-parameters.ts';
import { whyUnusable } from '../../controllers/claim/class-template.ts';
import { wasBound, wasProvisioned } from '../../controllers/claim/ownership.ts';
import { sourcesOf } from '../../controllers/claim-binding/claim-advice.ts';
import { howToMakeAvailable } from '../../controllers/claim-binding/report.ts';
import { mustExist } from '../../controllers/managed/recording/identity.ts';
import { isNeverChanged, isPausedByPolicies, shouldDelete } from '../../controllers/management-policies.ts';
import { retentionText } from '../../controllers/retention.ts';
import { comparedCopy } from './claim-copy.ts';
import type { NamedKind } from './commands.ts';
import { annotate, kubectl, making, quoted, traceCommand } from './commands.ts';
import type { Details } from './fault-row.ts';
import { commandsIn } from './fault-row.ts';
import type { FoundSecret } from './findings.ts';
import { ownOf, thereOf } from './findings.ts';
import type { Sign } from './signs.ts';
import { lastFailure } from './signs.ts';
import type { LinkName } from './trace.ts';
import type { View } from './view.ts';
import { conditionsOf, syncedOf } from './view.ts';
import { claimKindOf, describeObject, joined, keyOf, named } from './words.ts';

/** The claim has no resource, and no Secret that may be the only copy of a password. */
function hasNoData({ theClaim, owned, managed, target }: View): boolean {
  if (theClaim === undefined || owned.is !== 'there' || owned.value.length > 0) return false;
  const isObserved =
    theClaim.spec.resourceRef === undefined || managed.is === 'there' || managed.is === 'absent';
  const mayHaveSecret = wasBound(theClaim) && target !== undefined && target.secret.is !== 'absent';
  return isObserved && !mayHaveSecret;
}

/** `todo`: for example `Create another claim`. */
const replaceClaim =
  (todo: string): Details =>
  (view) =>
    view.theClaim !== undefined && hasNoData(view)
      ? {
          advice: `${todo}, and delete this claim, which has no resource and no data.`,
          commands: [kubectl('delete', claimKindOf(view), keyOf(view.theClaim))],
        }
      : {
          advice: `${todo}. Save the data before you delete this claim: its Secret is deleted too, and its resource with the external resource, unless their policies keep them.`,
        };

export const anotherClaim = replaceClaim('Create another claim');

/** A claim can be edited until it has a resource. `todo`: for example `correct spec.classRef`. */
const correctClaim =
  (todo: string, replacing: string): Details =>
  (view) => {
    const { classRef, resourceRef } = view.theClaim?.spec ?? {};
    const isFixed =
      (view.theClaim !== undefined && wasBound(view.theClaim)) ||
      (classRef !== undefined && resourceRef !== undefined);
    return isFixed
      ? replaceClaim(replacing)(view, '')
      : { advice: `${todo}.`, commands: commandsIn(view, 'edit claim') };
  };

/** The message says which values contradict each other, and how to end that. */
export const incompatibleResource: Details = (view) => {
  const { theClaim, theClass, theManaged } = view;
  const edits = commandsIn(view, 'edit claim', 'edit class');
  const isUnusable = theClaim && theClass && whyUnusable(theClaim, theClass) !== undefined;
  if (theManaged === undefined)
    return { link: 'class', commands: isUnusable ? commandsIn(view, 'edit class') : edits };
  if (theClaim && whyParametersDiffer(theClaim, theManaged) !== undefined)
    return { link: 'resource', commands: isCorrectable(theClaim, theManaged) ? edits : edits.slice(0, 1) };
  const other = 'another resource or version';
  const todo = correctClaim(`Give the claim ${other}`, `Create another claim, with ${other}`);
  return { link: 'resource', ...todo(view, '') };
};

export const unknownKind: Details = (view, message) => {
  if (view.theClaim && wasDeleted(view.theClaim))
    return { advice: 'Run the stack that handles the kind (--stacks).' };
  const correct = correctClaim(
    'Correct the reference. Or run the stack that handles the kind (--stacks)',
    'Run the stack that handles the kind (--stacks), or create another claim',
  );
  return correct(view, message);
};

/** Two ways out. `or`: the words between them. */
const twoWays = (
  one: ReturnType<Details>,
  or: string | undefined,
  other: ReturnType<Details>,
): ReturnType<Details> => ({
  advice: joined(one.advice, or, other.advice),
  commands: [...(one.commands ?? []), ...(other.commands ?? [])],
});

/** Two ways out: the second makes the object. No object can have some names. */
const orMaking = (
  one: ReturnType<Details>,
  or: string | undefined,
  missing: NamedKind,
): ReturnType<Details> => (isObjectName(missing.name ?? '') ? twoWays(one, or, making(missing)) : one);

/** A resource has a wrong name from its class, and keeps it when the class is corrected. */
export const wrongName: Details = (view) => {
  const { theManaged, theClass } = view;
  return theManaged === undefined || theClass === undefined || !wasProvisioned(theManaged)
    ? {}
    : {
        advice:
          'If the name is wrong, correct it in the managed resource, and in its class for later claims.',
        commands: commandsIn(view, 'edit resource', 'edit class'),
      };
};

/** Two ways out: the second is for a wrong name. */
export const orWrongName = (one: ReturnType<Details>, view: View): ReturnType<Details> =>
  twoWays(one, undefined, wrongName(view, ''));

export const missingProvider: Details = (view) => {
  const missing: NamedKind = view.providerName ?? {};
  if (isObjectName(missing.name ?? '')) return orWrongName(making(missing), view);
  const { advice, commands = commandsIn(view, 'edit resource') } = wrongName(view, '');
  return { advice: joined('No object can have that name: name another one.', advice), commands };
};

export const missingClass: Details = (view) => {
  const missing: NamedKind = view.theClaim?.spec.classRef ?? {};
  const all = view.classes.flatMap((found) => thereOf(found.classes) ?? []);
  const names = all.filter(({ kind }) => kind === missing.kind).map(({ metadata }) => metadata.name);
  if (names.length === 0)
    return orMaking({ advice: 'There are no classes of this kind.' }, undefined, missing);
  const there = `There are ${named(nearestFirst(missing.name ?? '', names, String))}.`;
  const correct = correctClaim(`${there} Name one of them in spec.classRef`, `${there} Create another claim`);
  return orMaking(correct(view, ''), 'Or create that class.', missing);
};

export const missingResource: Details = (view) => {
  const correct = correctClaim('Correct spec.resourceRef', 'Create another claim, without spec.resourceRef');
  return orMaking(
    correct(view, ''),
    'Or an administrator creates that resource, or restores it from a backup. The claim then gets its data.',
    view.theClaim?.spec.resourceRef ?? {},
  );
};

/** For a user who may read the claim, and not its resource. */
export const askAdministrator: Details = ({ theClaim }) => ({
  advice: 'You cannot read the managed resource. An administrator of it can see more:',
  commands: [traceCommand(theClaim?.spec.resourceRef ?? {})],
});

/**
 * A refused value is corrected where it comes from: in the claim as long as that is possible, else in the resource and its
 * class. If a claim's field were corrected in the resource, the two would be incompatible.
 */
export const refusedValue: Details = (view) => {
  const { theClaim, theManaged, managed } = view;
  if (managed.is === 'withheld') return askAdministrator(view, '');
  const edit = commandsIn(view, 'edit resource');
  if (theManaged === undefined)
    return { advice: 'Change the fields in the managed resources, and in their class.' };
  const { advice = [], fields = [] } = lastFailure(view)?.error ?? {};
  // No command changes a Secret.
  if (advice.includes('ChangeCredential')) {
    return { link: 'resource secret', advice: 'Change the password where the message says.', commands: [] };
  }
  const isName = advice.includes('ChooseExternalName') && !advice.includes('ChangeFields');
  // For a deletion, neither class nor claim matters.
  if (!wasProvisioned(theManaged) || wasDeleted(theManaged)) {
    const what = isName
      ? `Set another name in the annotation ${annotationKeys.externalName} of the managed resource.`
      : 'Change the fields in the managed resource.';
    return { advice: what, commands: edit };
  }
  const anotherOf = (what: string) => replaceClaim(`Create another claim, with another ${what}`)(view, '');
  if (isName) return anotherOf('external name');
  const sources = sourcesOfFields(view, fields);
  const isClaimCorrectable = theClaim !== undefined && isCorrectable(theClaim, theManaged);
  if (sources === undefined || sources.own.length === 0) {
    const change = 'Change the fields in the managed resource, and in its class for later claims.';
    const instead = isClaimCorrectable
      ? 'If the claim sets them, correct them there instead.'
      : 'If the claim sets them, create another claim instead.';
    return {
      advice: sources ? `The claim does not set the refused fields. ${change}` : `${change} ${instead}`,
      commands: [...edit, ...commandsIn(view, 'edit class')],
    };
  }
  const [names, { classFields }] = [sources.own.join(' and '), sources];
  if (!isClaimCorrectable) return anotherOf(classFields === undefined ? names : `${names} and class`);
  return classFields === undefined
    ? { advice: `Correct ${names} of the claim.`, commands: commandsIn(view, 'edit claim') }
    : {
        advice: `Correct ${names} of the claim, and ${classFields}: one without the other is Incompatible.`,
        commands: commandsIn(view, 'edit claim', 'edit class'),
      };
};

/** Where the fields of the claim's resource come from. Undefined: that is not known. */
function sourcesOfFields({ theClaim, theClass, services }: View, fields: readonly string[]) {
  const service = services.find(({ class: { kind } }) => theClass?.kind === kind);
  return theClaim === undefined || theClass === undefined || service === undefined || fields.length === 0
    ? undefined
    : sourcesOf(service, theClaim, theClass, fields);
}

export const makeAvailable: Details = ({ managedService, theManaged, theClaim }) =>
  managedService && theManaged && theClaim
    ? { commands: [howToMakeAvailable(managedService.kind, theManaged, theClaim)] }
    : {};

/** The previous claim had the same namespace and name. The message of the claim has the command, too. */
export const giveBack: Details = ({ theClaim, theManaged, binding }) => {
  if (theClaim === undefined || theManaged === undefined) return {};
  const { namespace = '', name } = theClaim.metadata;
  return {
    cause: `${describeObject(theManaged)} is ${retentionText(theManaged)} with the data of a previous claim of this name; ${binding?.notGivenBack}.`,
    commands: [`kubectl services-stack give-back -n ${namespace} ${quoted(name)}`],
  };
};

export const choosePolicies =
  'Set spec.managementPolicies to the actions that you want. ["*"] allows all: the controller changes the external resource to match this one, and deletes it with this one.';

/** No command resumes a deletion that deletes data, or chooses policies. */
export const resume: Details = (view) => {
  const { theManaged, managedService } = view;
  if (theManaged === undefined || managedService === undefined) return {};
  const { spec, metadata } = theManaged;
  const isByPolicies = isPausedByPolicies(spec);
  const deletes = wasDeleted(theManaged) && (isByPolicies || shouldDelete(spec));
  const isSafe = metadata.annotations?.[annotationKeys.paused] === 'true' && !deletes && !isByPolicies;
  if (isSafe)
    return { commands: [annotate(managedService.kind, keyOf(theManaged), `${annotationKeys.paused}-`)] };
  const advice = joined(
    isByPolicies ? choosePolicies : undefined,
    deletes
      ? 'It is being deleted. When it resumes, the external resource is deleted too, with its data, unless the policies keep it.'
      : undefined,
  );
  return { ...(advice && { advice }), commands: commandsIn(view, 'edit resource') };
};

const setExternalName = ['--overwrite', `${annotationKeys.externalName}="\${NAME:?its name there}"`] as const;

/** One command sets the name and removes the mark, so that nothing is created between the two. */
export const creationMark: Details = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined) return {};
  const unmarked = `${annotationKeys.externalCreatePending}-`;
  return {
    advice: `Check the external system first. If the resource exists, set NAME to its name there: the command sets the name and removes the mark. If not, leave ${annotationKeys.externalName} out of the command.`,
    commands: [kubectl('annotate', managedService.kind, keyOf(theManaged), ...setExternalName, unmarked)],
  };
};

const isNameTaken = (managed: Managed): boolean => syncedOf(managed).error?.holder?.by === 'AnotherResource';

const setAnotherName = {
  advice: 'Set the annotation that the message names, or create another resource.',
  commands: [],
} as const;

/** Another resource has the name of an external resource that was renamed. */
export const takenName: Details = ({ theManaged }) =>
  theManaged && isNameTaken(theManaged)
    ? { advice: 'Run the statements in the message, or set the annotation that it names.', commands: [] }
    : {};

export const missingExternal: Details = (view) => {
  const { theManaged, managedService } = view;
  if (theManaged === undefined || managedService === undefined) return {};
  const [kind, key] = [managedService.kind, keyOf(theManaged)];
  if (isNeverChanged(theManaged.spec)) {
    const advice = 'Set NAME to its name in the external system: the command corrects it.';
    return { advice, commands: [kubectl('annotate', kind, key, ...setExternalName)] };
  }
  // If only the policies forbid the creation, the resource is in sync.
  if (syncedOf(theManaged).status !== 'False')
    return { advice: 'Create it there, or allow Create.', commands: commandsIn(view, 'edit resource') };
  // No creation is possible under the name of another resource.
  if (isNameTaken(theManaged)) return setAnotherName;
  const { adoptIdentity, externalName } = annotationKeys;
  const isNamedByUs = managedService.externalNames === 'deterministic';
  const allowance =
    mustExist(theManaged) || isNamedByUs
      ? ['--overwrite', `${adoptIdentity}=or-create`]
      : [`${externalName}-`];
  const advice = 'Restore it there, for example from a backup. Or have another one created, which is empty:';
  return { advice, commands: [kubectl('annotate', kind, key, ...allowance)] };
};

/** No advice deletes the external resource that has the name: its data may be kept on purpose. */
export const nameTaken: Details = (view) => {
  const { advice, holder } = lastFailure(view)?.error ?? {};
  const { theManaged, managed } = view;
  if (managed.is === 'withheld') return askAdministrator(view, '');
  // Its author chose the name, which may be that of another team's. An administrator chose it for a reserved resource.
  if (theManaged !== undefined && wasProvisioned(theManaged))
    return {
      commands: [],
      ...replaceClaim('Create another claim, with another external name')(view, ''),
    };
  const adoption = advice?.includes('HandOver')
    ? 'Or run the SQL statement that makes this resource the owner.'
    : holder?.by === 'Nobody'
      ? 'Or adopt it: first only observe it, then allow the other actions.'
      : 'If a deleted resource left it (Retain, Orphan), a new resource with the kind and name of the deleted one adopts it.';
  return { advice: `Give this resource another external name. ${adoption}` };
};

/** The mark of a resource that is being deleted lets it delete the data. */
export const lostMark: Details = ({ theManaged }) =>
  theManaged && wasDeleted(theManaged)
    ? {
        advice:
          'It is being deleted: with its mark, it deletes its external resource at once, with all its data. To keep the external resource, set spec.deletionPolicy: Orphan. Find out who changed the mark, and which resource should have it.',
        commands: [],
      }
    : {};

const deletedIn = (view: View) => {
  const own = thereOf(ownOf(view));
  return own && wasDeleted(own) ? own : undefined;
};

const ours: readonly string[] = Object.values(finalizerNames);

export const foreignFinalizers: Sign = (view) => {
  const { finalizers = [] } = deletedIn(view)?.metadata ?? {};
  return finalizers.filter((name) => !ours.includes(name)).join(', ') || undefined;
};

export const waitingObject: Details = ({ subject: { known, key } }) => {
  const links = { claim: 'claim', managed: 'resource', class: 'class', provider: 'provider' } as const;
  const link: LinkName = links[known.sort];
  return { link, commands: [kubectl('edit', known.kind, key)] };
};

/** Managed resources still use the deleted provider. */
export const stillUsed: Sign = (view) =>
  view.subject.known.sort === 'provider'
    ? conditionsOf(deletedIn(view)).find(({ reason }) => reason === 'InUse')?.message
    : undefined;

/** Why no controller may write the Secret of this owner. */
export function refusalOf(found: FoundSecret | undefined, owner: Managed | Claim | undefined) {
  const secret = found && thereOf(found.secret)?.secret;
  if (secret === undefined || owner === undefined || wasDeleted(owner)) return undefined;
  const control = controlOf(secret, owner);
  return typeof control === 'object' ? control.refusal : undefined;
}

export function nameAnotherSecret(existing: FoundSecret | undefined): string {
  const secret = existing && thereOf(existing.secret)?.secret;
  const controller = secret && controllerOf(secret);
  const leave =
    controller === undefined
      ? 'The existing Secret may be the only copy of the data in it: ask the person who wrote it.'
      : `Leave the existing Secret: ${controller.kind} ${controller.name} controls it.`;
  return `Name another Secret in spec.writeConnectionSecretToRef. For the Secret of a resource, choose a namespace that only administrators can read. ${leave}`;
}

/** The claim's Secret is its own copy and immutable. If a user deletes it, it is created again. */
export function isFrozenCopy(view: View): boolean {
  const to = view.target && thereOf(view.target.secret)?.secret;
  if (to === undefined || view.theClaim === undefined || !isControlledBy(to, view.theClaim)) return false;
  return to.immutable === true && comparedCopy(view)?.isSame === false;
}

/** The claim, if it has a shape of its own, else its class. */
export const correctShape: Details = (view) => {
  const { name: _name, ...own } = view.theClaim?.spec.writeConnectionSecretToRef ?? {};
  return { commands: commandsIn(view, isEmpty(own) ? 'edit class' : 'edit claim') };
};

export const replaceCopy: Details = (view) => {
  const { target, source } = view;
  if (target === undefined) return {};
  const published = source && thereOf(source.secret)?.keys;
  const expected = [...(published ?? []), ...(comparedCopy(view)?.rendered ?? [])];
  return thereOf(target.secret)?.keys.some((key) => !expected.includes(key))
    ? {
        advice:
          'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.',
      }
    : {
        advice: 'This deletes the values in it. The resource publishes newer values:',
        commands: [kubectl('delete', SecretKind, target.key)],
      };
};
