import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { heldCredentials } from '../provider/credential-sources.ts';
import { providerOf } from '../provider/provider-choice.ts';
import type { ProviderKinds } from '../provider/provider-credentials.ts';
import { providerFacts, providerFinder } from '../provider/provider-credentials.ts';

/** More servers than this are rare. A server that is dropped from the cache is only connected again. */
const maxServers = 100;

export interface SharedServersOptions<C extends object, S extends object> {
  /** Parses the entries of the credentials. Throws an Error that names the wrong entry and never its value. */
  readonly parse: (entries: ConnectionDetails) => C;
  /** Called once for each credentials. `tell` reports about the server on the provider: a tenant does not see that. */
  readonly open: (credentials: C, tell: (event: EventFacts) => void) => S;
}

/**
 * Returns the server of a managed resource, such as a database server with its connections. There is one object for each
 * credentials, for any number of managed resources and providers.
 *
 * Changed credentials get a new object at the next reconcile. The previous one must finish its calls by itself. Throws an
 * Error that names a missing field, or the Secret with the wrong value.
 */
export function sharedServers<C extends object, S extends object>(
  env: Environment,
  kinds: ProviderKinds,
  { parse, open }: SharedServersOptions<C, S>,
): (managed: Managed) => Promise<S> {
  const read = providerFacts(env, kinds);
  const find = providerFinder(env, kinds);
  const servers = boundedCache<S>(maxServers);
  const tellProvider = (managed: Managed, event: EventFacts): void => {
    const { kind, name } = providerOf(managed);
    const { provider } = find(managed) ?? {};
    if (provider !== undefined) env.events.record(provider, event);
    const { type, reason, message } = event;
    env.log[type === 'Warning' ? 'warn' : 'info'](message, { reason, provider: `${kind}/${name}` });
  };
  return async (managed) => {
    const held = heldCredentials((await read(managed)).credentials);
    const parsing = Promise.resolve().then(() => parse(held.entries()));
    const credentials = await annotate(`cannot use ${held.origin}`, parsing);
    const key = JSON.stringify(Object.entries(credentials).toSorted());
    const server = servers.get(key) ?? open(credentials, (event) => tellProvider(managed, event));
    servers.set(key, server);
    return server;
  };
}
