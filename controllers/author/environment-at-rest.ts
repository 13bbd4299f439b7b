import { createInformers } from '../../runtime/cache/informers.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { EventRecorder } from '../../runtime/events/event-recorder.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { realClock } from '../../runtime/time/clock.ts';

/** An environment without an API server, only to find out which kinds stacks use. Any other use throws an Error. */
export function environmentAtRest(): Environment {
  const unused = (): never => {
    throw new Error(
      'a stack used its environment while it was only asked for its kinds: move the call into a controller',
    );
  };
  const log: Logger = { child: () => log, debug: unused, info: unused, warn: unused, error: unused };
  const events: EventRecorder = { from: () => events, record: unused };
  const client = new Proxy({} as KubernetesClient, { get: unused });
  const clock = realClock();
  return {
    client,
    resource: createInformers({ client, log, clock, random: unused }).resource,
    events,
    log,
    clock,
    random: unused,
    pollIntervalMs: 60_000,
    maxExternalCallsPerSecond: 1,
  };
}
