import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { type CloudCredentials, parseCredentials } from '../../clients/cloud-credentials.ts';
import type { Environment } from '../../runtime/environment.ts';
import { annotate } from '../../runtime/errors.ts';
import { createLruMap } from '../../runtime/lru-map.ts';
import { heldCredentials } from '../core/credential-sources.ts';
import { credentialsReader, type ProviderKinds } from '../core/managed/provider-credentials.ts';

/** More accounts than this are rare, and a client that is forgotten is only made anew. */
const maxClients = 100;

/**
 * Yields the cloud client for a managed resource: one per credentials, so that changed credentials get a new
 * one at the next reconcile. Throws an Error that names what is missing or, with its place, what is wrong.
 */
export function cloudConnection<C>(
  env: Environment,
  kinds: ProviderKinds,
  createClient: (credentials: CloudCredentials) => C,
): (managed: Managed) => Promise<C> {
  const read = credentialsReader(env, kinds);
  const clients = createLruMap<string, C>(maxClients);
  return async (managed) => {
    const { text: json, origin, key } = heldCredentials(await read(managed));
    const held = clients.get(json);
    if (held !== undefined) return held;
    const parsing = Promise.resolve(json).then(parseCredentials);
    const client = createClient(
      await annotate(`cannot use ${key === undefined ? '' : `key "${key}" of `}${origin}`, parsing),
    );
    clients.set(json, client);
    return client;
  };
}
