import { LRUCache } from 'lru-cache';
import type { CloudCredentials } from '../../clients/cloud-credentials.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { keptConnections } from '../../clients/http.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { heldCredentials } from '../core/provider/credential-sources.ts';
import type { ProviderKinds } from '../core/provider/provider-credentials.ts';
import { providerFacts } from '../core/provider/provider-credentials.ts';
import type { Connect, Connection } from './define-stack.ts';

/** More accounts than this are rare, and a client that is forgotten is only made anew. */
const maxClients = 100;

/** What a client is made of: whom it speaks as, what the provider says beside that, and what the process has one of. */
export type CloudClientOptions<P extends object = object> = CloudCredentials &
  Required<Pick<HttpClientOptions, 'clock' | 'random' | 'dispatcher'>> & {
    /** The fields of the Provider's or ProviderConfig's spec beside the credentials. */
    readonly parameters: P;
  };

/**
 * Connects a stack with a cloud: one client per credentials and parameters, so that changed ones get a new one at the next
 * reconcile. A cloud is known by its URL, whatever the token; `systemOf` says otherwise where one URL leads to several, as
 * to projects whose things may have the same names. What it yields throws an Error that names what is missing or, with
 * its place, what is wrong.
 */
export const cloudClients =
  <C, P extends object = object>(
    createClient: (options: CloudClientOptions<P>) => C,
    systemOf: (facts: { readonly url: string; readonly parameters: P }) => string = ({ url }) => url,
  ) =>
  (env: Environment, kinds: ProviderKinds<P>): Connect<C> => {
    const read = providerFacts(env, kinds);
    const dispatcher = keptConnections();
    const connections = new LRUCache<string, Connection<C>>({ max: maxClients });

    return async (managed) => {
      const { credentials: named, parameters } = await read(managed);
      const { text: json, origin, key } = heldCredentials(named);
      const account = JSON.stringify([json, parameters]);
      const held = connections.get(account);
      if (held !== undefined) return held;
      const parsing = Promise.resolve(json).then(parseCredentials);
      const credentials = await annotate(
        `cannot use ${key === undefined ? '' : `key "${key}" of `}${origin}`,
        parsing,
      );
      const { clock, random } = env;
      const client = createClient({ ...credentials, parameters, clock, random, dispatcher });
      const system = systemOf({ url: credentials.url, parameters });
      const connection = { client, system: async () => system };
      connections.set(account, connection);
      return connection;
    };
  };
