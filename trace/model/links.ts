import compact from 'lodash/compact.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { incompleteTemplate } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { describeSelector } from '../../apis/core/v1alpha1/selector.ts';
import { storeConfigIn } from '../../apis/core/v1alpha1/store-config.ts';
import { isOwnedBy } from '../../controllers/claim/ownership.ts';
import { recordedIdentity } from '../../controllers/managed/recording/identity.ts';
import { isNeverChanged } from '../../controllers/management-policies.ts';
import { ago, since } from './ago.ts';
import type { ComparedCopy } from './claim-copy.ts';
import { comparedCopy } from './claim-copy.ts';
import type { Found, FoundSecret } from './findings.ts';
import { credentialsKeyOf, thereOf } from './findings.ts';
import { livenessIn } from './liveness.ts';
import { isOfClass } from './signs.ts';
import type { Link, LinkName } from './trace.ts';
import type { View } from './view.ts';
import { conditionsOf, readyOf, syncedOf } from './view.ts';
import { describeObject, describeSubject, named, withheld } from './words.ts';

type Parts = Partial<Omit<Link, 'name' | 'title'>>;

/** A link with the state `ok`, except for the given parts. */
const link = (name: LinkName, title: string, parts: Parts = {}): Link => ({
  name,
  title,
  state: 'ok',
  says: [],
  conditions: [],
  links: [],
  ...parts,
});

/** The link of an object. It is `ok` if the object exists, is not being deleted, and no condition is False. */
function objectLink<T extends KubernetesObject>(
  [name, title]: readonly [name: LinkName, title: string],
  found: Found<T>,
  partsOf: (object: T) => Parts,
  now: Date,
): Link {
  if (found.is === 'withheld') return link(name, title, { state: 'unknown', says: [withheld] });
  if (found.is === 'absent') return link(name, title, { state: 'waits', says: ['does not exist'] });
  if (found.is === 'unsought') return link(name, title, { state: 'none', says: ['none'] });
  const { value } = found;
  const conditions = conditionsOf(value);
  const { says = [], ...parts } = partsOf(value);
  const isFine = !wasDeleted(value) && conditions.every(({ status }) => status !== 'False');
  return link(name, title, {
    state: isFine ? 'ok' : 'waits',
    says: [...says, ...deletionOf(value, now)],
    conditions,
    ...parts,
  });
}

/** Since when the object is being deleted, and the finalizers that hold it. */
function deletionOf({ metadata: { deletionTimestamp, finalizers = [] } }: KubernetesObject, now: Date) {
  if (deletionTimestamp === undefined) return [];
  const held = finalizers.length === 0 ? '' : `, held by ${finalizers.join(', ')}`;
  return [`is being deleted ${since(Date.parse(deletionTimestamp), now)}${held}`];
}

/** The chain below the traced object. No link is `broken` yet. */
export function linksOf(view: View): readonly Link[] {
  switch (view.subject.known.sort) {
    case 'claim': {
      const below = [classLink(view), ...resourceLinks(view), targetLink(view)];
      return [claimLink(view, below), controllersLink(view)];
    }
    case 'managed':
      return [...resourceLinks(view, ownerLinks(view)), controllersLink(view)];
    case 'class':
      return [classLink(view, [...providerLinks(view), usersLink(view)])];
    case 'provider':
      return providerLinks(view, [usersLink(view)]);
  }
}

const phaseOf = (object: { readonly status?: { readonly bindingPhase?: string } }): string =>
  object.status?.bindingPhase ?? 'no phase yet';

const claimParts = (claim: Claim): Parts => ({
  state: readyOf(claim).status === 'True' && !wasDeleted(claim) ? 'ok' : 'waits',
  says: [phaseOf(claim)],
});

function claimLink(view: View, below: readonly Link[]): Link {
  const links = below.filter(({ state }) => state !== 'none');
  const partsOf = (claim: Claim) => ({ ...claimParts(claim), links });
  return objectLink(['claim', describeSubject(view)], view.claim, partsOf, view.now);
}

/** The claim that a managed resource names. */
function ownerLinks({ theManaged, theClaim, claim, now }: View): readonly Link[] {
  const reference = theManaged?.spec.claimRef;
  if (reference === undefined) return [];
  const title = describeReference(reference);
  const isNamesake = claim.is === 'there' && theClaim === undefined;
  return isNamesake
    ? [link('claim', title, { state: 'waits', says: ['does not exist; another claim has this name now'] })]
    : [objectLink(['claim', title], claim, claimParts, now)];
}

/** The traced class, or the class that the claim names. */
function classLink(view: View, links: readonly Link[] = []): Link {
  const { resourceClass, theClaim, theManaged, subject, now } = view;
  // The class of the claim's resource can be that of a previous claim.
  const { classRef: reference, classSelector, resourceRef } = theClaim?.spec ?? {};
  const isTraced = subject.known.sort === 'class';
  if (reference === undefined && !isTraced) {
    const title = classSelector ? `class selector ${describeSelector(classSelector)}` : 'default class';
    return link('class', title, { state: resourceRef === undefined ? 'waits' : 'none' });
  }
  const title = isTraced ? describeSubject(view) : describeReference({ kind: 'class', ...reference });
  if (resourceClass.is === 'unsought' && reference !== undefined)
    return link('class', title, { state: 'unknown', says: ['no stack here has this kind'] });
  if (resourceClass.is === 'absent' && theManaged !== undefined)
    return link('class', title, withoutClass(theClaim));
  const partsOf = ({ specTemplate }: Class): Parts => ({
    says: [
      `reclaim policy ${specTemplate.reclaimPolicy ?? 'Delete'}`,
      `publishes secrets in namespace ${specTemplate.writeConnectionSecretsToNamespace ?? '(none)'}`,
      ...compact([storeConfigIn(specTemplate)]).map((name) => `publishes to StoreConfig ${name}`),
    ],
    links,
  });
  return objectLink(['class', title], resourceClass, partsOf, now);
}

/** A missing class of a resource that exists. Entries of the claim's Secret may come from its template. */
const withoutClass = (claim: Claim | undefined): Parts =>
  syncedOf(claim).reason === incompleteTemplate
    ? { state: 'waits', says: ["no longer exists; entries of the claim's Secret are not rendered again"] }
    : { says: ['no longer exists; the resource does not need it'] };

/** The managed resource and its links; without a resource: the provider that it would use. */
function resourceLinks(view: View, above: readonly Link[] = []): readonly Link[] {
  const { theManaged, managed, theClaim, subject, first, runs, now } = view;
  const isTraced = subject.known.sort === 'managed';
  const reference = theClaim?.spec.resourceRef;
  if (theManaged === undefined && reference === undefined && !isTraced) return providerLinks(view);
  const title = theManaged
    ? describeObject(theManaged)
    : isTraced
      ? describeSubject(view)
      : describeReference(reference ?? {});
  const partsOf = (object: Managed): Parts => {
    const isAnother = theClaim !== undefined && !isTraced && !isOwnedBy(object, theClaim);
    const isReady = readyOf(object).status === 'True' && syncedOf(object).status !== 'False';
    const decision = runs?.(object)?.decision ?? first?.name;
    return {
      state: isReady && !isAnother && !wasDeleted(object) ? 'ok' : 'waits',
      says: [
        phaseOf(object),
        ...(first?.name === 'Paused' ? [first.message ?? ''] : []),
        ...runsOf(view, object),
      ],
      ...(decision !== undefined && { decision }),
      links: [...above, externalLink(view, object), ...providerLinks(view), ...sourceLinks(view)],
    };
  };
  const found: typeof managed = managed.is === 'unsought' ? { is: 'withheld' } : managed;
  const resource = objectLink(['resource', title], found, partsOf, now);
  return theManaged === undefined ? [resource, ...providerLinks(view)] : [resource];
}

/** When its controller observed it, how often that failed, and when it does that next, if this process knows that. */
function runsOf({ runs, now }: View, managed: Managed): readonly string[] {
  const run = runs?.(managed);
  if (run === undefined) return [];
  const failures = run.failures === 0 ? '' : `, ${run.failures} failed in a row`;
  // A next time in the past is not shown: the controller is late, or an event came first.
  const isToCome = run.nextAt !== undefined && run.nextAt > now;
  const next = isToCome ? `, next ${ago(run.nextAt.getTime(), now)} at the latest` : '';
  return [`last observed ${ago(run.at.getTime(), now)}${failures}${next}`];
}

function externalLink({ managedService }: View, managed: Managed): Link {
  const requested = externalName(managed);
  const recorded = recordedIdentity(managed, { immutable: [] })?.name;
  const none = managedService?.externalNames === 'assigned' ? '(assigned at creation)' : '(none yet)';
  const title = printable(`external name ${recorded ?? requested ?? none}`);
  const [synced, ready] = [syncedOf(managed), readyOf(managed)];
  if ([synced, ready].some(({ error }) => isOfClass(error, 'ExternalMissing')))
    return link('external', title, { state: 'waits', says: ['not in the external system'] });
  if ([synced, ready].some(({ error }) => isOfClass(error, 'ExternalRenamed')))
    return link('external', title, { state: 'waits', says: ['renamed in the external system'] });
  // No identity is recorded for a resource that is only observed.
  const isObservedOnly = isNeverChanged(managed.spec) && synced.status === 'True';
  const wasObserved = isObservedOnly || managed.status?.externalIdentity !== undefined;
  const isIgnored = recorded !== undefined && requested !== undefined && requested !== recorded;
  return link('external', title, {
    state: wasObserved ? 'ok' : 'waits',
    says: [
      wasObserved ? 'found in the external system' : 'not found in the external system yet',
      ...(isIgnored
        ? [`the annotation ${annotationKeys.externalName}, ${printable(requested)}, has no effect`]
        : []),
    ],
  });
}

/** The provider, with its credentials and its external system. */
function providerLinks(view: View, more: readonly Link[] = []): readonly Link[] {
  const { provider, providerName, now } = view;
  if (providerName === undefined) return [];
  const { kind, name, kindOf } = providerName;
  const partsOf = (object: KubernetesObject): Parts => {
    const { users } = (object as { readonly status?: { readonly users?: number } }).status ?? {};
    return {
      says: users === undefined ? [] : [`${users} user${users === 1 ? '' : 's'}`],
      links: [credentialsLink(view), serverLink(view), ...more],
    };
  };
  return [objectLink(['provider', `${kind} ${name} (${kindOf.group})`], provider, partsOf, now)];
}

function credentialsLink({ provider, credentials, now }: View): Link {
  const reference = credentialsKeyOf({ provider });
  if (reference === undefined || credentials === undefined)
    return link('credentials', 'credentials', {
      state: 'unknown',
      says: ['they are not in a secret, so that only the controllers see them'],
    });
  const has = thereOf(credentials.secret)?.keys.includes(reference.key) === true;
  const partsOf = (): Parts => ({
    state: has ? 'ok' : 'waits',
    says: [`${has ? 'has' : 'has no'} key "${reference.key}"`],
  });
  const title = `credentials: secret ${objectKeyText(reference)}`;
  return objectLink(['credentials', title], secretOf(credentials), partsOf, now);
}

/** The result of the last call of the external system, for the managed resource or for any user of the provider. */
function serverLink({ theManaged, provider, users }: View): Link {
  const userConditions = [readyOf(thereOf(provider)), ...(thereOf(users) ?? []).map(syncedOf)];
  const observed = theManaged === undefined ? userConditions : [syncedOf(theManaged)];
  const failed = observed.find(({ status, reason }) => status === 'False' && reason !== 'ReconcilePaused');
  const isGood = observed.some(({ status }) => status === 'True');
  if (isGood) return link('server', 'external system', { says: ['answered the last call'] });
  return failed === undefined
    ? link('server', 'external system', { state: 'unknown', says: ['not called yet'] })
    : link('server', 'external system', { state: 'waits', says: [failed.message ?? failed.reason ?? ''] });
}

/** The managed resources that use a class or provider. */
function usersLink({ users }: View): Link {
  const all = thereOf(users);
  if (all === undefined) return link('users', 'used by', { state: 'unknown', says: [withheld] });
  const ready = all.filter((one) => readyOf(one).status === 'True').length;
  const names = all.map(({ metadata }) => metadata.name).toSorted();
  const list = names.length === 0 ? '' : `: ${named(names)}`;
  return link('users', 'used by', { says: [`${all.length} managed resources, ${ready} ready${list}`] });
}

const secretOf = ({ secret }: FoundSecret): Found<KubernetesObject> =>
  secret.is === 'there' ? { is: 'there', value: secret.value.secret } : secret;

const keysOf = ({ secret }: FoundSecret): string => {
  const { keys = [] } = thereOf(secret) ?? {};
  return keys.length === 0 ? 'has no keys' : `has ${keys.join(', ')}`;
};

/** The managed resource's Secret. */
function sourceLinks({ source, now }: View): readonly Link[] {
  if (source === undefined) return [];
  const title = `secret ${objectKeyText(source.key)}`;
  return [objectLink(['resource secret', title], secretOf(source), () => ({ says: [keysOf(source)] }), now)];
}

/** The claim's Secret, and whether it equals that of the managed resource. */
function targetLink(view: View): Link {
  const { target, now } = view;
  if (target === undefined) return link('claim secret', 'secret', { state: 'none' });
  const compared = comparedCopy(view);
  const partsOf = (): Parts => ({
    state: compared?.isSame === false ? 'waits' : 'ok',
    says: [keysOf(target), ...(compared === undefined ? [] : describeCopy(compared))],
  });
  const title = `secret ${objectKeyText(target.key)}`;
  return objectLink(['claim secret', title], secretOf(target), partsOf, now);
}

const describeCopy = ({ isSame, rendered }: ComparedCopy): readonly string[] => [
  ...(isSame === undefined ? [] : [`${isSame ? 'equals' : 'differs from'} the managed resource's secret`]),
  ...(rendered.length === 0 ? [] : [`rendered from a template: ${named(rendered)}`]),
];

function controllersLink(view: View): Link {
  const { lease, isIdle, says } = livenessIn(view);
  const isKnown = lease === 'held' || view.lease.is === 'unsought';
  return link('controllers', 'controllers', { state: isIdle ? 'waits' : isKnown ? 'ok' : 'unknown', says });
}
