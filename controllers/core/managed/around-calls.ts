import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Calls, DesiredCredential, ExternalClient } from './external-client.ts';

/** What an external system is asked. */
export type Operation =
  | 'connect'
  | 'observe'
  | 'create'
  | 'update'
  | 'delete'
  | 'poll'
  | 'system'
  | 'disconnect';

/**
 * What is done around a call of an external client. `signal` is that of a call about a resource; absent: the call asks which
 * system it is, or leaves it.
 */
export type Around = <T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
  operation: Operation,
) => Promise<T>;

/** An external client that does the same, with something around each call. */
export function aroundCalls<M extends Managed>(client: ExternalClient<M>, around: Around): ExternalClient<M> {
  if (client.poll === undefined) return aroundMost(client, around);
  return {
    ...aroundMost(client, around),
    poll: (name, signal) => around(async () => client.poll(name, signal), signal, 'poll'),
  };
}

function aroundMost<M extends Managed, Name extends string>(
  client: Calls<M, Name>,
  around: Around,
): Calls<M, Name> {
  const { plannedDetails, system, version, disconnect } = client;
  return {
    observe: (managed, credential, signal) =>
      around(async () => client.observe(managed, credential, signal), signal, 'observe'),
    create: (managed, credential, signal) =>
      around(async () => client.create(managed, credential, signal), signal, 'create'),
    update: (managed, credential, signal) =>
      around(async () => client.update(managed, credential, signal), signal, 'update'),
    delete: (managed, signal) =>
      around(async () => (await client.delete(managed, signal)) ?? {}, signal, 'delete'),
    ...(plannedDetails && {
      plannedDetails: (managed: M, credential: DesiredCredential) =>
        plannedDetails.call(client, managed, credential),
    }),
    ...(system && {
      system: (signal: AbortSignal) => around(async () => system.call(client, signal), undefined, 'system'),
    }),
    ...(version && { version: () => version.call(client) }),
    ...(disconnect && {
      disconnect: () => around(async () => disconnect.call(client), undefined, 'disconnect'),
    }),
  };
}
