import type { Observable } from 'rxjs';
import { catchError, ignoreElements, of, repeat, takeWhile, tap, timer } from 'rxjs';
import { abortable } from '../abortable.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { messageOf } from './errors.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { isSupported } from './server-version.ts';

export interface OldServerOptions {
  readonly client: Pick<KubernetesClient, 'serverVersion'>;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/** Whether the API server is older than the oldest supported version. */
export interface OldServer {
  /** Asks the API server for its version, every ten minutes until the version is supported. Never emits or errors. */
  readonly run$: Observable<never>;
  /** One sentence for the administrator while the version is too old; otherwise empty. */
  notes(): readonly string[];
}

const everyMs = 600_000;

/** Watches the version of the API server. Before its first answer there is no note. */
export function oldServer({ client, log, clock }: OldServerOptions): OldServer {
  let warning: string | undefined;

  const version$ = abortable((signal) => client.serverVersion(signal)).pipe(
    catchError((error: unknown) => {
      log.debug('cannot read the version of the API server: trying again', { error: messageOf(error) });
      return of(undefined);
    }),
  );

  return {
    run$: version$.pipe(
      tap((version) => {
        if (version === undefined) return;
        const before = warning;
        warning = isSupported(version)
          ? undefined
          : `Kubernetes ${version.major}.${version.minor} is older than 1.28, the oldest supported version, and accepts edits that have no effect: upgrade it`;
        if (warning !== undefined && warning !== before) log.warn(warning);
      }),
      repeat({ delay: () => timer(everyMs, clock.scheduler) }),
      takeWhile((version) => version === undefined || !isSupported(version)),
      ignoreElements(),
    ),
    notes: () => (warning === undefined ? [] : [warning]),
  };
}
