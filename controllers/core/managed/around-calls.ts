import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Calls, ExternalClient } from './external-client.ts';

/**
 * What is done around a call of an external client. `signal` is that of a call about a resource; absent: the call asks which
 * system it is, or leaves it.
 */
export type Around = <T>(call: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** An external client that does the same, with something around each call. */
export function aroundCalls<M extends Managed>(client: ExternalClient<M>, around: Around): ExternalClient<M> {
  if (client.poll === undefined) return aroundMost(client, around);
  return {
    ...aroundMost(client, around),
    poll: (name, signal) => around(async () => client.poll(name, signal), signal),
  };
}

function aroundMost<M extends Managed, Name extends string>(
  client: Calls<M, Name>,
  around: Around,
): Calls<M, Name> {
  const { system, disconnect } = client;
  return {
    observe: (managed, known, signal) => around(async () => client.observe(managed, known, signal), signal),
    create: (managed, known, signal) => around(async () => client.create(managed, known, signal), signal),
    update: (managed, known, signal) => around(async () => client.update(managed, known, signal), signal),
    delete: (managed, signal) => around(async () => (await client.delete(managed, signal)) ?? {}, signal),
    ...(system && { system: (signal: AbortSignal) => around(async () => system.call(client, signal)) }),
    ...(disconnect && { disconnect: () => around(async () => disconnect.call(client)) }),
  };
}
