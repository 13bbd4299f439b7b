import { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient, Selection } from './kubernetes-client.ts';

/** A name that no object may have, so that the answer is small however many there are. */
const nobody = '-';

/**
 * How far the API server is with a kind, by what it holds in memory: the resourceVersion of the kind's last change, or
 * a later one. One request with an empty list for an answer. Emits once; errors with ApiError; unsubscribing aborts.
 *
 * `resourceVersion=0` makes the API server answer from its watch cache, whose version is the kind's own; without a
 * watch cache it is that of the last change of anything.
 */
export function latestVersion<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
): Observable<string> {
  const fieldSelector = [selection.fieldSelector, `metadata.name=${nobody}`].filter(Boolean).join(',');
  return new Observable((subscriber) => {
    const abort = new AbortController();
    client.list(kind, { ...selection, fieldSelector, resourceVersion: '0' }, abort.signal).then(
      ({ resourceVersion }) => {
        subscriber.next(resourceVersion);
        subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => abort.abort();
  });
}
