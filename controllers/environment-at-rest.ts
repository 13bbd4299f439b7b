import { createInformers } from '../runtime/cache/informers.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { EventRecorder } from '../runtime/events/event-recorder.ts';
import type { Logger } from '../runtime/log/log.ts';
import { realClock } from '../runtime/time/clock.ts';

/** Yields an environment to ask stacks what they consist of. Nothing runs in it: whoever tries to is thrown an Error. */
export function environmentAtRest(): Environment {
  const unused = (): never => {
    throw new Error('nothing is to happen while stacks are only asked what they consist of');
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
