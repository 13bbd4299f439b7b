interface Version {
  readonly data: Readonly<Record<string, string>>;
  readonly createdTime: string;
}

interface Entry {
  customMetadata: Readonly<Record<string, string>> | null;
  readonly versions: Version[];
}

export interface VaultOptions {
  /** The mount path of the engine. Default `secret`. */
  readonly mountPath?: string;
  /** The version of the KV engine. Default 2; changes with `enableVersioning`. */
  readonly kvVersion?: 1 | 2;
  /** A token with all rights. Default `vault-token`. */
  readonly token?: string;
  readonly now?: () => Date;
}

/** A reply to return instead of the real one. */
export interface VaultFault {
  readonly status: number;
  readonly errors?: readonly string[];
}

/** An error of Vault. */
export class VaultRefusal extends Error {
  readonly status: number;
  readonly errors: readonly string[];
  constructor(status: number, ...errors: readonly string[]) {
    super(errors.join('; '));
    this.status = status;
    this.errors = errors;
  }
}

/** A request over HTTP, or from a test in the same process. */
export interface VaultRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly token: string | undefined;
  /** The body's text. Throws VaultRefusal. */
  body(): Promise<string>;
}

export interface VaultReply {
  readonly status: number;
  /** JSON, or nothing. */
  readonly text: string;
}

/**
 * The part of HashiCorp Vault's HTTP API that a KV v2 engine has: data with check-and-set, custom metadata, deletion
 * for good; tokens; seal and unseal. Status codes and error texts are Vault's. It keeps everything in memory and is
 * for tests and demos only.
 */
export class Vault {
  mountPath: string;
  /** Tokens with all rights. */
  readonly tokens = new Set<string>();
  isSealed = false;
  #kvVersion: 1 | 2;
  /** The secrets of an engine of version 1, by their whole paths. */
  readonly #plain = new Map<string, unknown>();
  /** `METHOD /path` of every request. */
  readonly requests: string[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => Date;
  #faults: VaultFault[] = [];

  constructor({
    mountPath = 'secret',
    kvVersion = 2,
    token = 'vault-token',
    now = () => new Date(),
  }: VaultOptions = {}) {
    this.mountPath = mountPath;
    this.#kvVersion = kvVersion;
    this.tokens.add(token);
    this.#now = now;
  }

  /** `vault kv enable-versioning`, of an engine that has no secrets yet. */
  enableVersioning(): void {
    this.#kvVersion = 2;
  }

  /** Replaces the next reply. */
  fail(fault: VaultFault): void {
    this.#faults.push(fault);
  }

  /** All paths that have data or metadata. */
  paths(): readonly string[] {
    return [...this.#entries.keys(), ...this.#plain.keys()];
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

  /** Never rejects. */
  async answer({ method, target, token, body }: VaultRequest): Promise<VaultReply> {
    try {
      this.requests.push(`${method} ${target}`);
      const json = await body();
      const answer = this.#answer(method, target, token, json);
      return answer === undefined ? { status: 204, text: '' } : { status: 200, text: JSON.stringify(answer) };
    } catch (error) {
      const refusal = error instanceof VaultRefusal ? error : new VaultRefusal(500, 'internal error');
      return { status: refusal.status, text: JSON.stringify({ errors: refusal.errors }) };
    }
  }

  #answer(method: string, target: string, token: string | undefined, body: string): object | undefined {
    const fault = this.#faults.shift();
    if (fault !== undefined) throw new VaultRefusal(fault.status, ...(fault.errors ?? []));
    if (this.isSealed) throw new VaultRefusal(503, 'Vault is sealed');
    if (!this.tokens.has(token ?? '')) throw new VaultRefusal(403, 'permission denied');
    const path = decodeURIComponent(new URL(target, 'http://local').pathname).replace(/^\/v1\//, '');
    const [, mount] = /^sys\/internal\/ui\/mounts\/(.+?)\/?$/.exec(path) ?? [];
    if (mount !== undefined) return this.#mount(mount);
    if (this.#kvVersion === 1 && path.startsWith(`${this.mountPath}/`))
      return this.#first(method, path, body);
    const [, part, key] = new RegExp(`^${this.mountPath}/(data|metadata)/(.+)$`).exec(path) ?? [];
    if (part === undefined || key === undefined) {
      throw new VaultRefusal(404, `no handler for route "${path}". route entry not found.`);
    }
    const json = body === '' ? {} : JSON.parse(body);
    if (part === 'data') return method === 'POST' ? this.#write(key, json) : this.#read(key);
    if (method === 'POST') return this.#describe(key, json);
    if (method === 'DELETE') return void this.#entries.delete(key);
    return this.#metadata(key);
  }

  /** The answer that the command line of Vault asks for before it reads or writes a secret. */
  #mount(path: string): object {
    if (path !== this.mountPath) {
      const why = `preflight capability check returned 403, please ensure client's policies grant access to path "${path}/"`;
      throw new VaultRefusal(403, why);
    }
    return { data: { type: 'kv', path: `${path}/`, options: { version: String(this.#kvVersion) } } };
  }

  /** An engine of version 1: every path below the mount is a secret without versions. */
  #first(method: string, path: string, body: string): object | undefined {
    if (method === 'POST') return void this.#plain.set(path, JSON.parse(body));
    if (method === 'DELETE') return void this.#plain.delete(path);
    const data = this.#plain.get(path);
    if (data === undefined) throw new VaultRefusal(404);
    return { data };
  }

  #read(key: string): object {
    const entry = this.#entries.get(key);
    const newest = entry?.versions.at(-1);
    if (entry === undefined || newest === undefined) throw new VaultRefusal(404);
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
    if (data === undefined) throw new VaultRefusal(400, 'no data provided');
    const entry = this.#entry(key);
    if (options?.cas !== undefined && options.cas !== entry.versions.length) {
      throw new VaultRefusal(400, 'check-and-set parameter did not match the current version');
    }
    entry.versions.push({ data, createdTime: this.#now().toISOString() });
    return { data: this.#versionFacts(entry) };
  }

  #describe(
    key: string,
    { custom_metadata }: { custom_metadata?: Readonly<Record<string, string>> },
  ): undefined {
    for (const [name, value] of Object.entries(custom_metadata ?? {})) {
      if (name.length > 128 || value.length > 512) throw new VaultRefusal(400, 'custom_metadata is too long');
    }
    this.#entry(key).customMetadata = custom_metadata ?? null;
  }

  #metadata(key: string): object {
    const entry = this.#entries.get(key);
    if (entry === undefined) throw new VaultRefusal(404);
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
