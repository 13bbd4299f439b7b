import type { Observable } from 'rxjs';
import { filter, map, Subject } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { Fault } from '../error-class.ts';

/** The results of calls with a Provider or ProviderConfig since its last edit. */
export interface Evidence {
  readonly uid: string;
  readonly generation: number;
  /** A call has succeeded. */
  readonly hasWorked: boolean;
  /** The failure of calls. Absent: the last call succeeded. */
  readonly failing?: { readonly sinceMs: number; readonly fault: Fault; readonly message: string };
  readonly systemVersion?: string | undefined;
}

interface Held extends Evidence {
  faultToldAtMs: number;
  versionToldAtMs: number;
}

/** The order in which a call can fail: it reads the credentials, reaches the system, and is refused. */
const progress: readonly Fault[] = ['CredentialsUnreadable', 'Unreachable', 'CredentialsRefused'];

/** If calls report different failures, a report counts for this time. Longer than back-offs. */
const stillSoMs = 120_000;

/** The state of providers, from the external calls of this process. In memory only. */
export interface ProviderHealth {
  /** `provider`: the object at the time of the call. */
  works(kind: Kind, provider: KubernetesObject, systemVersion?: string): void;
  fails(
    kind: Kind,
    provider: KubernetesObject,
    failure: { readonly fault: Fault; readonly message: string },
  ): void;
  of(kind: Kind, provider: KubernetesObject): Evidence | undefined;
  forget(kind: Kind, name: string): void;
  /** Providers of a kind whose state changed; once, even if many calls report it. */
  changed$(kind: Kind): Observable<Request>;
}

/** One for each process, shared by all stacks. */
export function createProviderHealth({
  clock,
}: {
  readonly clock: Pick<Clock, 'elapsedMs'>;
}): ProviderHealth {
  const known = new Map<string, Held>();
  const news = new Subject<{ readonly kind: string; readonly name: string }>();
  const keyOf = (kind: Kind, name: string): string => `${kindKey(kind)}/${name}`;

  /** `newer`: the provider was edited after the call began. */
  function before(kind: Kind, { metadata }: KubernetesObject): Held | undefined | 'newer' {
    const found = known.get(keyOf(kind, metadata.name));
    if (found === undefined || found.uid !== metadata.uid) return undefined;
    const { generation = 0 } = metadata;
    if (found.generation > generation) return 'newer';
    return found.generation === generation ? found : undefined;
  }

  function set(kind: Kind, { metadata }: KubernetesObject, facts: Omit<Held, 'uid' | 'generation'>): void {
    const { name, uid = '', generation = 0 } = metadata;
    known.set(keyOf(kind, name), { uid, generation, ...facts });
    news.next({ kind: kindKey(kind), name });
  }

  return {
    works(kind, provider, systemVersion) {
      const found = before(kind, provider);
      if (found === 'newer') return;
      const nowMs = clock.elapsedMs();
      const { versionToldAtMs = Number.NEGATIVE_INFINITY, systemVersion: former } = found ?? {};
      if (found !== undefined && systemVersion === former) found.versionToldAtMs = nowMs;
      // If servers behind one provider have different versions, the first is reported while it answers.
      const isOther =
        systemVersion !== undefined &&
        systemVersion !== former &&
        (former === undefined || nowMs - versionToldAtMs >= stillSoMs);
      if (found?.hasWorked && found.failing === undefined && !isOther) return;
      set(kind, provider, {
        hasWorked: true,
        systemVersion: isOther ? systemVersion : former,
        faultToldAtMs: nowMs,
        versionToldAtMs: isOther ? nowMs : versionToldAtMs,
      });
    },
    fails(kind, provider, { fault, message }) {
      const found = before(kind, provider);
      if (found === 'newer') return;
      const nowMs = clock.elapsedMs();
      const { failing: former } = found ?? {};
      if (found !== undefined && former !== undefined) {
        const isTold = former.fault === fault && former.message === message;
        // If calls fail differently, the failure of the call that got furthest is reported.
        const isStillSo =
          nowMs - found.faultToldAtMs < stillSoMs &&
          progress.indexOf(fault) <= progress.indexOf(former.fault);
        if (isTold) found.faultToldAtMs = nowMs;
        if (isTold || isStillSo) return;
      }
      const { hasWorked = false, systemVersion, versionToldAtMs = nowMs } = found ?? {};
      const sinceMs = former?.sinceMs ?? nowMs;
      set(kind, provider, {
        hasWorked,
        systemVersion,
        failing: { sinceMs, fault, message },
        faultToldAtMs: nowMs,
        versionToldAtMs,
      });
    },
    of(kind, provider) {
      const found = before(kind, provider);
      return found === 'newer' ? undefined : found;
    },
    forget(kind, name) {
      known.delete(keyOf(kind, name));
    },
    changed$: (kind) =>
      news.pipe(
        filter((each) => each.kind === kindKey(kind)),
        map(({ name }) => ({ name })),
      ),
  };
}
