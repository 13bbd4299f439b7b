/*
 *   HTTPS_PROXY, HTTP_PROXY, NO_PROXY ──▶ a proxy for a URL ──▶ kube-config.ts ──▶ transport.ts ──▶ throughProxy
 *                                                           └─▶ connections to clouds and Vault ──▶ throughProxy
 *
 * Loaded only if a variable or a kubeconfig names a proxy.
 */

import { BlockList, isIP } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { Agent, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { isProxyUrl, KubeConfigError } from './kube-config-entries.ts';

/** Returns the URL of the proxy for a URL; undefined: it is reached directly. */
export type ProxyChoice = (url: string) => string | undefined;

export interface Proxies {
  readonly proxyFor: ProxyChoice;
  /** Creates connections that use these proxies. */
  readonly createAgent: (options: Agent.Options) => Agent;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxies that the variables name. Throws KubeConfigError that names the variable, and never shows its value. */
export function proxiesOf(variables: Variables): Proxies {
  const proxyFor = proxyChoice(variables);
  return { proxyFor, createAgent: agentsBy(proxyFor) };
}

/** A host, and the port as a number in text. */
interface Target {
  readonly host: string;
  readonly port: string;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The rules of Go's `golang.org/x/net/http/httpproxy`, which kubectl follows. */
function proxyChoice(variables: Variables): ProxyChoice {
  const proxies = new Map([
    ['https:', proxyIn(variables, 'HTTPS_PROXY')],
    ['http:', proxyIn(variables, 'HTTP_PROXY')],
  ]);
  const exemptions = exemptionsIn(variables);
  return (url) => {
    const { protocol, hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$|\.$/g, '');
    const target = { host, port: port || (protocol === 'https:' ? '443' : '80') };
    const isLocal = host === 'localhost' || isIn(loopback, host);
    return isLocal || exemptions.some((isExempt) => isExempt(target)) ? undefined : proxies.get(protocol);
  };
}

/** The name and the value of a variable in upper case, or else in lower case. */
function variableIn(variables: Variables, upperCase: string) {
  const names = [upperCase, upperCase.toLowerCase()];
  const name = names.find((each) => variables[each]?.trim()) ?? upperCase;
  return { name, value: variables[name]?.trim() ?? '' };
}

function proxyIn(variables: Variables, upperCase: string): string | undefined {
  const { name, value } = variableIn(variables, upperCase);
  if (value === '') return undefined;
  const url = value.includes('://') ? value : `http://${value}`;
  if (isProxyUrl(url)) return url;
  throw new KubeConfigError('it must be the URL of a proxy, such as http://proxy.example.com:3128', {
    place: name,
  });
}

const exemptionsIn = (variables: Variables): readonly ((target: Target) => boolean)[] => {
  const { name, value } = variableIn(variables, 'NO_PROXY');
  const parts = value.toLowerCase().split(/[\s,]+/);
  return parts.filter(Boolean).map((part) => exemption(part, name));
};

/** One part of NO_PROXY: `*`, a range of addresses, or a host with or without a port. */
function exemption(part: string, place: string): (target: Target) => boolean {
  if (part === '*') return () => true;
  if (part.includes('/')) {
    const range = rangeIn(part);
    if (range !== undefined) return ({ host }) => isIn(range, host);
    const message = 'a part with a slash must be a range of addresses, such as 10.0.0.0/8';
    throw new KubeConfigError(message, { place });
  }
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(part) ?? [];
  const host = bracketed ?? plain ?? part;
  const isSamePort = (target: Target): boolean => port === undefined || port === target.port;
  const address = rangeIn(`${host}/${isIP(host) === 6 ? 128 : 32}`);
  if (address !== undefined) return (target) => isSamePort(target) && isIn(address, target.host);
  const isSubdomain = /^\*?\./.test(host);
  const domain = host.replace(/^\*?\./, '');
  return (target) =>
    isSamePort(target) && ((!isSubdomain && target.host === domain) || target.host.endsWith(`.${domain}`));
}

/** The addresses of `10.0.0.0/8`; undefined for another text. */
function rangeIn(text: string): BlockList | undefined {
  const [, address = '', bits = ''] = /^(.*)\/(\d+)$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 6 ? 128 : 32)) return undefined;
  const range = new BlockList();
  range.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  return range;
}

const isIn = (range: BlockList, host: string): boolean =>
  isIP(host) !== 0 && range.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');

/** Creates agents whose connections are direct, or go through the chosen proxy. */
export const agentsBy =
  (proxyFor: ProxyChoice): Proxies['createAgent'] =>
  (options) =>
    new Agent({
      ...options,
      // undici's EnvHttpProxyAgent has other rules: a proxy for loopback, and no ranges of addresses.
      factory(origin, given) {
        const proxy = proxyFor(String(origin));
        return proxy === undefined ? new Pool(origin, given) : throughProxy(proxy, options);
      },
    });

/** A request that was not sent, because the proxy opened no connection for it. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: 'ProxyRefused' | 'ProxyUnreachable';

  constructor(code: ProxyError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Connections through a proxy. `connect` holds the TLS options of the server behind it, and the timeout for both. */
export function throughProxy(url: string, { connect = {}, ...options }: Agent.Options): Dispatcher {
  const requestTls = { ...connect, allowH2: false } as buildConnector.BuildOptions;
  const { timeout = 10_000, keepAlive = true, keepAliveInitialDelay = 30_000 } = requestTls;
  const common = { ...options, requestTls, connectTimeout: timeout };
  if (url.startsWith('socks')) {
    // undici always lets the proxy look up the name, as `socks5h` asks.
    return new Socks5ProxyAgent(url.replace(/^socks5h:/, 'socks5:'), common);
  }
  return new ProxyAgent({
    ...common,
    uri: url,
    proxyTls: { timeout, keepAlive, keepAliveInitialDelay, allowH2: false },
    clientFactory: (origin, given) => tunnelsOf(new Pool(origin, { ...given, headersTimeout: timeout })),
    // Without this, requests that are forwarded without a tunnel would lose the options.
    factory: (origin: string | URL, given: object) => new Pool(origin, { ...options, ...given }),
  });
}

/** The client of a proxy, whose errors show that the proxy failed and not the server behind it. */
function tunnelsOf(proxy: Pool): Pool {
  const open: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    proxy.connect.bind(proxy);
  async function connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await open(options).catch((cause: unknown) => {
      throw new ProxyError('ProxyUnreachable', 'the proxy does not answer', { cause });
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => {}).destroy();
    throw new ProxyError('ProxyRefused', `the proxy refused the connection (${answer.statusCode})`);
  }
  return Object.assign(proxy, { connect });
}
