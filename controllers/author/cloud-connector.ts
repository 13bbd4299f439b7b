import { LRUCache } from 'lru-cache';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { CloudCredentials } from '../../clients/cloud-credentials.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { keptConnections } from '../../clients/http.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ExternalClient, ExternalConnector } from '../core/managed/external-client.ts';
import { heldCredentials } from '../core/provider/credential-sources.ts';
import type { ProviderKinds } from '../core/provider/provider-credentials.ts';
import { providerCredentials } from '../core/provider/provider-credentials.ts';

/** More accounts than this are rare, and a client that is forgotten is only made anew. */
const maxClients = 100;

/** What a client is made of: whom it speaks as, and whatever the process has one of. */
export type CloudClientOptions = CloudCredentials &
  Required<Pick<HttpClientOptions, 'clock' | 'random' | 'dispatcher'>>;

/** A connector for one managed kind, from how its external client comes of the cloud's. */
export type CloudConnector<C> = <M extends Managed>(
  clientOf: (cloud: C) => ExternalClient<M>,
) => ExternalConnector<M>;

/**
 * Connects managed resources with a cloud: one client per credentials, so that changed credentials get a new one at the
 * next reconcile. A cloud is known by its URL, whatever the token. `connect` throws an Error that names what is missing
 * or, with its place, what is wrong.
 */
export function cloudConnector<C>(
  env: Environment,
  kinds: ProviderKinds,
  createClient: (options: CloudClientOptions) => C,
): CloudConnector<C> {
  const read = providerCredentials(env, kinds);
  const dispatcher = keptConnections();
  const clients = new LRUCache<string, { readonly cloud: C; readonly url: string }>({ max: maxClients });
  return (clientOf) => ({
    async connect(managed) {
      const { cloud, url } = await clientFor(managed);
      return { ...clientOf(cloud), system: async () => url };
    },
  });

  async function clientFor(managed: Managed): Promise<{ readonly cloud: C; readonly url: string }> {
    const { text: json, origin, key } = heldCredentials(await read(managed));
    const held = clients.get(json);
    if (held !== undefined) return held;
    const parsing = Promise.resolve(json).then(parseCredentials);
    const credentials = await annotate(
      `cannot use ${key === undefined ? '' : `key "${key}" of `}${origin}`,
      parsing,
    );
    const options = { ...credentials, clock: env.clock, random: env.random, dispatcher };
    const client = { cloud: createClient(options), url: credentials.url };
    clients.set(json, client);
    return client;
  }
}
