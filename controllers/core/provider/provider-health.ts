import type { Observable } from 'rxjs';
import { filter, map, Subject } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { Fault } from '../error-class.ts';

/** What calls have told of a Provider or ProviderConfig, as it is since its last edit. */
export interface Evidence {
  readonly uid: string;
  readonly generation: number;
  /** A call has succeeded. */
  readonly hasWorked: boolean;
  /** What calls fail with, if none has succeeded since the first of them. */
  readonly failing?: { readonly sinceMs: number; readonly fault: Fault; readonly message: string };
  /** What the external system said of its version. */
  readonly systemVersion?: string | undefined;
}

/** Evidence, and when what it says was told last. */
interface Held extends Evidence {
  faultToldAtMs: number;
  versionToldAtMs: number;
}

/** How far calls got that failed with it: credentials are read first, and refused by who answers. */
const progress: readonly Fault[] = ['CredentialsUnreadable', 'Unreachable', 'CredentialsRefused'];

/** What has been told within this time counts still where calls tell different things: longer than back-offs. */
const stillSoMs = 120_000;

/** What the external calls of a process tell of the providers that they were made for. In memory only. */
export interface ProviderHealth {
  /** `provider` is that which the call was made for, as it was then. */
  works(kind: Kind, provider: KubernetesObject, systemVersion?: string): void;
  fails(
    kind: Kind,
    provider: KubernetesObject,
    failure: { readonly fault: Fault; readonly message: string },
  ): void;
  of(kind: Kind, provider: KubernetesObject): Evidence | undefined;
  forget(kind: Kind, name: string): void;
  /** Those of a kind of which something else is known; once, however many calls tell it. */
  changed$(kind: Kind): Observable<Request>;
}

/** Knows nothing yet. A process has one, which the managed kinds of all stacks share. */
export function createProviderHealth({
  clock,
}: {
  readonly clock: Pick<Clock, 'elapsedMs'>;
}): ProviderHealth {
  const known = new Map<string, Held>();
  const news = new Subject<{ readonly kind: string; readonly name: string }>();
  const keyOf = (kind: Kind, name: string): string => `${kindKey(kind)}/${name}`;

  /** What was known of it; `newer` where it has been edited since the call began. */
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
      // Servers of several versions behind one provider: the first is told as long as it answers.
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
        // Of what calls tell by turns, that of the one that got furthest is told.
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
