import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import { printable } from '../apis/core/v1alpha1/printable.ts';
import { timestamp } from '../apis/core/v1alpha1/timestamp.ts';
import { controllerNames } from '../controllers/claim-service.ts';
import { boundedCache } from '../runtime/bounded-cache.ts';
import type { Outcome } from '../runtime/controller/controller.ts';
import type { EventFacts } from '../runtime/events/event-facts.ts';
import type { CoreEvent } from '../runtime/events/event-kind.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Catalogue } from '../trace/catalogue.ts';
import type { LastRun } from '../trace/model/findings.ts';
import { nodeId } from './nodes.ts';
import type { RecordedEvent } from './page/wire.ts';

/** The Events and outcomes of this process, so that the page needs no requests to the API server. Bounded. */
export interface Memory {
  /** Receives an Event when it is recorded. */
  recordEvent(object: KubernetesObject, event: EventFacts, source: string | undefined): void;
  /** Receives the outcome of a run. */
  recordOutcome(outcome: Outcome): void;
  readonly event$: Observable<RecordedEvent>;
  /** The last Events of all objects, oldest first. */
  recent(): readonly RecordedEvent[];
  eventsOf(object: KubernetesObject): readonly CoreEvent[];
  lastRun(object: KubernetesObject): LastRun | undefined;
}

const rememberedObjects = 20_000;
const eventsPerObject = 20;
const rememberedRecent = 100;

/** An empty memory. */
export function createMemory(catalogue: Catalogue, { now }: Pick<Clock, 'now'>): Memory {
  const event$ = new Subject<RecordedEvent>();
  const recent: RecordedEvent[] = [];
  const events = boundedCache<readonly CoreEvent[]>(rememberedObjects);
  const runs = boundedCache<LastRun>(rememberedObjects);
  const kinds = new Map<string, Kind>(
    catalogue.kinds.map(({ kind }) => [`${kind.kind}.${kind.group}`, kind]),
  );
  const controllers = new Map(
    catalogue.managed.map(({ kind }) => [controllerNames.managed(kind), kind] as const),
  );
  const kindOf = ({ kind, apiVersion }: KubernetesObject): Kind | undefined =>
    kinds.get(`${kind}.${apiVersion.split('/')[0]}`);

  return {
    recordEvent(object, { type, reason, message }, source = '') {
      const { namespace, name, uid = '' } = object.metadata;
      const at = timestamp(now());
      const shown = printable(message);
      const before = events.get(uid) ?? [];
      const same = before.find((one) => one.reason === reason && one.message === shown);
      const event: CoreEvent = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${name}.${before.length}`, namespace: namespace ?? 'default' },
        involvedObject: { kind: object.kind, ...(namespace !== undefined && { namespace }), name, uid },
        type,
        reason,
        message: shown,
        count: (same?.count ?? 0) + 1,
        firstTimestamp: same?.firstTimestamp ?? at,
        lastTimestamp: at,
        source: { component: source },
        reportingComponent: source,
        reportingInstance: '',
      };
      events.set(uid, [...before.filter((one) => one !== same), event].slice(-eventsPerObject));
      const kind = kindOf(object);
      // A repeated Warning is no news.
      if (kind === undefined || (same !== undefined && type === 'Warning')) return;
      const news: RecordedEvent = {
        at,
        type,
        reason,
        message: shown,
        id: nodeId(kind, object.metadata),
        object: `${object.kind} ${objectKeyText(object.metadata)}`,
      };
      recent.push(news);
      if (recent.length > rememberedRecent) recent.shift();
      event$.next(news);
    },
    recordOutcome({ controller, request, decision, result, againInMs }) {
      const kind = controllers.get(controller);
      if (kind === undefined || result === 'conflict' || result === 'interrupted') return;
      const key = runKey(kind, request);
      const isFailure = result === 'error' || result === 'requeue';
      const failures = isFailure ? (runs.get(key)?.failures ?? 0) + 1 : 0;
      const at = now();
      runs.set(key, {
        at,
        failures,
        ...(decision !== undefined && { decision }),
        ...(againInMs !== undefined && { nextAt: new Date(at.getTime() + againInMs) }),
      });
    },
    event$,
    recent: () => recent,
    eventsOf: ({ metadata: { uid = '' } }) => events.get(uid) ?? [],
    lastRun(object) {
      const kind = kindOf(object);
      return kind && runs.get(runKey(kind, object.metadata));
    },
  };
}

const runKey = (kind: Kind, key: ObjectKey): string => `${kindKey(kind)}|${objectKeyText(key)}`;
