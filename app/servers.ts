import type { Observable } from 'rxjs';
import type { Informers } from '../runtime/cache/informers.ts';
import type { OldServer } from '../runtime/client/old-server.ts';
import type { Check } from '../runtime/probes/health.ts';
import {
  serveHealth,
  someStackRuns,
  stacksWithoutDefinitions,
  storesSynced,
  watchesAlive,
  watchesDeliver,
} from '../runtime/probes/health.ts';
import type { Page } from '../runtime/probes/serve-http.ts';
import { serveHttp } from '../runtime/probes/serve-http.ts';
import type { Flags } from '../runtime/process/flags.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Composition } from './composition.ts';

/** The HTTP servers whose flags are set. */
export function servers(
  { healthProbeBindAddress, metricsBindAddress }: Flags,
  {
    states,
    stackStates,
    leaseRefused,
    notes,
  }: Pick<Informers, 'states'> &
    Pick<Composition, 'stackStates'> &
    Pick<OldServer, 'notes'> & { readonly leaseRefused: Check },
  page: () => Promise<Page>,
  clock: Clock,
): readonly Observable<unknown>[] {
  const health = {
    live: { watches: watchesAlive(states, { clock }) },
    ready: {
      stores: storesSynced(states),
      stacks: someStackRuns(stackStates, states),
      watches: watchesDeliver(states, { clock }),
      lease: leaseRefused,
    },
    notes: () => [...stacksWithoutDefinitions(stackStates, states)(), ...notes()],
  };
  return [
    ...(healthProbeBindAddress ? [serveHealth({ address: healthProbeBindAddress, ...health })] : []),
    ...(metricsBindAddress
      ? [
          serveHttp({
            flag: '--metrics-bind-address',
            address: metricsBindAddress,
            pages: { '/metrics': page },
          }),
        ]
      : []),
  ];
}
