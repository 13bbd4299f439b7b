import { getCondition, isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { isOwnedBy, namesClaim } from '../../controllers/core/claim/ownership.ts';
import { recordedIdentity } from '../../controllers/core/managed/recording/identity.ts';
import { isNeverChanged } from '../../controllers/core/management-policies.ts';
import { ago, since } from './ago.ts';
import { isExternalMissing } from './external-trouble.ts';
import { conditionsOf, going, link, missing, withheld } from './link-parts.ts';
import { describeObject } from './mend.ts';
import { providerLinks } from './provider-links.ts';
import { sourceLinks } from './secret-links.ts';
import type { Link, LinkState } from './trace.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

/** The managed resource with all that hangs from it; without one, what it would be made with. */
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
  const isReady = isConditionTrue(theManaged.status?.conditions, 'Ready') && !wasDeleted(theManaged);
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

/** The claim of a reservation may not exist yet, and other teams need not learn its name. */
function claimedBy(holder: ObjectReference, isIt: boolean): string {
  if (holder.uid !== undefined) return `is claimed by ${describeReference(holder)}`;
  return isIt ? 'is reserved for it' : 'is reserved for another claim';
}

/** The last decision of its controller, where a process remembers it; else the decision over what was read. */
function decisionOf({ runs, theManaged, first, decided }: View): { readonly decision?: string } {
  const ahead = first ?? decided?.credential;
  const decision = (theManaged && runs?.(theManaged)?.decision) ?? ahead?.name;
  return decision === undefined ? {} : { decision };
}

/** When it was last looked at, how often that failed, and when it will be again. */
function attemptsOf({ theManaged, runs, events, first, now }: View): readonly string[] {
  if (theManaged === undefined) return [];
  const run = runs?.(theManaged);
  if (run !== undefined) {
    const failures = run.failures === 0 ? '' : `, ${run.failures} failed in a row`;
    // Nobody waits for what is over: an event may have come first, or another key has its turn.
    const isToCome = run.nextAt !== undefined && run.nextAt > now;
    const next = isToCome ? `, next ${ago(run.nextAt.getTime(), now)} at the latest` : '';
    return [`last look ${ago(run.at.getTime(), now)}${failures}${next}`];
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
  if (rests) return ['no attempts until that is mended'];
  if (synced.status === 'False') {
    const tries =
      last === undefined
        ? ''
        : `; told of ${last.count === 1 ? 'once' : `${last.count} times`}, last ${ago(Date.parse(last.lastTimestamp), now)}`;
    return [
      `has failed ${since(Date.parse(synced.lastTransitionTime ?? ''), now)}${tries}`,
      `tried again by itself ${atTheLatest(theManaged)}`,
    ];
  }
  if (getCondition(theManaged.status?.conditions, 'Ready').reason === 'Creating')
    return [`looked at again by itself ${atTheLatest(theManaged)}`];
  return poll === undefined ? [] : [`looked at every ${poll}`];
}

/** When what fails, or is on its way, is looked at again, as far as somebody can tell who knows no flags of the process. */
function atTheLatest({ metadata: { annotations = {} } }: Managed): string {
  const own = annotations[annotationKeys.pollInterval];
  const poll = own ?? 'a poll interval (1m unless --poll-interval says otherwise)';
  return `within 30 s of the last look, or within ${poll}`;
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
        says: [`what they lead to ${withheld}`],
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
  const onRecord = theManaged && recordedIdentity(theManaged, { immutable: [] })?.name;
  const name = onRecord ?? asked;
  const title = `external name ${name ?? (managedService?.externalNames === 'assigned' ? '(assigned when it is made)' : '(none yet)')}`;
  const isGone = [syncedOf(theManaged), readyOf(theManaged)].some(isExternalMissing);
  if (isGone) return link('external', title, { state: 'waits', says: ['not in the external system'] });
  // Of what is only looked at no identity is recorded.
  const isLookedAt =
    theManaged !== undefined && isNeverChanged(theManaged.spec) && syncedOf(theManaged).status === 'True';
  const wasSeen = isLookedAt || theManaged?.status?.externalIdentity !== undefined;
  return link('external', title, {
    state: wasSeen ? 'ok' : 'waits',
    says: [
      wasSeen ? 'seen in the external system' : 'not seen in the external system yet',
      ...(onRecord !== undefined && asked !== undefined && asked !== onRecord
        ? [`the annotation ${annotationKeys.externalName}, ${asked}, has no effect`]
        : []),
    ],
  });
}
