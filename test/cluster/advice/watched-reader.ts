import { lastValueFrom } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import { allStacks } from '../../../app/stacks.ts';
import { createInformers } from '../../../runtime/cache/informers.ts';
import { selects } from '../../../runtime/cache/selection.ts';
import type { Store } from '../../../runtime/cache/store.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import { EventKind } from '../../../runtime/events/event-kind.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { catalogueOf } from '../../../trace/catalogue.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

/** All stacks: a row may be about any of them. */
export const catalogue = catalogueOf(allStacks);

const watchedKinds = new Set([EventKind, ...catalogue.kinds.map(({ kind }) => kind)].map(kindKey));

/** A reader's view of a cluster. To be stopped. */
export interface WatchedReader extends Pick<KubernetesClient, 'get' | 'list'> {
  stop(): void;
}

/**
 * Reads Events and the kinds of our stacks from watches, one for each kind that is read. Rows poll: a
 * request for each poll takes most of the time of the servers. Other kinds, and objects that no watch has shown yet,
 * are read from the API server.
 */
export function watchedReader(client: KubernetesClient): WatchedReader {
  const informers = createInformers({ client, log: recordedLog(), clock: realClock(), random: Math.random });
  const running = informers.run$.subscribe();

  async function storeOf<T extends KubernetesObject>(kind: Kind<T>): Promise<Store<T>> {
    const { store } = informers.resource(kind);
    await lastValueFrom(store.synced$, { defaultValue: undefined });
    return store;
  }

  return {
    async get(kind, key, signal) {
      const visible = watchedKinds.has(kindKey(kind)) ? (await storeOf(kind)).get(key) : undefined;
      return visible ?? client.get(kind, key, signal);
    },
    async list(kind, options, signal) {
      if (!watchedKinds.has(kindKey(kind))) return client.list(kind, options, signal);
      const items = (await storeOf(kind)).all().filter(selects(options));
      return { items, resourceVersion: '' };
    },
    stop: () => running.unsubscribe(),
  };
}
