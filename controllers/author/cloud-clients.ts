import { objectProblem, requireForm } from '../../apis/core/forms.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { CloudCredentials } from '../../clients/cloud-credentials.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { guarded, keepAliveConnections } from '../../clients/http.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { awaitAuthor } from '../border.ts';
import type { HeldCredentials } from '../provider/credential-sources.ts';
import { heldCredentials } from '../provider/credential-sources.ts';
import type { ProviderKinds, ProviderParameters } from '../provider/provider-credentials.ts';
import { providerFacts } from '../provider/provider-credentials.ts';
import type { Connect, Connection } from './define-stack.ts';
import { cloudForm } from './definition-forms.ts';

/** More accounts than this are rare. A client that is dropped from the cache is only created again. */
const maxClients = 100;

/** The input of a client: the credentials, the provider's other fields, and the shared parts of the process. */
export type CloudClientOptions<P extends object = object, K extends object = CloudCredentials> = K &
  Required<Pick<HttpClientOptions, 'clock' | 'random' | 'dispatcher'>> & {
    /** The fields of the spec of the Provider or ProviderConfig, without the credentials. */
    readonly parameters: ProviderParameters<P>;
  };

/** The identity of the system that credentials and parameters belong to: its id if it has one, else its address. */
export type SystemOf<P extends object, K extends object> = (
  facts: K & { readonly parameters: ProviderParameters<P> },
) => string;

/** Credentials of another form than JSON with `url` and `token`. */
export interface OwnCredentials<P extends object, K extends object, C = never> {
  /** Reads the text of a Secret, a variable or a file. Throws an Error that describes the problem without a value. */
  readonly parse: (text: string) => K;
  /** `systemOf`, or `querySystem` if only the system itself knows the owner of the credentials. */
  readonly systemOf?: SystemOf<P, K>;
  /**
   * Asks the system for its id, for example the number of an account, with the client that the credentials created. It
   * is called in every observation, so the client caches the answer.
   */
  readonly querySystem?: (client: C, managed: Managed, signal: AbortSignal) => Promise<string>;
  /**
   * Makes one call that fails if the credentials do not work, for a provider that no resource uses. It always sends the
   * request. Absent: such a provider is not tried.
   */
  readonly check?: (client: C, signal: AbortSignal) => Promise<void>;
  /**
   * The credentials for the source InjectedIdentity: the client finds them by itself, in the environment of the
   * process. Absent: the source InjectedIdentity is refused.
   */
  readonly injected?: K;
  /** See `withTags` of {@link Connection}. */
  readonly withTags?: <M extends Managed>(managed: M, parameters: ProviderParameters<P>) => M;
}

/**
 * Connects a stack with a cloud. There is one client per credentials and parameters, so that changed ones get a new
 * client at the next reconcile.
 *
 * The URL identifies a cloud, whatever the token. `systemOf` replaces it if one URL serves several systems, such as
 * projects with resources of the same names. The returned function throws an Error that names a missing field, or the
 * wrong value with its place.
 */
export function cloudClients<C, K extends object, P extends object = object>(
  createClient: (options: CloudClientOptions<P, NoInfer<K>>) => C,
  options: OwnCredentials<P, K, NoInfer<C>> &
    ({ readonly systemOf: SystemOf<P, K> } | { readonly querySystem: object }),
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C, P extends object = object>(
  createClient: (options: CloudClientOptions<P>) => C,
  options?: { readonly systemOf?: SystemOf<P, CloudCredentials> },
): (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
export function cloudClients<C>(
  createClient: (options: CloudClientOptions) => C,
  options: Partial<OwnCredentials<object, CloudCredentials, C>> = {},
): (env: Environment, kinds: ProviderKinds) => Connect<C> {
  requireForm(cloudClients, cloudForm, { ...options, createClient });
  const { parse = parseCredentials, systemOf = ({ url }) => url, querySystem } = options;
  const { check, injected, withTags } = options;
  return (env, kinds) => {
    const read = providerFacts(env, kinds);
    // One call of an external client may send several requests, and the process may stop between two of them.
    const dispatcher = guarded(keepAliveConnections(env.createAgent), () => env.checkLease?.());
    const connections = boundedCache<Held<C>>(maxClients);
    const connectionOf = ({ client, facts }: Held<C>, managed: Managed): Connection<C> => {
      const system = async (signal: AbortSignal) =>
        querySystem === undefined ? systemOf(facts) : querySystem(client, managed, signal);
      return {
        client,
        system,
        ...(check && { check: (signal) => check(client, signal) }),
        ...(withTags && { withTags: (each) => withTags(each, facts.parameters) }),
      };
    };

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
      const parsing = awaitAuthor({ name: 'parse' }, () => parse(text), objectProblem);
      return annotate(`cannot use ${where}`, parsing);
    }
  };
}

/** A client and its input. */
interface Held<C> {
  readonly client: C;
  readonly facts: CloudCredentials & { readonly parameters: object };
}
