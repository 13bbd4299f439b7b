import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { isOwnedBy, namesClaim } from '../../controllers/core/claim/ownership.ts';
import { recordedIdentity } from '../../controllers/core/managed/recording/identity.ts';
import { isNeverChanged } from '../../controllers/core/management-policies.ts';
import { ago, since } from './ago.ts';
import { describeObject } from './commands.ts';
import { isExternalMissing } from './external-trouble.ts';
import { going, link, missing, withheld } from './link-parts.ts';
import { providerLinks } from './provider-links.ts';
import { sourceLinks } from './secret-links.ts';
import type { Link, LinkState } from './trace.ts';
import type { View } from './view.ts';
import { conditionsOf, readyOf, syncedOf } from './view.ts';

/** The managed resource and its links; without a resource: the provider that it would use. */
export function resourceLinks(view: View, above: readonly Link[] = []): readonly Link[] {
  const { theManaged, managed, theClaim, subject, first, now } = view;
  const title = theManaged
    ? describeObject(theManaged)
    : subject.known.sort === 'managed'
      ? `${subject.known.kind.kind} ${subject.key.name}`
      : describeReference(theClaim?.spec.resourceRef ?? {});
  if (theManaged === undefined) {
    const isNamed = theClaim?.spec.resourceRef !== undefined || subject.known.sort === 'managed';
    const own = missing(isNamed && managed.is === 'unsought' ? { is: 'withheld' } : managed);
    const resource: readonly Link[] = isNamed ? [link('resource', title, own)] : [];
    return [...resource, ...providerLinks(view)];
  }
  const isAnother =
    theClaim !== undefined && subject.known.sort === 'claim' && !isOwnedBy(theManaged, theClaim);
  const holder = theManaged.spec.claimRef;
  const isReady = readyOf(theManaged).status === 'True' && !wasDeleted(theManaged);
  const isTroubled = syncedOf(theManaged).status === 'False';
  const state: LinkState = isReady && !isAnother && !isTroubled ? 'ok' : 'waits';
  const resource = link('resource', title, {
    state,
    says: [
      theManaged.status?.bindingPhase ?? 'no phase yet',
      ...(isAnother && holder !== undefined ? [claimedBy(holder, namesClaim(theManaged, theClaim))] : []),
      ...(first?.name === 'Paused' ? [first.message] : []),
      ...attemptsOf(view),
      ...going(theManaged, now),
    ],
    conditions: conditionsOf(theManaged),
    ...decisionOf(view),
    links: [
      ...above,
      ...referencesLinks(view),
      externalLink(view),
      ...providerLinks(view),
      ...sourceLinks(view),
    ],
  });
  return [resource];
}

/** A reservation does not show the name of its claim to other teams. */
function claimedBy(holder: ObjectReference, isIt: boolean): string {
  if (holder.uid !== undefined) return `is claimed by ${describeReference(holder)}`;
  return isIt ? 'is reserved for it' : 'is reserved for another claim';
}

/** The last decision of its controller, if a process remembers it; otherwise the decision about the findings. */
function decisionOf({ runs, theManaged, first, decided }: View): { readonly decision?: string } {
  const ahead = first ?? decided?.credential;
  const decision = (theManaged && runs?.(theManaged)?.decision) ?? ahead?.name;
  return decision === undefined ? {} : { decision };
}

/** When the controller observed it, how often that failed, and when it does that next. */
function attemptsOf({ theManaged, runs, events, first, now }: View): readonly string[] {
  if (theManaged === undefined) return [];
  const run = runs?.(theManaged);
  if (run !== undefined) {
    const failures = run.failures === 0 ? '' : `, ${run.failures} failed in a row`;
    // A next time in the past is not shown: the controller is late, or an event came first.
    const isToCome = run.nextAt !== undefined && run.nextAt > now;
    const next = isToCome ? `, next ${ago(run.nextAt.getTime(), now)} at the latest` : '';
    return [`last observed ${ago(run.at.getTime(), now)}${failures}${next}`];
  }
  const { annotations = {} } = theManaged.metadata;
  const poll = annotations[annotationKeys.pollInterval];
  const warnings = events
    .filter(
      ({ type, involvedObject }) => type === 'Warning' && nameIn(involvedObject) === theManaged.metadata.name,
    )
    .toSorted((a, b) => Date.parse(b.lastTimestamp) - Date.parse(a.lastTimestamp));
  const [last] = warnings;
  const synced = syncedOf(theManaged);
  const rests =
    first?.name === 'Paused' || first?.name === 'UnsupportedPolicies' || first?.name === 'CreationIncomplete';
  if (rests) return ['no attempts until that is fixed'];
  if (synced.status === 'False') {
    const tries =
      last === undefined
        ? ''
        : `; reported ${last.count === 1 ? 'once' : `${last.count} times`}, last ${ago(Date.parse(last.lastTimestamp), now)}`;
    return [
      `has failed ${since(Date.parse(synced.lastTransitionTime ?? ''), now)}${tries}`,
      `the controller tries again ${atTheLatest(theManaged)}`,
    ];
  }
  if (readyOf(theManaged).reason === 'Creating')
    return [`the controller observes it again ${atTheLatest(theManaged)}`];
  return poll === undefined ? [] : [`observed every ${poll}`];
}

/** The next observation at the latest. The flags of the process are not known here. */
function atTheLatest({ metadata: { annotations = {} } }: Managed): string {
  const own = annotations[annotationKeys.pollInterval];
  const poll = own ?? 'a poll interval (1m, or --poll-interval)';
  return `within 30 s of the last observation, or within ${poll}`;
}

const nameIn = (reference: object): string | undefined => (reference as { readonly name?: string }).name;

function referencesLinks({ managedService, unresolved, theManaged, referenced }: View): readonly Link[] {
  const { forProvider = {} } = theManaged?.spec ?? {};
  const used = (managedService?.references ?? []).filter(
    ({ ref, selector }) => ref in forProvider || selector in forProvider,
  );
  if (used.length === 0) return [];
  const isUnknown = referenced.some(({ objects }) => objects.is === 'withheld');
  const names = used.map(({ field, to }) => `${field} from a ${to.kind}`);
  if (isUnknown)
    return [
      link('references', `references: ${names.join(', ')}`, {
        state: 'unknown',
        says: [`their objects ${withheld}`],
      }),
    ];
  return [
    link('references', `references: ${names.join(', ')}`, {
      state: unresolved === undefined ? 'ok' : 'waits',
      says: [unresolved ?? 'resolved'],
    }),
  ];
}

function externalLink({ theManaged, managedService }: View): Link {
  const asked = theManaged && externalName(theManaged);
  const recorded = theManaged && recordedIdentity(theManaged, { immutable: [] })?.name;
  const name = recorded ?? asked;
  const title = `external name ${name ?? (managedService?.externalNames === 'assigned' ? '(assigned at creation)' : '(none yet)')}`;
  const isGone = [syncedOf(theManaged), readyOf(theManaged)].some(isExternalMissing);
  if (isGone) return link('external', title, { state: 'waits', says: ['not in the external system'] });
  // No identity is recorded for a resource that is only observed.
  const isObservedOnly =
    theManaged !== undefined && isNeverChanged(theManaged.spec) && syncedOf(theManaged).status === 'True';
  const wasSeen = isObservedOnly || theManaged?.status?.externalIdentity !== undefined;
  return link('external', title, {
    state: wasSeen ? 'ok' : 'waits',
    says: [
      wasSeen ? 'found in the external system' : 'not found in the external system yet',
      ...(recorded !== undefined && asked !== undefined && asked !== recorded
        ? [`the annotation ${annotationKeys.externalName}, ${asked}, has no effect`]
        : []),
    ],
  });
}
