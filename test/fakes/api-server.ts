import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Preconditions } from '../../testing/memory-cluster.ts';
import { EnforcingCluster } from './enforcing-cluster.ts';

/** An answer put in the place of the real one. */
export interface Fault {
  /** How many requests it hits; default 1. */
  readonly times?: number;
  /** The requests: `GET`, …, or `WATCH`; default all. */
  readonly method?: string;
  readonly plural?: string;
  /** HTTP status; 0 cuts the connection, -1 never answers. */
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  /** Seconds, as a header. */
  readonly retryAfter?: number;
  /** Seconds, in the Status object only. */
  readonly retryAfterSeconds?: number;
  /** Sent instead of a Status object. */
  readonly body?: string;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

interface OpenWatch {
  /** No event is sent any more. */
  readonly end: () => void;
  readonly response: ServerResponse;
  isSilent: boolean;
}

interface Target {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The answer of the real server without installed definitions: a page, no Status object. */
class NoSuchPath extends Error {}

/**
 * A cluster in memory behind a real HTTP server on loopback, as a Kubernetes API: paths, Status objects, watches with
 * bookmarks; and faults on command.
 */
export class FakeApiServer extends EnforcingCluster {
  readonly requests: RecordedRequest[] = [];
  readonly sockets = new Set<Socket>();
  /** Connections accepted since the start. */
  accepted = 0;
  /** Its answer at `/version`. */
  version = { major: '1', minor: '36' };
  readonly #kinds = new Map<string, Kind>();
  readonly #watches = new Set<OpenWatch>();
  #isMute = false;
  #faults: (Fault & { left: number })[] = [];
  #server: Server | undefined;
  #port = 0;

  /** Serves these kinds. */
  constructor(...kinds: readonly Kind[]) {
    super();
    for (const kind of kinds) this.install(kind);
  }

  install(kind: Kind): void {
    this.#kinds.set(`${apiVersionOf(kind)}/${kind.plural}`, kind);
  }

  /** Listens, on the same port each time. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on('connection', (socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Cuts all connections and stops listening; objects stay. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    this.#forgetWatches();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A KubeConfig for this server, with a token. */
  kubeConfig(token = 'test-token'): KubeConfig {
    const config = new KubeConfig();
    // client-node takes plain HTTP only with this flag.
    const cluster = { name: 'fake', server: this.url, skipTLSVerify: true };
    config.loadFromClusterAndUser(cluster, { name: 'fake', token });
    return config;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Every request to these methods (`WATCH` too). */
  requestsWith(method: string): readonly RecordedRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  fail(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 });
  }

  /** Ends all watches in order. */
  endWatches(): void {
    for (const { response } of this.#watches) response.end();
    this.#forgetWatches();
  }

  #forgetWatches(): void {
    for (const { end } of this.#watches) end();
    this.#watches.clear();
  }

  /** Cuts the connections of all watches, after writing these bytes. */
  dropWatches(halfLine = ''): void {
    for (const { response } of this.#watches) {
      if (halfLine === '') response.socket?.destroy();
      else response.write(halfLine, () => response.socket?.destroy());
    }
    this.#forgetWatches();
  }

  /** Watches open now get nothing any more, not even an end. */
  blackHoleWatches(): void {
    for (const watch of this.#watches) watch.isSilent = true;
  }

  /** As {@link blackHoleWatches}, but those opened later stay silent too, until it is taken back. */
  muteWatches(isMute = true): void {
    this.#isMute = isMute;
    if (isMute) this.blackHoleWatches();
  }

  /** Writes a line to all watches. */
  writeToWatches(line: string | Buffer): void {
    for (const { response } of this.#watches) response.write(line);
  }

  /** An ERROR event to all watches. */
  errorInBand(code: number, reason: string, message = reason): void {
    const object = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
    this.writeToWatches(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }

  /** Tells all watches how far they are. */
  bookmark(): void {
    const metadata = { resourceVersion: this.resourceVersion };
    this.writeToWatches(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
  }

  #target(path: string): Target {
    const match =
      /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
        path,
      );
    const [, group = '', version = '', namespace, plural = '', name, subresource] = match ?? [];
    const kind = this.#kinds.get(`${apiVersionOf({ group, version })}/${plural}`);
    if (kind === undefined) {
      throw new NoSuchPath();
    }
    return {
      kind,
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(subresource !== undefined && { subresource }),
    };
  }

  /** The groups that there are, or the resources of a version of one. */
  #discovery(path: string): object | undefined {
    const [, , group = '', version = ''] = path.split('/');
    const kinds = [...this.#kinds.values()];
    if (path === '/apis') {
      const groups = [...Map.groupBy(kinds, (kind) => kind.group)].filter(([name]) => name !== '');
      return {
        kind: 'APIGroupList',
        groups: groups.map(([name, served]) => ({
          name,
          versions: served.map((kind) => ({ groupVersion: apiVersionOf(kind), version: kind.version })),
        })),
      };
    }
    const wanted =
      path === '/api/v1' ? 'v1' : path === `/apis/${group}/${version}` ? `${group}/${version}` : '';
    const served = kinds.filter((kind) => apiVersionOf(kind) === wanted);
    return served.length === 0
      ? undefined
      : { kind: 'APIResourceList', resources: served.map(({ plural, kind }) => ({ name: plural, kind })) };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client went away
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const query = Object.fromEntries(url.searchParams);
    const method = query.watch === 'true' ? 'WATCH' : (request.method ?? '');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const recorded = { method, path: url.pathname, query, headers: request.headers, body };
    this.requests.push(recorded);
    try {
      if (this.#isFaulty(recorded, response)) return;
      if (url.pathname === '/version') return this.#send(response, 200, this.version);
      const discovered = this.#discovery(url.pathname);
      if (discovered !== undefined) return this.#send(response, 200, discovered);
      const target = this.#target(url.pathname);
      if (method === 'WATCH') this.#watch(target, query, response);
      else this.#send(response, method === 'POST' ? 201 : 200, this.#handle(target, recorded));
    } catch (error) {
      if (error instanceof NoSuchPath) {
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
        return;
      }
      const { code, reason, message } =
        error instanceof ApiError
          ? error
          : new ApiError(String(error), { code: 500, reason: 'InternalError' });
      this.#send(response, code, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code,
        reason,
        message,
      });
    }
  }

  #send(response: ServerResponse, code: number, body: object): void {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #isFaulty({ method, path }: RecordedRequest, response: ServerResponse): boolean {
    const fault = this.#faults.find(
      (candidate) =>
        candidate.left > 0 &&
        (candidate.method === undefined || candidate.method === method) &&
        (candidate.plural === undefined || path.split('/').includes(candidate.plural)),
    );
    if (fault === undefined) return false;
    fault.left -= 1;
    const { status: code, reason = 'Fault', message = 'told to fail', retryAfter, retryAfterSeconds } = fault;
    if (code === 0) response.socket?.destroy();
    if (code <= 0) return true;
    const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, ...details };
    response
      .writeHead(code, {
        'content-type': fault.body === undefined ? 'application/json' : 'text/html',
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      })
      .end(fault.body ?? JSON.stringify(status));
    return true;
  }

  #handle(target: Target, { method, query, body }: RecordedRequest): object {
    const { kind, namespace, name, subresource: under } = target;
    const subresource = under === 'status' ? 'status' : undefined;
    if (method === 'GET' && name === undefined) return this.#page(target, query);
    if (method === 'POST') {
      const { metadata, ...created } = body as KubernetesObject;
      const inPlace = { ...metadata, ...(namespace !== undefined && { namespace }) };
      return this.shown(this.create(kind, { ...created, metadata: inPlace }));
    }
    const key = { name: name ?? '', ...(namespace !== undefined && { namespace }) } as ObjectKey;
    switch (method) {
      case 'GET':
        return this.shown(this.get(kind, key));
      case 'PATCH':
        if (query.fieldManager !== undefined)
          return this.shown(this.apply(kind, key, body as object, query.fieldManager));
        return this.shown(this.patch(kind, key, body as object, subresource));
      case 'PUT':
        return this.shown(this.replace(kind, body as KubernetesObject, subresource));
      case 'DELETE': {
        const { preconditions } = (body ?? {}) as { readonly preconditions?: Preconditions };
        const success = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
        return this.delete(kind, key, preconditions) ?? success;
      }
      default:
        throw new ApiError(method, { code: 405, reason: 'MethodNotAllowed' });
    }
  }

  #page({ kind, namespace }: Target, query: RecordedRequest['query']): object {
    const { limit, continue: continueToken, ...options } = query;
    const page = this.list(kind, {
      ...options,
      ...(namespace !== undefined && { namespace }),
      ...(limit !== undefined && { limit: Number(limit) }),
      ...(continueToken !== undefined && { continueToken }),
    });
    return {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: {
        resourceVersion: page.resourceVersion,
        ...(page.continueToken !== undefined && { continue: page.continueToken }),
      },
      // Built-in kinds leave out what an item is.
      items: page.items
        .map((item) => this.shown(item))
        .map(({ apiVersion, kind: type, ...object }) =>
          kind.group === '' ? object : { apiVersion, kind: type, ...object },
        ),
    };
  }

  #watch({ kind, namespace }: Target, query: RecordedRequest['query'], response: ServerResponse): void {
    const { resourceVersion = '', timeoutSeconds, ...selection } = query;
    const early: string[] = [];
    const end = this.watch(
      kind,
      { ...selection, resourceVersion, ...(namespace !== undefined && { namespace }) },
      (record) => {
        const line = `${JSON.stringify({ ...record, object: this.shown(record.object) })}\n`;
        if (!response.headersSent) early.push(line);
        else if (!watch.isSilent) response.write(line);
      },
    );
    const watch: OpenWatch = { response, end, isSilent: this.#isMute };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const line of watch.isSilent ? [] : early) response.write(line);
    const timer = setTimeout(() => {
      if (!watch.isSilent) response.end();
    }, Number(timeoutSeconds) * 1000);
    this.#watches.add(watch);
    response.on('close', () => {
      clearTimeout(timer);
      end();
      this.#watches.delete(watch);
    });
  }
}
