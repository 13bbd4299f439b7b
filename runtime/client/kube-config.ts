/*
 *   --kubeconfig, $KUBECONFIG, ~/.kube/config ──▶ kube-config-files.ts ──▶ kube-config-entries.ts ──▶ client-node's KubeConfig
 *                                                 merged as kubectl does   honoured, or refused by name
 */

import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { registerHooks } from 'node:module';
import { isIPv6 } from 'node:net';
import { sep } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import pick from 'lodash/pick.js';
import type { Clock } from '../time/clock.ts';
import type { ExecCredentials } from './exec-credential.ts';
import { execCredentials } from './exec-credential.ts';
import type { ClusterEntry, UserEntry } from './kube-config-entries.ts';
import { entryIn, isProxyUrl, KubeConfigError } from './kube-config-entries.ts';
import type { FoundEntry, KubeConfigPlaces, MergedKubeConfig } from './kube-config-files.ts';
import { kubeConfigFiles, pathIn, readableFile } from './kube-config-files.ts';
import type { Proxies } from './proxies.ts';

/** A KubeConfig with one context, its cluster and its user. */
export interface LoadedKubeConfig extends KubeConfig {
  /** The API server refused the credentials (401): the next request asks the credential plugin for others. */
  renewCredentials?(): void;
  /** The proxies that variables of the environment name, also for clouds and Vault. Absent: none. */
  readonly proxies?: Proxies;
  /** The namespace of the pod whose service account is used. Absent: a kubeconfig is used. */
  readonly podNamespace?: string;
}

export interface KubeConfigOptions extends KubeConfigPlaces {
  /** The context of `--context`; absent: the current one. */
  readonly context?: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** The folder with the token of a pod; default: the one where Kubernetes mounts it. */
  readonly accountFolder?: string;
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The API server that kubectl would talk to with the same files, flags and variables, as the same user. Without a file it
 * is that of the pod's service account. A field of the selected context, cluster or user that is not supported is refused
 * by its name. Throws KubeConfigError, whose message is one sentence for the user.
 */
export async function readKubeConfig(options: KubeConfigOptions): Promise<LoadedKubeConfig> {
  const merged = await kubeConfigFiles(options);
  const config = new (await kubeConfigClass())();
  const proxies = await proxiesIn(options.environment);
  if (merged === undefined || isEmpty(merged)) {
    if (options.context !== undefined) {
      throw new KubeConfigError(`there is no context "${options.context}"`, { place: '--context' });
    }
    return Object.assign(inCluster(config, options, proxies), proxies && { proxies });
  }
  const context = contextOf(merged, options.context);
  const cluster = clusterOf(merged, context.name, context.cluster);
  const { user, exec } = userOf(merged, context, cluster, options);
  // Like kubectl, send no credentials over plain HTTP, because anyone could read them.
  const sent = isTls(cluster.entry) ? { user, exec } : { user: withoutCredentials(user), exec: undefined };
  config.addAuthenticator(authenticatorOf(sent.user, sent.exec));
  const { name, namespace } = context;
  config.loadFromOptions({
    clusters: [clientCluster(cluster, proxies)],
    users: [clientUser(sent.user)],
    contexts: [{ name, cluster: cluster.name, user: user.name, ...(namespace && { namespace }) }],
    currentContext: name,
  });
  return Object.assign(config, { renewCredentials: () => exec?.forget(), ...(proxies && { proxies }) });
}

/**
 * The proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, also in lower case; undefined: none. Throws KubeConfigError
 * for a variable that cannot be used.
 */
export async function proxiesIn(environment: KubeConfigOptions['environment']): Promise<Proxies | undefined> {
  const isSet = Object.entries(environment).some(([name, value]) => value && /^https?_proxy$/i.test(name));
  return isSet ? (await import('./proxies.ts')).proxiesOf(environment) : undefined;
}

const isEmpty = ({ currentContext, clusters, users, contexts }: MergedKubeConfig): boolean =>
  currentContext === undefined && clusters.size + users.size + contexts.size === 0;

/**
 * As in client-go, the process runs in a pod if two variables are set and a token file exists. The token is read again
 * when it is old, or after a 401. (client-node itself keeps a token for a minute, even after a 401.)
 */
function inCluster(
  config: KubeConfig,
  { environment, accountFolder }: KubeConfigOptions,
  proxies: Proxies | undefined,
): LoadedKubeConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  const found: FoundEntry = { content: {}, folder: accountFolder ?? serviceAccountFolder };
  if (!host || !port || !existsSync(pathIn(found, 'token'))) {
    throw new KubeConfigError(
      'there is no kubeconfig, and this is no pod with a service account; name a file with --kubeconfig or $KUBECONFIG',
    );
  }
  const name = 'service account of the pod';
  const user = { name, entry: { tokenFile: pathIn(found, 'token') }, found };
  const cluster = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    'certificate-authority': 'ca.crt',
  };
  const namespacePath = pathIn(found, 'namespace');
  const namespace = existsSync(namespacePath) ? readableFile(namespacePath, 'namespace').trim() : undefined;
  config.addAuthenticator(authenticatorOf(user, undefined));
  config.loadFromOptions({
    clusters: [clientCluster({ name, entry: cluster, found }, proxies)],
    users: [clientUser(user)],
    contexts: [{ name, cluster: name, user: name, ...(namespace && { namespace }) }],
    currentContext: name,
  });
  return Object.assign(config, namespace && { podNamespace: namespace });
}

/** An entry that a context selects. */
interface Selected<Entry> {
  readonly name: string;
  readonly entry: Entry;
  readonly found: FoundEntry;
}

function contextOf({ contexts, currentContext }: MergedKubeConfig, requested: string | undefined) {
  const name = requested ?? currentContext;
  const others = [...contexts.keys()].toSorted().join(', ') || 'none';
  if (name === undefined)
    throw new KubeConfigError(`there is no current context; name one with --context: ${others}`);
  const found = contexts.get(name);
  if (found === undefined) {
    const place = requested === undefined ? 'kubeconfig' : '--context';
    throw new KubeConfigError(`there is no context "${name}"; there are: ${others}`, { place });
  }
  return { name, ...entryIn('context', name, found.content) };
}

function clusterOf({ clusters }: MergedKubeConfig, context: string, name: string): Selected<ClusterEntry> {
  const found = clusters.get(name);
  if (found === undefined)
    throw new KubeConfigError(`context "${context}" names cluster "${name}", which is not there`);
  const entry = entryIn('cluster', name, found.content);
  const { 'certificate-authority': file, 'certificate-authority-data': data } = entry;
  const isUnverified = entry['insecure-skip-tls-verify'] === true;
  const what = `cluster "${name}"`;
  if (file && data) throw exclusive(what, 'certificate-authority', 'certificate-authority-data');
  if (isUnverified && (file || data))
    throw exclusive(what, 'insecure-skip-tls-verify', 'certificate-authority');
  if (file) readableFile(pathIn(found, file), 'certificate-authority');
  if (!/^https?:\/\//.test(entry.server) || !URL.canParse(entry.server)) {
    throw new KubeConfigError(`${what}: server must begin with https:// or http://`);
  }
  const proxy = entry['proxy-url'];
  if (proxy && !isProxyUrl(proxy)) {
    throw new KubeConfigError(`${what}: proxy-url must be an http, https or socks5 URL`);
  }
  return { name, entry, found };
}

const serverOf = ({ server }: ClusterEntry): string => server.replace(/\/+$/, '');

const isTls = (entry: ClusterEntry): boolean => serverOf(entry).startsWith('https:');

const exclusive = (what: string, one: string, other: string): KubeConfigError =>
  new KubeConfigError(`${what}: ${one} and ${other} exclude each other; remove one`);

/** A user, and the credentials from its credential plugin, if it has one. */
interface SelectedUser {
  readonly user: Selected<UserEntry>;
  readonly exec: ExecCredentials | undefined;
}

function userOf(
  { users }: MergedKubeConfig,
  { name: context, user: name }: { readonly name: string; readonly user?: string | undefined },
  cluster: Selected<ClusterEntry>,
  options: KubeConfigOptions,
): SelectedUser {
  // An anonymous user is a user too: without one client-node leaves out the certificates of the cluster.
  if (!name)
    return { user: { name: 'anonymous', entry: {}, found: { content: {}, folder: '' } }, exec: undefined };
  const found = users.get(name);
  if (found === undefined)
    throw new KubeConfigError(`context "${context}" names user "${name}", which is not there`);
  const entry = entryIn('user', name, found.content);
  checkUser(`user "${name}"`, entry, found);
  const { exec } = entry;
  if (!exec) return { user: { name, entry, found }, exec: undefined };
  const command = exec.command.includes(sep) ? pathIn(found, exec.command) : exec.command;
  const { environment, clock } = options;
  const info = exec.provideClusterInfo === true ? clusterInfo(cluster) : undefined;
  const credentials = execCredentials({ exec, command, cluster: info, environment, clock });
  return { user: { name, entry, found }, exec: credentials };
}

/** The rules of client-go's `validateAuthInfo`. */
function checkUser(what: string, entry: UserEntry, found: FoundEntry): void {
  for (const field of ['client-certificate', 'client-key'] as const) {
    const path = entry[field];
    if (path && entry[`${field}-data`]) throw exclusive(what, field, `${field}-data`);
    if (path) readableFile(pathIn(found, path), field);
  }
  const hasCertificate = Boolean(entry['client-certificate'] || entry['client-certificate-data']);
  const hasKey = Boolean(entry['client-key'] || entry['client-key-data']);
  if (hasCertificate !== hasKey) {
    throw new KubeConfigError(`${what}: client-certificate and client-key are needed together`);
  }
  if (entry.tokenFile) readableFile(pathIn(found, entry.tokenFile), 'tokenFile');
  const methods = [
    (entry.token || entry.tokenFile) && 'token',
    entry.username && 'username',
    entry.exec && 'exec',
  ].filter((method) => typeof method === 'string');
  if (methods[0] && methods[1]) throw exclusive(what, methods[0], methods[1]);
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra, exec } = entry;
  if (!as && (uid || groups?.length || Object.keys(extra ?? {}).length > 0)) {
    throw new KubeConfigError(`${what}: as-uid, as-groups and as-user-extra need as`);
  }
  if (exec?.interactiveMode === 'Always') {
    throw new KubeConfigError(
      `${what}: exec.interactiveMode Always needs a terminal, which this process has not`,
    );
  }
  if (exec?.apiVersion.endsWith('/v1') && exec.interactiveMode === undefined) {
    throw new KubeConfigError(`${what}: exec.interactiveMode is missing`);
  }
}

/** The name of the cluster extension whose content is passed to credential plugins. */
const execExtension = 'client.authentication.k8s.io/exec';

/** `spec.cluster` of the ExecCredential that a credential plugin gets. */
function clusterInfo({ entry, found }: Selected<ClusterEntry>): object {
  const { 'certificate-authority': file, 'certificate-authority-data': data } = entry;
  const authority = file
    ? Buffer.from(readableFile(pathIn(found, file), 'certificate-authority')).toString('base64')
    : data;
  const config = entry.extensions?.find(({ name }) => name === execExtension)?.extension;
  return {
    server: serverOf(entry),
    ...(entry['tls-server-name'] && { 'tls-server-name': entry['tls-server-name'] }),
    ...(entry['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority }),
    ...(entry['proxy-url'] && { 'proxy-url': entry['proxy-url'] }),
    ...(config !== undefined && { config }),
  };
}

function clientCluster(
  { name, entry, found }: Selected<ClusterEntry>,
  proxies: Proxies | undefined,
): Cluster {
  const server = serverOf(entry);
  const proxyUrl = entry['proxy-url'] || proxies?.proxyFor(server);
  const { 'certificate-authority': file, 'certificate-authority-data': data } = entry;
  return {
    name,
    server,
    // Without it, client-node refuses plain HTTP, which has no certificate to verify.
    skipTLSVerify: entry['insecure-skip-tls-verify'] === true || !isTls(entry),
    ...(file && { caFile: pathIn(found, file) }),
    ...(data && { caData: data }),
    ...(entry['tls-server-name'] && { tlsServerName: entry['tls-server-name'] }),
    ...(proxyUrl && { proxyUrl }),
  };
}

/** The user for plain HTTP. Keeps impersonation, because a proxy may add its own credentials. */
const withoutCredentials = (user: Selected<UserEntry>): Selected<UserEntry> => ({
  ...user,
  entry: pick(user.entry, ['as', 'as-uid', 'as-groups', 'as-user-extra']),
});

/** The name of the auth provider, by which client-node finds `authenticatorOf`. */
const ours = 'services-stack';

function clientUser({ name, entry, found }: Selected<UserEntry>): User {
  const { 'client-certificate': certificate, 'client-key': key } = entry;
  return {
    name,
    authProvider: { name: ours, config: {} },
    ...(certificate && { certFile: pathIn(found, certificate) }),
    ...(entry['client-certificate-data'] && { certData: entry['client-certificate-data'] }),
    ...(key && { keyFile: pathIn(found, key) }),
    ...(entry['client-key-data'] && { keyData: entry['client-key-data'] }),
    ...(entry.username && { username: entry.username, password: entry.password ?? '' }),
  };
}

/** Applies tokens, token files, credential plugins and impersonation. client-node supports only some of these. */
const authenticatorOf = ({ entry, found }: Selected<UserEntry>, exec: ExecCredentials | undefined) => ({
  isAuthProvider: ({ authProvider }: User): boolean => authProvider?.name === ours,
  async applyAuthentication(_user: User, options: Pick<RequestOptions, 'headers' | 'cert' | 'key'>) {
    const headers: Record<string, string | readonly string[]> = impersonation(entry);
    const credential = await exec?.current();
    const token = entry.tokenFile ? readableFile(pathIn(found, entry.tokenFile), 'tokenFile') : entry.token;
    const bearer = (credential?.token ?? token)?.trim();
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    options.headers = { ...(options.headers as object), ...headers } as NonNullable<
      RequestOptions['headers']
    >;
    if (credential?.clientCertificateData) options.cert = credential.clientCertificateData;
    if (credential?.clientKeyData) options.key = credential.clientKeyData;
  },
});

/** The headers of https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation. */
function impersonation(entry: UserEntry): Record<string, string | readonly string[]> {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = entry;
  if (!as) return {};
  return {
    'Impersonate-User': as,
    ...(uid && { 'Impersonate-Uid': uid }),
    ...(groups?.length && { 'Impersonate-Group': groups }),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [
        `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
        values,
      ]),
    ),
  };
}

/**
 * client-node's KubeConfig imports the generated API classes, many hundred modules, for one method, `makeApiClient`. We do
 * not call it, and the classes cost 47 MiB and 0.1 to 0.4 s of every start. This empty module with the imported names
 * replaces them while KubeConfig is loaded.
 */
const noGeneratedClasses =
  'data:text/javascript,export const createConfiguration = undefined; export const ServerConfiguration = undefined;';

async function kubeConfigClass(): Promise<new () => KubeConfig> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === './gen/index.js' && context.parentURL?.endsWith('/@kubernetes/client-node/dist/config.js')
        ? { url: noGeneratedClasses, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return (await import('@kubernetes/client-node/dist/config.js')).KubeConfig;
  } finally {
    hooks.deregister();
  }
}
