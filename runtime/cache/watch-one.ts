import type { Observable } from 'rxjs';
import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  from,
  map,
  of,
  repeat,
  retry,
  switchMap,
  timer,
} from 'rxjs';
import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { versionOf } from './resource-version.ts';

/** The watch of one object: the API server ends it after this long, and the next one follows. */
const oneWatchSeconds = 300;
/** The pauses before the next watch of one object: after the end of a watch, and after a failure, for example a 403. */
const oneAgainMs = 1_000;
const oneRetryMs = 10_000;

/**
 * The resourceVersion of one object, and each later one. Empty while the object does not exist. Cold, with one connection
 * per subscription; it needs no right for other objects. Retries every failure; never completes and never errors.
 */
export function watchOne(
  client: KubernetesClient,
  kind: Kind,
  { namespace, name }: ObjectKey,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Observable<string> {
  const selection = { ...(namespace && { namespace }), fieldSelector: `metadata.name=${name}` };
  return defer(() => from(client.list(kind, selection))).pipe(
    switchMap(({ items: [found], resourceVersion }) =>
      concat(
        of(found === undefined ? '' : versionOf(found)),
        client.watch(kind, { ...selection, resourceVersion, timeoutSeconds: oneWatchSeconds }).pipe(
          filter((event) => event.type !== 'BOOKMARK'),
          map(({ type, object }) => (type === 'DELETED' ? '' : versionOf(object))),
        ),
      ),
    ),
    repeat({ delay: () => timer(oneAgainMs, clock.scheduler) }),
    retry({
      delay: (error: unknown) => {
        log.debug('cannot watch one object', { kind: kindKey(kind), namespace, name, error });
        return timer(oneRetryMs, clock.scheduler);
      },
    }),
    distinctUntilChanged(),
  );
}
