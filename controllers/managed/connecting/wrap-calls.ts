import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { frozen } from '../../border.ts';
import type { Calls, DesiredCredential, ExternalClient, ExternalConnector } from './external-client.ts';

export type Operation =
  | 'connect'
  | 'observe'
  | 'create'
  | 'update'
  | 'delete'
  | 'poll'
  | 'system'
  | 'check'
  | 'disconnect';

/**
 * Runs code before and after one call of an external client. `signal` is the caller's signal. To replace it, pass
 * another one to `call`. It is undefined for `connect`, `system` and `disconnect`, which are no calls of the external
 * system for a rate limit or a lease. That of `connect` and `disconnect` cannot be replaced.
 */
export type Around = <T>(
  call: (signal?: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
  operation: Operation,
) => Promise<T>;

/** Passes `connect` of a connector, and each call of its clients, through an {@link Around}. */
export const wrapConnector = <M extends Managed>(
  connector: ExternalConnector<M>,
  aroundCallsFor: (managed: M) => Around,
): ExternalConnector<M> => ({
  async connect(managed, signal) {
    const around = aroundCallsFor(managed);
    const client = await around(async () => connector.connect(managed, signal), undefined, 'connect');
    return wrapCalls(client, around);
  },
});

export function wrapCalls<M extends Managed>(client: ExternalClient<M>, around: Around): ExternalClient<M> {
  if (client.poll === undefined) return wrapMost(client, around);
  return {
    ...wrapMost(client, around),
    poll: (name, signal) => passed(around, 'poll', signal, (own) => client.poll(name, own)),
  };
}

/** Passes a call of the external system through an {@link Around}. */
const passed = <T>(
  around: Around,
  operation: Operation,
  signal: AbortSignal,
  call: (own: AbortSignal) => Promise<T>,
): Promise<T> => around(async (own = signal) => call(own), signal, operation);

function wrapMost<M extends Managed, Name extends string>(
  client: Calls<M, Name>,
  around: Around,
): Calls<M, Name> {
  const { plannedDetails, system, otherSystemAdvice, check, facts, disconnect } = client;
  return {
    observe: (managed, credential, signal) =>
      passed(around, 'observe', signal, (own) => client.observe(frozen(managed), frozen(credential), own)),
    create: (managed, credential, signal) =>
      passed(around, 'create', signal, (own) => client.create(frozen(managed), frozen(credential), own)),
    update: (managed, credential, signal) =>
      passed(around, 'update', signal, (own) => client.update(frozen(managed), frozen(credential), own)),
    delete: (managed, signal) =>
      passed(around, 'delete', signal, async (own) => (await client.delete(frozen(managed), own)) ?? {}),
    ...(plannedDetails && {
      plannedDetails: (managed: M, credential: DesiredCredential) =>
        plannedDetails.call(client, managed, credential),
    }),
    ...(system && {
      system: (signal: AbortSignal) =>
        around(async (own = signal) => system.call(client, own), undefined, 'system'),
    }),
    ...(otherSystemAdvice !== undefined && { otherSystemAdvice }),
    ...(check && {
      check: (signal: AbortSignal) => passed(around, 'check', signal, (own) => check.call(client, own)),
    }),
    ...(facts && { facts: () => facts.call(client) }),
    ...(disconnect && {
      disconnect: () => around(async () => disconnect.call(client), undefined, 'disconnect'),
    }),
  };
}
