import { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { Clock } from '../time/clock.ts';
import type { StreamEvent } from './stream-event.ts';

/** The events of one list. Unsubscribing aborts the running request. */
export function listPages<T extends KubernetesObject>(
  client: KubernetesClient,
  kind: Kind<T>,
  selection: Selection,
  limit: number | undefined,
  clock: Pick<Clock, 'nextTurn'>,
): Observable<StreamEvent<T>> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    let isRequesting = false;
    const run = async (): Promise<void> => {
      subscriber.next({ type: 'restart' });
      let continueToken: string | undefined;
      let resourceVersion: string | undefined;
      do {
        isRequesting = true;
        const page = await client.list(
          kind,
          { ...selection, ...(limit && { limit }), ...(continueToken && { continueToken }) },
          abort.signal,
        );
        if (subscriber.closed) return;
        isRequesting = false;
        // The first page's version: all pages have the same. If a server breaks that rule, no change is skipped.
        resourceVersion ??= page.resourceVersion;
        subscriber.next({ type: 'listed', objects: page.items, resourceVersion });
        continueToken = page.continueToken;
        await clock.nextTurn();
      } while (continueToken !== undefined && !subscriber.closed);
      if (subscriber.closed) return;
      subscriber.next({ type: 'synced', resourceVersion });
      subscriber.complete();
    };
    run().catch((error: unknown) => subscriber.error(error));
    return () => {
      if (isRequesting) abort.abort(); // most lists have ended, and an abort would create an error
    };
  });
}
