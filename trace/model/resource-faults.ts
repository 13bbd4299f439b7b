import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, externalName, finalizerNames, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import {
  isNeverChanged,
  isPausedByPolicies,
  shouldDelete,
} from '../../controllers/core/management-policies.ts';
import { isResolvable, referencesIn } from '../../controllers/core/references/references.ts';
import { isExternalMissing } from './external-trouble.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, claimKindOf, keyOf, sentence } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { annotate, describeObject, kubectl, making } from './mend.ts';
import { meant } from './near-names.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

/** What is told of policies before somebody edits them: nobody but him knows which were meant. */
const howToAllow =
  'Set spec.managementPolicies to what is to be done with it: ["*"] is everything, which changes what is outside into what is wanted here, and deletes it with this resource.';

/** Somebody paused it, and something waits for it. */
export const paused: Find = ({ first, theManaged, managedService, theClaim }) => {
  if (first?.name !== 'Paused' || theManaged === undefined || managedService === undefined) return undefined;
  const key = keyOf(theManaged);
  const { kind } = managedService;
  const isAnnotated = theManaged.metadata.annotations?.[annotationKeys.paused] === 'true';
  const isHarmless = readyOf(theManaged).status === 'True' && !wasDeleted(theManaged);
  if (isHarmless && theClaim !== undefined && theClaim.status?.bindingPhase !== 'Bound') return undefined;
  const { spec } = theManaged;
  const deletes = wasDeleted(theManaged) && (isPausedByPolicies(spec) || shouldDelete(spec));
  return {
    link: 'resource',
    cause: `${describeObject(theManaged)} is paused: ${first.message}.`,
    ...adviceOf(
      isPausedByPolicies(spec) ? howToAllow : undefined,
      deletes
        ? 'It is being deleted, and once it goes on, what it stands for in the external system is deleted, too, with its data, unless its policies keep that.'
        : undefined,
    ),
    // What is about to be deleted is let go by whoever means it.
    mend: [
      isAnnotated && !deletes && !isPausedByPolicies(spec)
        ? annotate(kind, key, `${annotationKeys.paused}-`)
        : kubectl('edit', kind, key),
    ],
  };
};

/** Its management policies are no supported set. */
export const invalidPolicies: Find = ({ first, theManaged, managedService }) =>
  first?.name !== 'UnsupportedPolicies' || theManaged === undefined || managedService === undefined
    ? undefined
    : {
        link: 'resource',
        cause: `${describeObject(theManaged)} may not be worked on: ${first.message}.`,
        advice: howToAllow,
        mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
      };

/** A creation without a known end. */
export const leakedCreation: Find = ({ first, theManaged, managedService }) => {
  if (first?.name !== 'CreationIncomplete' || theManaged === undefined || managedService === undefined)
    return undefined;
  const key = keyOf(theManaged);
  return {
    link: 'external',
    cause: `A creation of ${describeObject(theManaged)} was begun and nobody knows how it ended, so that a second one might be made.`,
    ...markedOff(externalName(theManaged), (...annotations) =>
      kubectl('annotate', managedService.kind, key, ...annotations),
    ),
  };
};

/** Names what was made and removes the mark in one command, so that nothing is created in between. */
function markedOff(
  name: string | undefined,
  annotated: (...annotations: readonly string[]) => string,
): Pick<Fault, 'advice' | 'mend'> {
  const unmarked = `${annotationKeys.externalCreatePending}-`;
  if (name !== undefined) {
    const advice = `Look in the external system whether "${name}" is there and is this one; then remove the mark.`;
    return { advice, mend: [annotated(unmarked)] };
  }
  return {
    advice: `Look in the external system first. If it is there, set NAME to its name there: the command says so and removes the mark. If it is not, leave ${annotationKeys.externalName} out of the command.`,
    // An empty name is there all the same.
    mend: [annotated('--overwrite', `${annotationKeys.externalName}="\${NAME:?its name there}"`, unmarked)],
  };
}

/** There is nothing outside of the name that it has, and nothing is to be made. */
export const nothingOutside: Find = ({ theManaged, managedService }) => {
  if (theManaged === undefined || managedService === undefined || wasDeleted(theManaged)) return undefined;
  const [synced, ready] = [syncedOf(theManaged), readyOf(theManaged)];
  const said = [synced, ready].find((one) => one.status === 'False' && isExternalMissing(one));
  if (said === undefined || theManaged.spec.managementPolicies?.length === 0) return undefined;
  const key = keyOf(theManaged);
  const { kind } = managedService;
  const cause = `${describeObject(theManaged)} stands for what is not in the external system: ${ready.message ?? said.message}.`;
  const renamed = kubectl(
    'annotate',
    kind,
    key,
    '--overwrite',
    `${annotationKeys.externalName}="\${NAME:?its name there}"`,
  );
  if (isNeverChanged(theManaged.spec)) {
    const advice = 'Set NAME to the name that it has there: the command corrects it.';
    return { link: 'external', cause, advice, mend: [renamed] };
  }
  // Where only the creation is not allowed, the resource is in sync.
  const isLost = synced.status === 'False';
  return {
    link: 'external',
    cause,
    advice: isLost
      ? 'Bring it back there, as from a backup. Or have another made in its place, which is empty, and this one forgotten:'
      : 'Create it there, or allow that.',
    mend: [isLost ? annotate(kind, key, `${annotationKeys.externalName}-`) : kubectl('edit', kind, key)],
  };
};

/** What it refers to. */
export const unresolvedReference: Find = ({ unresolved, theManaged, managedService, referenced }) => {
  if (unresolved === undefined || theManaged === undefined || managedService === undefined) return undefined;
  if (wasDeleted(theManaged) || readyOf(theManaged).status === 'True') return undefined;
  const namesOf = (kind: Kind): readonly string[] =>
    referenced
      .filter((one) => one.kind.kind === kind.kind)
      .flatMap(({ objects }) => thereOf(objects) ?? [])
      .map(({ metadata }) => metadata.name);
  const [absent] = (managedService.references ?? []).flatMap((field) =>
    isResolvable(theManaged, field)
      ? referencesIn(theManaged, field)
          .filter((reference) => !namesOf(field.to).includes(reference.name))
          .map((reference) => ({ to: field.to, name: reference.name }))
      : [],
  );
  const { to, name } = absent ?? {};
  const names = to === undefined ? [] : namesOf(to);
  const make = to && making({ kind: to.kind, name });
  return {
    link: 'references',
    cause: `${describeObject(theManaged)} refers to what is not there: ${unresolved}.`,
    ...adviceOf(
      name === undefined ? undefined : meant(name, names),
      to && `Change the reference, or create what it names. ${make?.advice}`,
    ),
    mend: [...(make?.mend ?? []), kubectl('edit', managedService.kind, keyOf(theManaged))],
  };
};

/** The last run of a controller failed: that of the managed resource, or else that of the claim. */
export const failing: Find = (view) => {
  const { theManaged, managedService, managed, theClaim, subject } = view;
  const synced = syncedOf(theManaged);
  if (theManaged && managedService && synced.status === 'False' && synced.reason !== 'ReconcilePaused') {
    return {
      link: 'resource',
      cause: `The controller of ${describeObject(theManaged)} reports a failure: ${synced.message ?? synced.reason}.`,
      mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
    };
  }
  const ofClaim = syncedOf(theClaim);
  if (subject.known.sort !== 'claim' || theClaim === undefined || managed.is === 'withheld') return undefined;
  if (ofClaim.status !== 'False') return undefined;
  return {
    link: 'claim',
    cause: `${sentence(ofClaim.message ?? ofClaim.reason ?? '')}.`,
    mend: [kubectl('edit', claimKindOf(view), keyOf(theClaim))],
  };
};

/** What keeps something from going, if nothing before has said. */
export const deletionWaits: Find = (view) => {
  const { theClaim, theManaged, managedService, provider, providerName, subject, users } = view;
  const ours: Readonly<Record<string, string>> = finalizerNames;
  const foreign = (object: { readonly metadata: { readonly finalizers?: readonly string[] } }) =>
    (object.metadata.finalizers ?? []).filter((name) => !Object.values(ours).includes(name));
  const [object, kind] =
    subject.known.sort === 'claim'
      ? [theClaim, claimKindOf(view)]
      : subject.known.sort === 'managed'
        ? [theManaged, managedService?.kind]
        : [thereOf(provider), providerName?.kindOf];
  if (object === undefined || kind === undefined || !wasDeleted(object)) return undefined;
  const others = foreign(object);
  if (others.length > 0) {
    return {
      link: linkOf(subject.known.sort),
      cause: `${describeObject(object)} is being deleted, and finalizers of somebody else hold it: ${others.join(', ')}.`,
      advice: 'Whoever set them removes them; if nobody does any more, remove them by hand.',
      mend: [kubectl('edit', kind, keyOf(object))],
    };
  }
  if (subject.known.sort === 'provider') {
    const used = thereOf(users) ?? [];
    if (used.length === 0) return undefined;
    const names = used.slice(0, 5).map(describeObject).join(', ');
    return {
      link: 'users',
      cause: `${describeObject(object)} is being deleted, and ${used.length} managed resource${used.length === 1 ? ' uses' : 's use'} it: ${names}${used.length > 5 ? ', …' : ''}.`,
      ...adviceOf(
        'It goes once they use another, or are gone.',
        used.some(({ spec }) => shouldDelete(spec))
          ? 'Who deletes one deletes what it stands for in the external system, too, with its data, unless its policies keep that.'
          : undefined,
      ),
      mend: used
        .slice(0, 5)
        .map(
          ({ apiVersion, kind: name, metadata }) =>
            `kubectl edit ${name.toLowerCase()}.${apiVersion.split('/')[0]} ${metadata.name}`,
        ),
    };
  }
  return undefined;
};

const linkOf = (sort: View['subject']['known']['sort']) => (sort === 'managed' ? 'resource' : sort);

/** Reasons that say no more than that something is on its way. */
const onTheWay = ['Pending', 'Creating', 'Binding', 'Deleting'];

/** Where nothing else explains it, as where the managed resource may not be read: what the claim says. */
export const told: Find = (view) => {
  const { theClaim, managed, subject } = view;
  if (subject.known.sort !== 'claim' || theClaim === undefined) return undefined;
  const ready = readyOf(theClaim);
  if (ready.status !== 'False' || ready.message === undefined) return undefined;
  if (managed.is !== 'withheld') {
    if (onTheWay.includes(ready.reason ?? '')) return undefined;
    return {
      link: 'claim',
      cause: `${sentence(ready.message)}.`,
      mend: [kubectl('edit', claimKindOf(view), keyOf(theClaim))],
    };
  }
  const { resourceRef } = theClaim.spec;
  return {
    link: 'resource',
    cause: `${sentence(ready.message)}.`,
    advice: 'You may not read the managed resource. Who administers it can see more:',
    mend: [`npm run trace -- ${resourceRef?.kind?.toLowerCase()} ${resourceRef?.name}`],
  };
};
