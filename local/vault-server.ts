import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Version {
  readonly data: Readonly<Record<string, string>>;
  readonly createdTime: string;
}

interface Entry {
  customMetadata: Readonly<Record<string, string>> | null;
  readonly versions: Version[];
}

/** What to put in the place of an answer. */
export interface VaultFault {
  readonly status: number;
  readonly errors?: readonly string[];
}

class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  constructor(status: number, ...errors: readonly string[]) {
    super(errors.join('; '));
    this.status = status;
    this.errors = errors;
  }
}

const maxBodyBytes = 1_000_000;

/**
 * A server on loopback that speaks the part of HashiCorp Vault's HTTP API that a KV v2 engine has: data with
 * check-and-set, custom metadata, deletion for good; tokens; seal and unseal. Status codes and error texts are
 * Vault's. It keeps everything in memory and is for tests and demos only.
 */
export class VaultServer {
  readonly mountPath: string;
  /** Tokens that are allowed everything. */
  readonly tokens = new Set<string>();
  isSealed = false;
  /** `METHOD /path` of every request. */
  readonly requests: string[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => Date;
  #faults: VaultFault[] = [];
  #server: Server | undefined;

  constructor({
    mountPath = 'secret',
    token = 'vault-token',
    now = () => new Date(),
  }: { readonly mountPath?: string; readonly token?: string; readonly now?: () => Date } = {}) {
    this.mountPath = mountPath;
    this.tokens.add(token);
    this.#now = now;
  }

  async start(port = 0): Promise<this> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get url(): string {
    const { port } = (this.#server?.address() ?? { port: 0 }) as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** The next answer. */
  fail(fault: VaultFault): void {
    this.#faults.push(fault);
  }

  /** The newest data and the custom metadata at a path; undefined if there is nothing. */
  peek(
    path: string,
  ): { data?: Readonly<Record<string, string>>; customMetadata: object; version: number } | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const data = entry.versions.at(-1)?.data;
    return {
      ...(data && { data }),
      customMetadata: entry.customMetadata ?? {},
      version: entry.versions.length,
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.requests.push(`${request.method} ${request.url}`);
      const answer = this.#answer(request, await bodyOf(request));
      if (answer === undefined) response.writeHead(204).end();
      else send(response, 200, answer);
    } catch (error) {
      if (error instanceof Refusal) send(response, error.status, { errors: error.errors });
      else send(response, 500, { errors: ['internal error'] });
    }
  }

  #answer(request: IncomingMessage, body: string): object | undefined {
    const fault = this.#faults.shift();
    if (fault !== undefined) throw new Refusal(fault.status, ...(fault.errors ?? []));
    if (this.isSealed) throw new Refusal(503, 'Vault is sealed');
    if (!this.tokens.has(String(request.headers['x-vault-token'] ?? ''))) {
      throw new Refusal(403, 'permission denied');
    }
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://local').pathname).replace(
      /^\/v1\//,
      '',
    );
    const [, part, key] = new RegExp(`^${this.mountPath}/(data|metadata)/(.+)$`).exec(path) ?? [];
    if (part === undefined || key === undefined) {
      throw new Refusal(404, `no handler for route "${path}". route entry not found.`);
    }
    const json = body === '' ? {} : JSON.parse(body);
    if (part === 'data') return request.method === 'POST' ? this.#write(key, json) : this.#read(key);
    if (request.method === 'POST') return this.#describe(key, json);
    if (request.method === 'DELETE') return void this.#entries.delete(key);
    return this.#metadata(key);
  }

  #read(key: string): object {
    const entry = this.#entries.get(key);
    const newest = entry?.versions.at(-1);
    if (entry === undefined || newest === undefined) throw new Refusal(404);
    return {
      data: {
        data: newest.data,
        metadata: { ...this.#versionFacts(entry), custom_metadata: entry.customMetadata },
      },
    };
  }

  #write(
    key: string,
    { data, options }: { data?: Readonly<Record<string, string>>; options?: { cas?: number } },
  ): object {
    if (data === undefined) throw new Refusal(400, 'no data provided');
    const entry = this.#entry(key);
    if (options?.cas !== undefined && options.cas !== entry.versions.length) {
      throw new Refusal(400, 'check-and-set parameter did not match the current version');
    }
    entry.versions.push({ data, createdTime: this.#now().toISOString() });
    return { data: this.#versionFacts(entry) };
  }

  #describe(
    key: string,
    { custom_metadata }: { custom_metadata?: Readonly<Record<string, string>> },
  ): undefined {
    for (const [name, value] of Object.entries(custom_metadata ?? {})) {
      if (name.length > 128 || value.length > 512) throw new Refusal(400, 'custom_metadata is too long');
    }
    this.#entry(key).customMetadata = custom_metadata ?? null;
  }

  #metadata(key: string): object {
    const entry = this.#entries.get(key);
    if (entry === undefined) throw new Refusal(404);
    return {
      data: { current_version: entry.versions.length, custom_metadata: entry.customMetadata, versions: {} },
    };
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { customMetadata: null, versions: [] };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #versionFacts({ versions }: Entry): object {
    const created_time = versions.at(-1)?.createdTime ?? '';
    return { created_time, deletion_time: '', destroyed: false, version: versions.length };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Refusal(413, 'request body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
