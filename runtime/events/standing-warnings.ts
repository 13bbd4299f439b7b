import { boundedCache } from '../bounded-cache.ts';
import { pagesOf } from '../client/answer.ts';
import { isTransient } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { StandingEvent } from './event-correlator.ts';
import { eventKey } from './event-correlator.ts';
import type { CoreEvent } from './event-kind.ts';
import { EventKind } from './event-kind.ts';

export interface StandingWarningsOptions {
  readonly client: Pick<KubernetesClient, 'list'>;
  readonly log: Pick<Logger, 'debug'>;
  /** The components whose Events are remembered. */
  readonly sources: ReadonlySet<string>;
}

/** The Warnings that earlier processes wrote, as the API server has them. */
export interface StandingWarnings {
  /** The latest one in a namespace with this {@link eventKey}. Throws a transient ApiError if it cannot be read now. */
  find(namespace: string, key: string, signal: AbortSignal): Promise<StandingEvent | undefined>;
}

const pageSize = 500;
const maxNamespaces = 4096;

/**
 * Reads the Warnings of a namespace once, when this process has its first Warning to write there. So a state that lasts
 * is not reported again because the process was restarted. Without the right to list Events, there are none.
 */
export function standingWarnings({ client, log, sources }: StandingWarningsOptions): StandingWarnings {
  const byNamespace = boundedCache<ReadonlyMap<string, StandingEvent>>(maxNamespaces);

  async function read(namespace: string, signal: AbortSignal): Promise<ReadonlyMap<string, StandingEvent>> {
    const found = new Map<string, StandingEvent>();
    const selection = { namespace, fieldSelector: 'type=Warning', limit: pageSize };
    const pages = pagesOf((token) => client.list(EventKind, { ...selection, ...token }, signal));
    for await (const page of pages) {
      for (const event of page) {
        const standing = standingOf(event);
        const isOurs = sources.has(event.reportingComponent);
        if (!isOurs || standing === undefined) continue;
        const key = eventKey(event.involvedObject, { ...event, source: event.reportingComponent });
        if (standing.lastMs >= (found.get(key)?.lastMs ?? 0)) found.set(key, standing);
      }
    }
    return found;
  }

  return {
    async find(namespace, key, signal) {
      let found = byNamespace.get(namespace);
      if (found === undefined) {
        found = await read(namespace, signal).catch((error: unknown) => {
          if (isTransient(error) || signal.aborted) throw error;
          log.debug('cannot list the Kubernetes Events of a namespace', { namespace, error });
          return new Map<string, StandingEvent>();
        });
        byNamespace.set(namespace, found);
      }
      return found.get(key);
    },
  };
}

/** An Event may be of another program, which leaves fields out. */
function standingOf({ metadata, count, firstTimestamp, lastTimestamp }: Partial<CoreEvent>) {
  const [firstMs, lastMs] = [Date.parse(firstTimestamp ?? ''), Date.parse(lastTimestamp ?? '')];
  if (metadata === undefined || Number.isNaN(firstMs) || Number.isNaN(lastMs)) return undefined;
  return { name: metadata.name, count: count ?? 1, firstMs, lastMs };
}
