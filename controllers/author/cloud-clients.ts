import { LRUCache } from 'lru-cache';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { CloudCredentials } from '../../clients/cloud-credentials.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { guarded, keptConnections } from '../../clients/http.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { HeldCredentials } from '../core/provider/credential-sources.ts';
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
export interface OwnCredentials<P extends object, K extends object, C = never> {
  /** Reads the text that a secret, a variable or a file holds. Throws an Error that says what is wrong, without a value. */
  readonly parse: (text: string) => K;
  /** Or `askedSystem`, where only the system itself knows whose credentials they are. */
  readonly systemOf?: SystemOf<P, K>;
  /**
   * Asks the system for its id, as an account's number, with the client that the credentials made. It is asked at every
   * look, so the client remembers the answer.
   */
  readonly askedSystem?: (client: C, managed: Managed, signal: AbortSignal) => Promise<string>;
  /**
   * What stands for credentials of the source InjectedIdentity: the client finds them by itself, in the place that the
   * process runs in. Absent: there is no doing without a secret, a variable or a file.
   */
  readonly injected?: K;
}

/**
 * Connects a stack with a cloud: one client per credentials and parameters, so that changed ones get a new one at the next
 * reconcile. A cloud is known by its URL, whatever the token; `systemOf` says otherwise where one URL leads to several, as
 * to projects whose things may have the same names. What it yields throws an Error that names what is missing or, with
 * its place, what is wrong.
 */
export function cloudClients<C, K extends object, P extends object = object>(
  createClient: (options: CloudClientOptions<P, NoInfer<K>>) => C,
  options: OwnCredentials<P, K, NoInfer<C>> &
    ({ readonly systemOf: SystemOf<P, K> } | { readonly askedSystem: object }),
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C, P extends object = object>(
  createClient: (options: CloudClientOptions<P>) => C,
  options?: { readonly systemOf?: SystemOf<P, CloudCredentials> },
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C>(
  createClient: (options: CloudClientOptions) => C,
  options: Partial<OwnCredentials<object, CloudCredentials, C>> = {},
): (env: Environment, kinds: ProviderKinds) => Connect<C> {
  const { parse = parseCredentials, systemOf = ({ url }) => url, askedSystem, injected } = options;
  return (env, kinds) => {
    const read = providerFacts(env, kinds);
    // One call of an external client may send several requests, and the process be stopped for a while between two.
    const dispatcher = guarded(keptConnections(), () => env.checkLease?.());
    const connections = new LRUCache<string, Held<C>>({ max: maxClients });
    const connectionOf = ({ client, facts }: Held<C>, managed: Managed): Connection<C> => ({
      client,
      system: async (signal) =>
        askedSystem === undefined ? systemOf(facts) : askedSystem(client, managed, signal),
    });

    return async (managed) => {
      const { credentials: named, parameters } = await read(managed);
      const isInjected = named.source === 'InjectedIdentity' && injected !== undefined;
      const text = isInjected ? undefined : heldCredentials(named).text;
      const account = JSON.stringify([text ?? null, parameters]);
      const held = connections.get(account);
      if (held !== undefined) return connectionOf(held, managed);
      const credentials = isInjected ? injected : await parsed(heldCredentials(named));
      const { clock, random } = env;
      const facts = { ...credentials, parameters };
      const made = { client: createClient({ ...facts, clock, random, dispatcher }), facts };
      connections.set(account, made);
      return connectionOf(made, managed);
    };

    function parsed({ text, origin, key }: HeldCredentials): Promise<CloudCredentials> {
      const where = `${key === undefined ? '' : `key "${key}" of `}${origin}`;
      return annotate(`cannot use ${where}`, Promise.resolve(text).then(parse));
    }
  };
}

/** A client, and what it was made of. */
interface Held<C> {
  readonly client: C;
  readonly facts: CloudCredentials & { readonly parameters: object };
}
