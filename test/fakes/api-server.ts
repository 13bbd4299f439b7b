import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import isEqual from 'lodash/isEqual.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { selects } from '../../runtime/cache/selection.ts';
import { admit, isDefinition } from './admission.ts';

type Json = Record<string, unknown>;
type Stored = KubernetesObject & { readonly status?: unknown };

/** An answer put in the place of the real one. */
export interface Fault {
  /** How many requests it hits; default 1. */
  readonly times?: number;
  /** Which requests: `GET`, …, or `WATCH`; default all. */
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

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

interface WatchEventRecord {
  readonly version: number;
  readonly collection: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

interface OpenWatch {
  readonly collection: string;
  readonly isWanted: (object: KubernetesObject) => boolean;
  readonly response: ServerResponse;
  isSilent: boolean;
}

interface Target {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The object as it may be stored, where there is a definition of its kind. Throws what schema or rules refuse. */
function admitted(kind: Kind, object: KubernetesObject, before?: KubernetesObject): Stored {
  if (!isDefinition(kind)) return object;
  const verdict = admit(kind, object, before);
  if ('object' in verdict) return verdict.object;
  throw new Refusal(422, 'Invalid', verdict.message);
}

class Refusal extends Error {
  readonly code: number;
  readonly reason: string;
  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** What the real one serves where nothing is installed: a page, no Status object. */
class NoSuchPath extends Error {}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...(target as Json) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/**
 * A Kubernetes API in memory behind a real HTTP server on loopback: resourceVersions, generations, 409, 410,
 * status subresource, finalizers, paged lists, watches with bookmarks; schemas and rules of kinds that are defined;
 * and faults on command.
 */
export class FakeApiServer {
  readonly requests: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  /** Connections accepted since the start. */
  accepted = 0;
  /** What it says of itself at `/version`. */
  version = { major: '1', minor: '36' };
  readonly #kinds = new Map<string, Kind>();
  readonly #objects = new Map<string, Stored>();
  readonly #watches = new Set<OpenWatch>();
  #history: WatchEventRecord[] = [];
  /** The version of the last change of each collection, which its watch cache knows. */
  readonly #kindVersions = new Map<string, number>();
  #isMute = false;
  #faults: (Fault & { left: number })[] = [];
  #version = 100;
  #oldest = 0;
  #uids = 0;
  #expireTokens = 0;
  #server: Server | undefined;
  #port = 0;

  /** Serves these kinds. */
  constructor(...kinds: readonly Kind[]) {
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
    this.#watches.clear();
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

  get resourceVersion(): string {
    return String(this.#version);
  }

  /** Every request to these methods (`WATCH` too). */
  seen(method: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  fail(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 });
  }

  /** Forgets what happened until now: older versions are answered with 410. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** The next continue tokens are answered with 410. */
  expireContinueTokens(times = 1): void {
    this.#expireTokens = times;
  }

  /** Ends all watches in order. */
  endWatches(): void {
    for (const watch of this.#watches) watch.response.end();
    this.#watches.clear();
  }

  /** Cuts the connections of all watches, after writing these bytes. */
  dropWatches(halfLine = ''): void {
    for (const { response } of this.#watches) {
      if (halfLine === '') response.socket?.destroy();
      else response.write(halfLine, () => response.socket?.destroy());
    }
    this.#watches.clear();
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

  /** Goes back in time, as a restored backup does: versions begin again there, and nothing is known of later ones. */
  rewind(version: number): void {
    this.#version = version;
    this.#history = [];
    for (const collection of this.#kindVersions.keys()) this.#kindVersions.set(collection, version);
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

  /** Lets the version grow as if objects of other kinds had changed. */
  skipVersions(count: number): void {
    this.#version += count;
  }

  /** What is stored, of all kinds. */
  objects(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Creates or replaces an object past the API. */
  put<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    const key = this.#key({ kind, ...this.#named(object) });
    const before = this.#objects.get(key);
    return this.#store(kind, key, before, { ...object }) as T;
  }

  /** Deletes an object past the API, finalizers or not. */
  remove(kind: Kind, name: string, namespace?: string): void {
    const key = this.#key({ kind, name, ...(namespace !== undefined && { namespace }) });
    const object = this.#objects.get(key);
    if (object !== undefined) this.#delete(kind, key, object);
  }

  #named({ metadata: { name, namespace } }: KubernetesObject): Omit<Target, 'kind'> {
    return namespace === undefined ? { name } : { name, namespace };
  }

  #collection({ group, plural }: Kind): string {
    return `${plural}.${group}`;
  }

  #key({ kind, namespace, name }: Target): string {
    return `${this.#collection(kind)}|${namespace ?? ''}|${name ?? ''}`;
  }

  #store(kind: Kind, key: string, before: Stored | undefined, wanted: KubernetesObject): Stored {
    this.#version += 1;
    const { spec: specBefore } = (before ?? {}) as Json;
    const { spec } = wanted as unknown as Json;
    const isNewGeneration = JSON.stringify(spec) !== JSON.stringify(specBefore);
    const generation = (before?.metadata.generation ?? 0) + (before === undefined || isNewGeneration ? 1 : 0);
    const object: Stored = {
      ...wanted,
      metadata: {
        ...wanted.metadata,
        uid: before?.metadata.uid ?? wanted.metadata.uid ?? `uid-${++this.#uids}`,
        creationTimestamp: before?.metadata.creationTimestamp ?? '2026-01-01T00:00:00Z',
        generation,
        resourceVersion: this.resourceVersion,
      },
    };
    if (object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length) {
      this.#version -= 1;
      this.#delete(kind, key, object);
      return object;
    }
    this.#objects.set(key, object);
    this.#happened(kind, before === undefined ? 'ADDED' : 'MODIFIED', object);
    return object;
  }

  #delete(kind: Kind, key: string, object: Stored): void {
    this.#version += 1;
    this.#objects.delete(key);
    const metadata = { ...object.metadata, resourceVersion: this.resourceVersion };
    this.#happened(kind, 'DELETED', { ...object, metadata });
  }

  #happened(kind: Kind, type: WatchEventRecord['type'], object: Stored): void {
    const event = { version: this.#version, collection: this.#collection(kind), type, object };
    this.#history.push(event);
    this.#kindVersions.set(event.collection, this.#version);
    for (const watch of this.#watches) this.#tell(watch, event);
  }

  #tell({ collection, isWanted, response, isSilent }: OpenWatch, event: WatchEventRecord): void {
    if (isSilent || event.collection !== collection || !isWanted(event.object)) return;
    response.write(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
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
    const seen = { method, path: url.pathname, query, headers: request.headers, body };
    this.requests.push(seen);
    try {
      if (this.#isFaulty(seen, response)) return;
      if (url.pathname === '/version') return this.#send(response, 200, this.version);
      const target = this.#target(url.pathname);
      if (method === 'WATCH') this.#watch(target, query, response);
      else this.#send(response, method === 'POST' ? 201 : 200, this.#handle(target, seen));
    } catch (error) {
      if (error instanceof NoSuchPath) {
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
        return;
      }
      const { code, reason, message } =
        error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
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

  #isFaulty({ method, path }: SeenRequest, response: ServerResponse): boolean {
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

  #handle(target: Target, { method, query, body }: SeenRequest): object {
    const { kind, namespace, name, subresource } = target;
    if (method === 'GET' && name === undefined) return this.#list(target, query);
    if (method === 'POST') {
      const created = body as KubernetesObject;
      const { generateName } = created.metadata;
      const given = created.metadata.name ?? `${generateName}${(++this.#uids).toString(36).padStart(5, 'x')}`;
      const metadata = { ...created.metadata, name: given, ...(namespace !== undefined && { namespace }) };
      const key = this.#key({ kind, name: given, ...(namespace !== undefined && { namespace }) });
      if (this.#objects.has(key)) {
        throw new Refusal(409, 'AlreadyExists', `${kind.plural} "${given}" already exists`);
      }
      const { status: _, ...withoutStatus } = { ...created, metadata } as Stored;
      return this.#store(kind, key, undefined, admitted(kind, withoutStatus));
    }
    const key = this.#key(target);
    const current = this.#objects.get(key);
    if (query.fieldManager !== undefined && method === 'PATCH') {
      return this.#store(kind, key, current, merged(current ?? {}, body) as Stored);
    }
    if (current === undefined) throw new Refusal(404, 'NotFound', `${kind.plural} "${name}" not found`);
    switch (method) {
      case 'GET':
        return current;
      case 'PATCH':
        return this.#write(kind, key, current, merged(current, body) as Stored, body, subresource);
      case 'PUT':
        return this.#write(kind, key, current, body as Stored, body, subresource);
      case 'DELETE':
        return this.#requestDeletion(kind, key, current, body);
      default:
        throw new Refusal(405, 'MethodNotAllowed', method);
    }
  }

  #requestDeletion(kind: Kind, key: string, current: Stored, body: unknown): object {
    const { preconditions = {} } = (body ?? {}) as {
      preconditions?: { uid?: string; resourceVersion?: string };
    };
    for (const field of ['uid', 'resourceVersion'] as const) {
      const wanted = preconditions[field];
      if (wanted !== undefined && wanted !== current.metadata[field]) {
        throw new Refusal(409, 'Conflict', `Precondition failed: ${field} in precondition: ${wanted}`);
      }
    }
    if (!current.metadata.finalizers?.length) {
      this.#delete(kind, key, current);
      return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    }
    if (current.metadata.deletionTimestamp !== undefined) return current;
    const metadata = { ...current.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    return this.#store(kind, key, current, { ...current, metadata });
  }

  #write(
    kind: Kind,
    key: string,
    current: Stored,
    wanted: Stored,
    body: unknown,
    subresource: string | undefined,
  ): object {
    const precondition = (body as Partial<KubernetesObject>).metadata?.resourceVersion;
    if (precondition !== undefined && precondition !== current.metadata.resourceVersion) {
      throw new Refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${kind.plural}: object was modified`,
      );
    }
    const { status, ...rest } = wanted;
    const { status: currentStatus, ...currentRest } = current;
    const next =
      subresource === 'status'
        ? { ...currentRest, ...(status !== undefined && { status }) }
        : { ...rest, ...(currentStatus !== undefined && { status: currentStatus }) };
    const metadata = { ...next.metadata, resourceVersion: current.metadata.resourceVersion };
    const valid = admitted(kind, { ...next, metadata } as Stored, current);
    return isEqual(valid, current) ? current : this.#store(kind, key, current, valid);
  }

  #list(target: Target, query: SeenRequest['query']): object {
    const { kind, namespace } = target;
    const prefix = `${this.#collection(kind)}|${namespace === undefined ? '' : `${namespace}|`}`;
    const isWanted = selects(query);
    const all = [...this.#objects]
      .filter(([key, object]) => key.startsWith(prefix) && isWanted(object))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const current =
      query.resourceVersion === '0'
        ? String(this.#kindVersions.get(this.#collection(kind)) ?? this.#oldest)
        : this.resourceVersion;
    const [version = current, after] = query.continue?.split('~') ?? [];
    if (query.continue !== undefined && this.#expireTokens > 0) {
      this.#expireTokens -= 1;
      throw new Refusal(410, 'Expired', 'The provided continue parameter is too old');
    }
    const rest = after === undefined ? all : all.filter(([key]) => key > after);
    const page = query.limit === undefined ? rest : rest.slice(0, Number(query.limit));
    const last = page.at(-1)?.[0];
    return {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: {
        resourceVersion: version,
        ...(page.length < rest.length && { continue: `${version}~${last}` }),
      },
      // Built-in kinds leave out what an item is.
      items: page.map(([, { apiVersion, kind: type, ...object }]) =>
        kind.group === '' ? object : { apiVersion, kind: type, ...object },
      ),
    };
  }

  #watch({ kind, namespace }: Target, query: SeenRequest['query'], response: ServerResponse): void {
    const since = Number(query.resourceVersion);
    if (since < this.#oldest) {
      throw new Refusal(410, 'Expired', `too old resource version: ${since} (${this.#oldest})`);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const isWanted = selects({ ...query, ...(namespace !== undefined && { namespace }) });
    const watch: OpenWatch = {
      collection: this.#collection(kind),
      isWanted,
      response,
      isSilent: this.#isMute,
    };
    const timer = setTimeout(() => {
      if (!watch.isSilent) response.end();
    }, Number(query.timeoutSeconds) * 1000);
    this.#watches.add(watch);
    response.on('close', () => {
      clearTimeout(timer);
      this.#watches.delete(watch);
    });
    for (const event of this.#history) if (event.version > since) this.#tell(watch, event);
  }
}
