import orderBy from 'lodash/orderBy.js';
import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import { compareResourceVersions } from '../../runtime/cache/resource-version.ts';
import type { CoreEvent } from '../../runtime/events/event-recorder.ts';
import { faultsIn } from './faults.ts';
import type { Findings } from './findings.ts';
import { ownOf, thereOf } from './findings.ts';
import { linksOf } from './links.ts';
import { hintsAt } from './near-names.ts';
import type { Fault, Link, LinkName, Trace, TraceEvent, Verdict } from './trace.ts';
import type { View } from './view.ts';
import { readyOf, viewOf } from './view.ts';

/** The trace of the findings: the chain, the cause and the Events. Pure. */
export function traceOf(findings: Findings): Trace {
  const view = viewOf(findings);
  const { known, key } = findings.subject;
  const subject = `${known.kind.kind} ${objectKeyText(key)}`;
  const own = ownOf(view);
  if (own.is !== 'there') {
    const verdict = own.is === 'withheld' ? 'withheld' : 'absent';
    const hints = findings.inVain === undefined ? [] : hintsAt(findings.inVain);
    return { subject, verdict, isUsable: false, links: [], timeline: [], gaps: [], hints };
  }
  const isUsable = isUsableNow(view);
  const [found] = faultsIn(view);
  const verdict = verdictOf(own.value, isUsable, found);
  // A usable object shows no fault: a fault that disappears by itself is no work for a user.
  const fault = verdict === 'usable' ? undefined : found;
  const links = fault === undefined ? linksOf(view) : marked(linksOf(view), fault.link);
  return {
    subject,
    verdict,
    isUsable,
    ...(fault !== undefined && { fault: { ...fault, cause: printable(fault.cause) } }),
    links,
    timeline: timelineOf(findings.events),
    gaps: gapsOf(findings),
  };
}

function isUsableNow(view: View): boolean {
  const { subject, theClaim, theManaged, theClass, provider, credentials, target } = view;
  switch (subject.known.sort) {
    case 'claim': {
      const isSecretMissing = target?.secret.is === 'absent';
      const isBound = theClaim?.status?.bindingPhase === 'Bound';
      return isBound && readyOf(theClaim).status === 'True' && !wasDeleted(theClaim) && !isSecretMissing;
    }
    case 'managed':
      return theManaged !== undefined && readyOf(theManaged).status === 'True' && !wasDeleted(theManaged);
    case 'class':
      return (
        theClass !== undefined && !wasDeleted(theClass) && provider.is !== 'absent' && isThere(credentials)
      );
    case 'provider': {
      const object = thereOf(provider);
      if (object === undefined || wasDeleted(object) || !isThere(credentials)) return false;
      return readyOf(object).status !== 'False';
    }
  }
}

const isThere = (credentials: View['credentials']): boolean => credentials?.secret.is !== 'absent';

function verdictOf(own: KubernetesObject, isUsable: boolean, fault: Fault | undefined): Verdict {
  if (isUsable) return fault === undefined ? 'usable' : 'usable, but';
  if (fault !== undefined) return 'broken';
  return wasDeleted(own) ? 'being deleted' : 'in progress';
}

/** Marks the link of that name, or the nearest one that the chain has, as broken. */
function marked(links: readonly Link[], name: LinkName): readonly Link[] {
  const names = new Set(namesIn(links));
  const nearest: Readonly<Partial<Record<LinkName, readonly LinkName[]>>> = {
    credentials: ['provider', 'resource', 'claim'],
    server: ['provider', 'resource', 'claim'],
    external: ['resource', 'claim'],
    references: ['resource', 'claim'],
    'resource secret': ['resource', 'claim'],
    provider: ['resource', 'class', 'claim'],
    resource: ['claim'],
    choice: ['claim'],
    class: ['claim'],
    'claim secret': ['claim'],
  };
  const at = [name, ...(nearest[name] ?? [])].find((each) => names.has(each));
  const mark = (link: Link): Link => ({
    ...link,
    state: link.name === at ? 'broken' : link.state,
    links: link.links.map(mark),
  });
  return links.map(mark);
}

const namesIn = (links: readonly Link[]): readonly LinkName[] =>
  links.flatMap(({ name, links: below }) => [name, ...namesIn(below)]);

/** The Events of all objects, oldest first. */
export function timelineOf(events: readonly CoreEvent[]): readonly TraceEvent[] {
  // Event times have whole seconds; within a second, the resource version orders them.
  const written = events.toSorted((a, b) => byVersion(a.metadata, b.metadata));
  const timeline = written.map((event) => {
    const { involvedObject, type, reason, message, count, lastTimestamp, firstTimestamp, source } = event;
    const { kind, namespace, name } = involvedObject as Readonly<Record<string, string | undefined>>;
    return {
      at: lastTimestamp ?? firstTimestamp ?? event.metadata.creationTimestamp ?? '',
      type: type ?? 'Normal',
      object: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
      reason: printable(reason ?? ''),
      message: printable(message ?? ''),
      count: count ?? 1,
      from: source?.component ?? '',
    };
  });
  return orderBy(timeline, ['at']);
}

const byVersion = (a: ObjectMeta, b: ObjectMeta): number =>
  a.resourceVersion === undefined || b.resourceVersion === undefined
    ? 0
    : compareResourceVersions(a.resourceVersion, b.resourceVersion);

function gapsOf(findings: Findings): readonly string[] {
  const parts: readonly (readonly [string, string | undefined])[] = [
    [
      'the classes',
      findings.classes.some(({ classes }) => classes.is === 'withheld') ? 'withheld' : undefined,
    ],
    ['the managed resource', findings.managed.is],
    ['the provider', findings.provider.is],
    ['the credentials', findings.credentials?.secret.is],
    ["the managed resource's secret", findings.source?.secret.is],
    ["the claim's secret", findings.target?.secret.is],
    ['the lease of the controllers', findings.lease.is],
    ['some Events', findings.areEventsWithheld ? 'withheld' : undefined],
  ];
  const names = parts.flatMap(([name, is]) => (is === 'withheld' ? [name] : []));
  if (names.length === 0) return [];
  const { known, key } = findings.subject;
  const { plural, group } = known.kind;
  const where = key.namespace === undefined ? '' : ` -n ${key.namespace}`;
  return [
    `You may not read: ${names.join(', ')}`,
    `An administrator who may read them sees more: npm run trace -- ${plural}.${group} ${key.name}${where}`,
  ];
}
