import compact from 'lodash/compact.js';
import type { Observable } from 'rxjs';
import { exhaustMap, filter, first, groupBy, map, mergeMap, takeUntil } from 'rxjs';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { mergeEach } from '../../runtime/cache/merge-each.ts';
import type { Store } from '../../runtime/cache/store.ts';
import { watchOne } from '../../runtime/cache/watch-one.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';

/** The namespace of the managed resource's Secret, if it does not exist: a list of none or one. */
function missingNamespacesOf({ status }: Managed): readonly string[] {
  // In a malformed status the conditions may be no list.
  const error = [status?.conditions ?? []].flat().find(({ type }) => type === 'Synced')?.error;
  return error?.class === 'NamespaceNotFound' ? compact([error.namespace]) : [];
}

const byMissingNamespace = 'missing namespace';

/** Emits the managed resources whose Secret waits for a namespace, as soon as the namespace exists. */
export function requestsOfCreatedNamespaces(
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  store: Store<Managed>,
): Observable<Request> {
  store.addIndex(byMissingNamespace, missingNamespacesOf);
  const waitingFor = (namespace: string) => store.byIndex(byMissingNamespace, namespace);
  /** Emits once. Watches only this Namespace, and only while a managed resource waits for it. */
  const created = (name: string) =>
    watchOne(env.client, NamespaceKind, { name }, env).pipe(
      takeUntil(store.changes$.pipe(filter(() => waitingFor(name).length === 0))),
      first((version) => version !== '', ''),
    );
  return store.changes$.pipe(
    mergeEach(({ object }) => missingNamespacesOf(object)),
    groupBy((namespace) => namespace),
    mergeMap((changes$) =>
      changes$.pipe(
        exhaustMap(() => created(changes$.key)),
        mergeMap(() => waitingFor(changes$.key)),
      ),
    ),
    map(({ metadata }) => ({ name: metadata.name })),
  );
}
