import type { RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { Clock } from '../time/clock.ts';
import { ApiError, messageOf } from './errors.ts';
import type { LoadedKubeConfig } from './kube-config.ts';
import type { throughProxy } from './proxies.ts';

/** The connection data of an HTTP request: address, credentials and dispatchers. */
export interface Access {
  readonly origin: string;
  /** The path before `/api` and `/apis`, without a slash at the end; usually empty. */
  readonly basePath: string;
  /** Authorization and impersonation. Never logged. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The connections for writes, and for all requests about a Lease. */
  readonly writes: Dispatcher;
  /** The connections for reads. They are few, because a start reads all kinds at once, and each costs 2 ms of CPU. */
  readonly reads: Dispatcher;
  /** The connections for watches. */
  readonly watches: Dispatcher;
}

/** The connections of a process to the API server. */
export interface Transport {
  /** Throws ApiError (`code` 0) if the credentials cannot be obtained. */
  access(): Promise<Access>;
  /**
   * The API server refused the credentials of this access (401): the next access has others, if a credential plugin yields
   * them. It does nothing if newer credentials are known already, because another request was refused before.
   */
  renew(refused: Access): void;
  /** Ends all connections, including those in use. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly kubeConfig: LoadedKubeConfig;
  /** Milliseconds to wait for a connection, and for the head of an answer. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

type TlsInputs = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'> & {
  rejectUnauthorized?: boolean;
  servername?: string;
};

const tlsKeys = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'rejectUnauthorized', 'servername'] as const;

/** Credentials in files are read again after this long, so that a burst of requests reads them once. */
const credentialsAgeMs = 1000;

interface Agents {
  readonly server: string;
  readonly tls: TlsInputs;
  readonly writes: Dispatcher;
  readonly reads: Dispatcher;
  readonly watches: Dispatcher;
}

const dispatchers = ({ writes, reads, watches }: Agents): readonly Dispatcher[] => [writes, reads, watches];

const isSameInput = (a: unknown, b: unknown): boolean =>
  a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b));

/** Creates connections through a proxy. Absent: the cluster has no proxy. */
type ThroughProxy = typeof throughProxy | undefined;

function createAgents(
  { kubeConfig, timeoutMs }: TransportOptions,
  server: string,
  tls: TlsInputs,
  throughProxy: ThroughProxy,
): Agents {
  // HTTP/1.1 for both. Requests are faster over it (docs/decisions/0001-transport.md). undici's HTTP/2 pings do not
  // detect a connection whose packets are lost: a retry would use the same dead session.
  const common = { allowH2: false, headersTimeout: timeoutMs } as const;
  // Keep-alive probes start after 30 s of silence; node closes the connection 10 s later.
  const probes = { timeout: timeoutMs, keepAlive: true, keepAliveInitialDelay: 30_000 };
  // One TLS context for all connections. Otherwise each connection creates its own, with memory for the certificates.
  const secure = server.startsWith('https:') ? { secureContext: createSecureContext(tls) } : {};
  const connect = { ...tls, ...secure, ...probes, allowH2: false } as buildConnector.BuildOptions;
  // The API server closes idle connections after 90 s, load balancers often after 60 s.
  const lasting = { ...common, bodyTimeout: timeoutMs, keepAliveTimeout: 30_000 };
  const proxy = kubeConfig.createDispatcherOptions(kubeConfig.getCurrentCluster(), tls);
  const create = (options: Omit<Agent.Options, 'connect'>): Dispatcher =>
    'uri' in proxy && throughProxy !== undefined
      ? throughProxy(proxy.uri, { ...options, connect })
      : new Agent({ ...options, connect });
  return {
    server,
    tls,
    writes: create({ ...lasting, connections: 64 }),
    reads: create({ ...lasting, connections: 8 }),
    watches: create({ ...common, bodyTimeout: 0 }),
  };
}

/** Whether two requests have the same credentials. Another client certificate has its own connections. */
const isSameIdentity = (a: Access, b: Access): boolean =>
  a.headers.Authorization === b.headers.Authorization && a.writes === b.writes;

/** Why there are no credentials, without the output of a credential plugin, which may hold a secret. */
const failure = (error: unknown): ApiError =>
  new ApiError(`cannot obtain credentials: ${messageOf(error).trim()}`, {
    code: 0,
    reason: 'CredentialsUnavailable',
  });

/**
 * The connections for a KubeConfig. It authenticates again for each request that is more than a second after the last. New
 * agents are created when the server, the CA or the client certificate changes; requests on the old agents finish there.
 */
export function createTransport(given: TransportOptions): Transport {
  const { kubeConfig, clock } = given;
  let agents: Agents | undefined;
  let known: { readonly access: Access; readonly atMs: number } | undefined;
  let underWay: Promise<Access> | undefined;
  let isClosed = false;
  const retiring = new Set<Dispatcher>();

  function retire(former: Agents): void {
    for (const agent of dispatchers(former)) {
      retiring.add(agent);
      const forget = () => retiring.delete(agent);
      agent.close().then(forget, forget);
    }
  }

  function agentsFor(server: string, tls: TlsInputs, throughProxy: ThroughProxy): Agents {
    if (agents?.server === server && tlsKeys.every((key) => isSameInput(agents?.tls[key], tls[key]))) {
      return agents;
    }
    const fresh = createAgents(given, server, tls, throughProxy);
    if (agents !== undefined) retire(agents);
    agents = fresh;
    return fresh;
  }

  async function refresh(): Promise<Access> {
    const cluster = kubeConfig.getCurrentCluster();
    if (cluster === null) throw new Error('the kubeconfig has no current cluster');
    const options: RequestOptions & { servername?: string } = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const { throughProxy } = cluster.proxyUrl ? await import('./proxies.ts') : {};
    if (isClosed) throw new Error('the client is closed');
    const tls: TlsInputs = {};
    for (const key of tlsKeys) {
      const value = options[key];
      if (value !== undefined && value !== null) Object.assign(tls, { [key]: value });
    }
    // Token files usually end in a newline, which is not allowed in a header.
    const headers: Record<string, string | string[]> = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [
        name,
        Array.isArray(value) ? value : String(value).trim(),
      ]),
    );
    if (options.auth) headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    const url = new URL(cluster.server);
    const { writes, reads, watches } = agentsFor(cluster.server, tls, throughProxy);
    const access = {
      origin: url.origin,
      basePath: url.pathname.replace(/\/+$/, ''),
      headers,
      writes,
      reads,
      watches,
    };
    known = { access, atMs: clock.elapsedMs() };
    return access;
  }

  return {
    async access() {
      if (known !== undefined && clock.elapsedMs() - known.atMs < credentialsAgeMs) return known.access;
      // Shared: otherwise each of the waiting requests would start the credential plugin.
      underWay ??= refresh().finally(() => {
        underWay = undefined;
      });
      try {
        return await underWay;
      } catch (error) {
        throw failure(error);
      }
    },
    renew(refused) {
      if (known !== undefined && !isSameIdentity(known.access, refused)) return;
      known = undefined;
      kubeConfig.renewCredentials?.();
    },
    async close() {
      isClosed = true;
      known = undefined;
      const open = [...retiring, ...(agents === undefined ? [] : dispatchers(agents))];
      agents = undefined;
      await Promise.all(open.map((agent) => agent.destroy()));
    },
  };
}
