import { LRUCache } from 'lru-cache';
import type { CloudCredentials } from '../../clients/cloud-credentials.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { guarded, keptConnections } from '../../clients/http.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { heldCredentials } from '../core/provider/credential-sources.ts';
import type { ProviderKinds, ProviderParameters } from '../core/provider/provider-credentials.ts';
import { providerFacts } from '../core/provider/provider-credentials.ts';
import type { Connect, Connection } from './define-stack.ts';

/** More accounts than this are rare, and a client that is forgotten is only made anew. */
const maxClients = 100;

/** What a client is made of: whom it speaks as, what the provider says beside that, and what the process has one of. */
export type CloudClientOptions<P extends object = object, K extends object = CloudCredentials> = K &
  Required<Pick<HttpClientOptions, 'clock' | 'random' | 'dispatcher'>> & {
    /** The fields of the Provider's or ProviderConfig's spec beside the credentials. */
    readonly parameters: ProviderParameters<P>;
  };

/** Names the system that credentials and parameters lead to: its id where it has one, else its address. */
export type SystemOf<P extends object, K extends object> = (
  facts: K & { readonly parameters: ProviderParameters<P> },
) => string;

/** Credentials of another form than JSON with `url` and `token`. */
export interface OwnCredentials<P extends object, K extends object> {
  /** Reads the text that a secret, a variable or a file holds. Throws an Error that says what is wrong, without a value. */
  readonly parse: (text: string) => K;
  readonly systemOf: SystemOf<P, K>;
}

/**
 * Connects a stack with a cloud: one client per credentials and parameters, so that changed ones get a new one at the next
 * reconcile. A cloud is known by its URL, whatever the token; `systemOf` says otherwise where one URL leads to several, as
 * to projects whose things may have the same names. What it yields throws an Error that names what is missing or, with
 * its place, what is wrong.
 */
export function cloudClients<C, K extends object, P extends object = object>(
  createClient: (options: CloudClientOptions<P, NoInfer<K>>) => C,
  options: OwnCredentials<P, K>,
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C, P extends object = object>(
  createClient: (options: CloudClientOptions<P>) => C,
  options?: { readonly systemOf?: SystemOf<P, CloudCredentials> },
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C>(
  createClient: (options: CloudClientOptions) => C,
  options: Partial<OwnCredentials<object, CloudCredentials>> = {},
): (env: Environment, kinds: ProviderKinds) => Connect<C> {
  const { parse = parseCredentials, systemOf = ({ url }) => url } = options;
  return (env, kinds) => {
    const read = providerFacts(env, kinds);
    // One call of an external client may send several requests, and the process be stopped for a while between two.
    const dispatcher = guarded(keptConnections(), () => env.checkLease?.());
    const connections = new LRUCache<string, Connection<C>>({ max: maxClients });

    return async (managed) => {
      const { credentials: named, parameters } = await read(managed);
      const { text, origin, key } = heldCredentials(named);
      const account = JSON.stringify([text, parameters]);
      const held = connections.get(account);
      if (held !== undefined) return held;
      const credentials = await annotate(
        `cannot use ${key === undefined ? '' : `key "${key}" of `}${origin}`,
        Promise.resolve(text).then(parse),
      );
      const { clock, random } = env;
      const client = createClient({ ...credentials, parameters, clock, random, dispatcher });
      const system = systemOf({ ...credentials, parameters });
      const connection = { client, system: async () => system };
      connections.set(account, connection);
      return connection;
    };
  };
}
