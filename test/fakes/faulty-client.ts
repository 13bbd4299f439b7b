import { concatMap, delay, NEVER, Observable, of } from 'rxjs';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Random } from '../../runtime/time/random.ts';

/** A client between which and the cluster there is what networks and processes do. */
export interface FaultyClient extends KubernetesClient {
  /** From now on watches of this kind tell nothing. */
  hold(kind: Kind): void;
  /** They catch up. */
  release(kind: Kind): void;
  /** Nothing that is asked, or was, is answered any more, as when the process has died. */
  cut(): void;
}

/** No request, answer or event is on its way for longer. */
const longestWayMs = 20;

const never = (): Promise<never> => new Promise(() => {});

/** `latency` says how long each request, answer and event is on its way, in events' order; absent: no time at all. */
export function faultyClient(
  client: KubernetesClient,
  clock: Clock,
  { latency }: { readonly latency?: Random | undefined } = {},
): FaultyClient {
  const held = new Map<string, (() => void)[]>();
  let isCut = false;

  const wayMs = (): number => Math.floor((latency?.() ?? 0) * longestWayMs);

  async function ask<T>(request: () => Promise<T>): Promise<T> {
    if (latency !== undefined) await clock.sleep(wayMs());
    if (isCut) return never();
    try {
      return await request();
    } finally {
      if (latency !== undefined) await clock.sleep(wayMs());
      if (isCut) await never();
    }
  }

  return {
    serverVersion: (...given) => ask(() => client.serverVersion(...given)),
    serves: (...given) => ask(() => client.serves(...given)),
    get: (...given) => ask(() => client.get(...given)),
    list: (...given) => ask(() => client.list(...given)),
    create: (...given) => ask(() => client.create(...given)),
    patch: (...given) => ask(() => client.patch(...given)),
    apply: (...given) => ask(() => client.apply(...given)),
    replace: (...given) => ask(() => client.replace(...given)),
    delete: (...given) => ask(() => client.delete(...given)),
    watch(kind, options) {
      if (isCut) return NEVER;
      const events$ = client.watch(kind, options);
      const late$ =
        latency === undefined
          ? events$
          : events$.pipe(concatMap((event) => of(event).pipe(delay(wayMs(), clock.scheduler))));
      return new Observable((subscriber) =>
        late$.subscribe({
          next(event) {
            const tell = (): void => subscriber.next(event);
            const missed = held.get(kindKey(kind));
            if (missed === undefined) tell();
            else missed.push(tell);
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => subscriber.complete(),
        }),
      );
    },
    hold: (kind) => void held.set(kindKey(kind), []),
    release(kind) {
      const missed = held.get(kindKey(kind)) ?? [];
      held.delete(kindKey(kind));
      for (const tell of missed) tell();
    },
    cut() {
      isCut = true;
    },
  };
}
