import { LRUCache } from 'lru-cache';
import type { Environment, EventFacts, Managed, ProviderKinds } from '../../package/stack.ts';
import {
  annotate,
  firstInFirstOut,
  heldCredentials,
  providerFacts,
  providerFinder,
  providerOf,
  turnsByGroup,
} from '../../package/stack.ts';
import type { Credentials } from './client/credentials.ts';
import { parseCredentials } from './client/credentials.ts';
import type { HolderOf } from './client/mark.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from './client/server.ts';
import { markHolders } from './mark-holders.ts';
import type { ServerClosing } from './server-closing.ts';
import { closing } from './server-closing.ts';

/** More servers than this are rare. A server that is dropped from the cache is only connected again. */
const maxServers = 100;

/** A server and its credentials. */
export interface ServerConnection {
  readonly server: PostgresqlServer;
  readonly credentials: Credentials;
  readonly closing: ServerClosing;
  /** Finds the resource whose mark a role has. */
  readonly holderOf: HolderOf;
}

/**
 * Returns the server of a managed resource. There is one object, with few connections, per credentials, for any number
 * of managed resources and providers. While calls wait for a connection, the namespaces of the claims take turns.
 *
 * Changed credentials get a new object at the next reconcile. The previous one finishes its calls, and closes its idle
 * connections within seconds. Throws an Error that names a missing field, or the Secret with the wrong value.
 */
export function serverConnection(
  env: Environment,
  kinds: ProviderKinds,
  createServer: (options: PostgresqlServerOptions) => PostgresqlServer,
): (managed: Managed) => Promise<ServerConnection> {
  const read = providerFacts(env, kinds);
  const find = providerFinder(env, kinds);
  const { clock, random, checkLease, isObserveOnly = false } = env;
  const holderOf = markHolders(env);
  const connections = new LRUCache<string, ServerConnection>({ max: maxServers });
  /** This message is for the administrator: a tenant does not see the provider. */
  const tellProvider = (managed: Managed, event: EventFacts): void => {
    const { kind, name } = providerOf(managed);
    const { provider } = find(managed) ?? {};
    if (provider !== undefined) env.events.record(provider, event);
    const { type, reason, message } = event;
    env.log[type === 'Warning' ? 'warn' : 'info'](message, { reason, provider: `${kind}/${name}` });
  };
  return async (managed) => {
    const held = heldCredentials((await read(managed)).credentials);
    const parsing = Promise.resolve().then(() => parseCredentials(held.entries()));
    const given = await annotate(`cannot use ${held.origin}`, parsing);
    const credentials = isObserveOnly ? { ...given, serverDatabases: 'leave' as const } : given;
    const { endpoint, port, username, password, sslmode, clusterCA, database, serverDatabases } = credentials;
    const key = JSON.stringify([
      endpoint,
      port,
      username,
      password,
      sslmode,
      clusterCA,
      database,
      serverDatabases,
    ]);
    const connect = (): ServerConnection => {
      const server = createServer({
        ...{ credentials, clock, random, mayGoOn: () => checkLease?.() },
        isReadOnly: isObserveOnly,
        holderOf,
        createLine: (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)),
      });
      const tell = (event: EventFacts) => tellProvider(managed, event);
      return { server, credentials, closing: closing({ server, credentials, tell, clock }), holderOf };
    };
    const connection = connections.get(key) ?? connect();
    connections.set(key, connection);
    return { ...connection, server: connection.server.usedBy(managed.spec.claimRef?.namespace ?? '') };
  };
}
