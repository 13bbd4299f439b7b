import orderBy from 'lodash/orderBy.js';
import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import { compareResourceVersions } from '../../runtime/cache/resource-version.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import { faultsIn } from './faults.ts';
import type { Findings } from './findings.ts';
import { ownOf } from './findings.ts';
import { linksOf } from './links.ts';
import { hintsAt } from './near-names.ts';
import type { Fault, Link, LinkName, Trace, TraceEvent, Verdict } from './trace.ts';
import type { View } from './view.ts';
import { readyOf, viewOf } from './view.ts';
import { describeSubject } from './words.ts';

/** The trace of the findings: the chain, the cause and the Events. Pure. */
export function traceOf(findings: Findings): Trace {
  const view = viewOf(findings);
  const subject = describeSubject(findings);
  const own = ownOf(view);
  if (own.is !== 'there') {
    const verdict = own.is === 'withheld' ? 'withheld' : 'absent';
    const hints = findings.inVain === undefined ? [] : hintsAt(findings.inVain);
    return { subject, verdict, isUsable: false, links: [], timeline: [], gaps: [], hints };
  }
  const isUsable = isUsableNow(view, own.value);
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

function isUsableNow(view: View, own: KubernetesObject): boolean {
  const { subject, theClaim, provider, credentials, target } = view;
  const ready = readyOf(own).status;
  const isBound = theClaim?.status?.bindingPhase === 'Bound' && target?.secret.is !== 'absent';
  const hasCredentials = provider.is !== 'absent' && credentials?.secret.is !== 'absent';
  const isUsable = {
    claim: isBound && ready === 'True',
    managed: ready === 'True',
    class: hasCredentials,
    provider: hasCredentials && ready !== 'False',
  };
  return isUsable[subject.known.sort] && !wasDeleted(own);
}

function verdictOf(own: KubernetesObject, isUsable: boolean, fault: Fault | undefined): Verdict {
  if (isUsable) return fault === undefined ? 'usable' : 'usable, but';
  if (fault !== undefined) return 'broken';
  return wasDeleted(own) ? 'being deleted' : 'in progress';
}

/** Marks the link of that name as broken. A chain without that link ends before it: then its root is marked. */
function marked(links: readonly Link[], name: LinkName): readonly Link[] {
  const at = namesIn(links).includes(name) ? name : links[0]?.name;
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
    const { involvedObject, type, reason, message, count, lastTimestamp, firstTimestamp } = event;
    const { kind, namespace, name } = involvedObject as Readonly<Record<string, string | undefined>>;
    return {
      at: lastTimestamp ?? firstTimestamp ?? event.metadata.creationTimestamp ?? '',
      type: type ?? 'Normal',
      object: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
      reason: printable(reason ?? ''),
      message: printable(message ?? ''),
      count: count ?? 1,
    };
  });
  return orderBy(timeline, ['at']);
}

const byVersion = (a: ObjectMeta, b: ObjectMeta): number =>
  a.resourceVersion === undefined || b.resourceVersion === undefined
    ? 0
    : compareResourceVersions(a.resourceVersion, b.resourceVersion);

function gapsOf(findings: Findings): readonly string[] {
  const { classes, managed, provider, credentials, source, target, lease } = findings;
  const parts: readonly (readonly [name: string, is: string | undefined])[] = [
    ['the classes', classes.find((found) => found.classes.is === 'withheld')?.classes.is],
    ['the managed resource', managed.is],
    ['the provider', provider.is],
    ['the credentials', credentials?.secret.is],
    ["the managed resource's secret", source?.secret.is],
    ["the claim's secret", target?.secret.is],
    ['the lease of the controllers', lease.is],
    ['some Events', findings.areEventsWithheld ? 'withheld' : undefined],
  ];
  const names = parts.flatMap(([name, is]) => (is === 'withheld' ? [name] : []));
  if (names.length === 0) return [];
  const { known, key } = findings.subject;
  const { plural, group } = known.kind;
  const where = key.namespace === undefined ? '' : ` -n ${key.namespace}`;
  return [
    `You may not read: ${names.join(', ')}`,
    `An administrator who may read them sees more: kubectl services-stack trace ${plural}.${group} ${key.name}${where}`,
  ];
}
