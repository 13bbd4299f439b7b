import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { filter, map, Subject } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { SystemFacts } from '../../apis/core/v1alpha1/provider.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { ProviderErrorClass } from '../error-class.ts';

/**
 * The last run of a managed resource showed that the provider works, or failed with an error that can affect every
 * resource of the provider. `unknown`: it showed neither, for example because its values were refused.
 */
export type CallResult =
  | 'works'
  | 'unknown'
  | { readonly errorClass: ProviderErrorClass; readonly message: string };

/** The results of calls with a Provider or ProviderConfig since its last edit. Its users are managed resources. */
interface ProviderCalls {
  /** The last result of each user, by the user's UID. */
  readonly results: ReadonlyMap<string, CallResult>;
  readonly system?: SystemFacts | undefined;
}

interface Held extends ProviderCalls {
  readonly uid: string;
  readonly generation: number;
  readonly results: Map<string, CallResult>;
  /** The number of users whose last call succeeded. */
  working: number;
  system?: SystemFacts | undefined;
}

/** The results of the external calls of this process, by provider. They are kept only in memory. */
export interface ProviderHealth {
  /** Records a call. `provider`: the object at the time of the call. `user`: the UID of the managed resource. */
  record(
    kind: Kind,
    provider: KubernetesObject,
    call: { readonly user: string; readonly result: CallResult; readonly system?: SystemFacts | undefined },
  ): void;
  /** Returns the results of `users`. Forgets other results: their users were deleted or use another provider. */
  of(kind: Kind, provider: KubernetesObject, users: readonly string[]): ProviderCalls | undefined;
  forget(kind: Kind, name: string): void;
  /** Must be called when the credentials have changed. Forgets all results, and makes `mayWork$` emit the provider. */
  renew(kind: Kind, name: string): void;
  /** Emits a provider of the kind when a new result may change its Ready condition. */
  changed$(kind: Kind): Observable<Request>;
  /** Triggers the managed resource whose last call is oldest. If its call succeeds, the others are triggered. */
  retryOne(kind: Kind, name: string): void;
  /** Emits a provider of the kind when it may work again. */
  mayWork$(kind: Kind): Observable<MayWork>;
}

/** Sent when a call succeeds after all calls had failed, when the credentials changed, or to let one resource retry. */
interface MayWork {
  readonly name: string;
  /** The credentials changed: also resources that work are reconciled. */
  readonly isForAll?: boolean;
  /** Whether the managed resource with this UID is reconciled at once, if it failed because of the provider. */
  readonly isFor: (user: string) => boolean;
}

/** Creates the ProviderHealth of this process, which all stacks share. */
export function createProviderHealth(): ProviderHealth {
  const known = new Map<string, Held>();
  const changes = new Subject<{ readonly kind: string; readonly name: string }>();
  const mayWork = new Subject<MayWork & { readonly kind: string }>();
  const keyOf = (kind: Kind, name: string): string => `${kindKey(kind)}/${name}`;
  const eventsOfKind = <E extends { readonly kind: string }>(
    events: Observable<E>,
    kind: Kind,
  ): Observable<E> => events.pipe(filter((event) => event.kind === kindKey(kind)));

  /**
   * The results for this UID and generation of the provider. Undefined if there are none. `newer` if there are results
   * for a later generation, so that the given provider is out of date.
   */
  function resultsOf(kind: Kind, { metadata }: KubernetesObject): Held | undefined | 'newer' {
    const { name, uid = '', generation = 0 } = metadata;
    const found = known.get(keyOf(kind, name));
    if (found?.uid !== uid) return undefined;
    if (found.generation > generation) return 'newer';
    return found.generation === generation ? found : undefined;
  }

  return {
    record(kind, provider, { user, result, system }) {
      const { name, uid = '', generation = 0 } = provider.metadata;
      const found = resultsOf(kind, provider);
      if (found === 'newer') return;
      const held: Held = found ?? { uid, generation, results: new Map(), working: 0 };
      const before = held.results.get(user);
      // guard: otherwise a provider that worked counts as failing because of another user
      if (result === 'unknown' && before === 'works') return;
      const othersWork = held.working - (before === 'works' ? 1 : 0);
      const isNewSystem = system !== undefined && !isEqual(system, held.system);
      // While another resource works, only a failure may change Ready: that other resource may have been deleted.
      const isKnown = result === 'works' ? othersWork > 0 || before === 'works' : isEqual(before, result);
      const isNews = isNewSystem || !isKnown;
      const isRecovery =
        result === 'works' && before !== 'works' && othersWork === 0 && held.results.size > 0;
      known.set(keyOf(kind, name), held);
      held.results.delete(user); // set() below appends the user, so the oldest call stays first
      held.results.set(user, result);
      held.working = othersWork + (result === 'works' ? 1 : 0);
      held.system = system ?? held.system;
      if (isNews) changes.next({ kind: kindKey(kind), name });
      if (isRecovery) mayWork.next({ kind: kindKey(kind), name, isFor: (other) => other !== user });
    },
    of(kind, provider, users) {
      const found = resultsOf(kind, provider);
      if (found === undefined || found === 'newer') return undefined;
      const present = new Set(users);
      for (const [user, result] of found.results) {
        if (present.has(user)) continue;
        found.results.delete(user);
        if (result === 'works') found.working -= 1;
      }
      return found;
    },
    forget: (kind, name) => void known.delete(keyOf(kind, name)),
    renew(kind, name) {
      known.delete(keyOf(kind, name));
      mayWork.next({ kind: kindKey(kind), name, isForAll: true, isFor: () => true });
    },
    retryOne(kind, name) {
      // guard: otherwise it waits for a user whose run shows nothing
      const isShown = ([, result]: readonly [string, CallResult]): boolean => result !== 'unknown';
      const [oldest] = known.get(keyOf(kind, name))?.results.entries().find(isShown) ?? [];
      mayWork.next({ kind: kindKey(kind), name, isFor: (user) => user === oldest });
    },
    changed$: (kind) => eventsOfKind(changes, kind).pipe(map(({ name }) => ({ name }))),
    mayWork$: (kind) => eventsOfKind(mayWork, kind),
  };
}
