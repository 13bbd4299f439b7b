import compact from 'lodash/compact.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import { interceptors } from 'undici';
import { textOf } from './body-text.ts';
import type { Clock } from './clock.ts';
import { later } from './clock.ts';
import type { Carrier, CreateAgent } from './http.ts';
import { directAgent } from './http.ts';
import { nonsense, otherEngine, refusal, unreachable, VaultError } from './vault-error.ts';

export interface VaultOptions {
  /** `https://vault.example.com:8200`; a path is allowed, and a slash at its end is ignored. */
  readonly server: string;
  /** Absent: requests have no token, for example to a Vault Proxy that adds one. */
  readonly token?: string;
  /** PEM certificates to trust instead of the well-known ones. */
  readonly caBundle?: string;
  /** Vault namespace, where the server has them. */
  readonly namespace?: string;
  readonly clock: Clock;
  /** Timeout of one call in milliseconds; default 10 000. */
  readonly timeoutMs?: number;
  /** The carrier of its requests; default: connections of its own, which trust `caBundle`. */
  readonly dispatcher?: Carrier;
  /** Creates these connections; default: they use no proxy. */
  readonly createAgent?: CreateAgent;
}

/** One secret of a KV v2 engine: its newest version and the metadata of all versions. */
export interface VaultSecret {
  /** Absent if it has no version, or the newest was deleted. */
  readonly data: Readonly<Record<string, string>> | undefined;
  /** Number of the newest version, deleted or not; 0 before the first. */
  readonly version: number;
  readonly customMetadata: Readonly<Record<string, string>>;
}

/** A KV v2 secrets engine of a Vault server. All methods throw VaultError, or the signal's reason. */
export interface VaultClient {
  /** Undefined if Vault answers that there is no such path. A gateway's 404 is an error. */
  read(path: string, signal: AbortSignal): Promise<VaultSecret | undefined>;
  /** Adds a version. Throws `Conflict` if the newest is not number `cas` (0: there is none). */
  write(
    path: string,
    data: Readonly<Record<string, string>>,
    options: { readonly cas: number },
    signal: AbortSignal,
  ): Promise<void>;
  /** Replaces the custom metadata. Creates an entry without versions if there is none. */
  writeMetadata(
    path: string,
    customMetadata: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Removes all versions and metadata permanently. A secret that was removed before is no error. */
  remove(path: string, signal: AbortSignal): Promise<void>;
  /** Ends its connections. */
  close(): Promise<void>;
}

interface Answer {
  readonly errors?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>> | null;
}

interface DataAnswer {
  /** Vault stores any JSON. */
  readonly data: unknown;
  readonly metadata: {
    readonly version: number;
    readonly custom_metadata?: Readonly<Record<string, string>> | null;
  };
}

interface RequestBody {
  readonly data?: Readonly<Record<string, string>>;
  readonly options?: { readonly cas: number };
  readonly custom_metadata?: Readonly<Record<string, string>>;
}

/** The type and the options of the engine at a mount path. */
interface Mount {
  readonly type?: string;
  readonly options?: { readonly version?: string } | null;
}

interface MetadataAnswer {
  readonly current_version: number;
  readonly custom_metadata?: Readonly<Record<string, string>> | null;
}

/**
 * A client for the KV v2 engine mounted at `mountPath` (Vault 1.9 or later: custom metadata), over the HTTP API.
 * It opens no connection before its first call.
 */
export function vaultClient(
  mountPath: string,
  { server, token, caBundle, namespace, clock, timeoutMs = 10_000, ...options }: VaultOptions,
): VaultClient {
  const { origin } = new URL(server);
  const mount = encoded(mountPath);
  const { createAgent = directAgent } = options;
  const agent = createAgent({ connect: { timeout: timeoutMs, ...(caBundle && { ca: caBundle }) } });
  // A standby node answers with the address of the active one.
  const { dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 2 })) } = options;
  const context = { origin, mountPath, namespace, secrets: compact([token]) };

  const call = (
    method: 'GET' | 'POST' | 'DELETE',
    part: 'data' | 'metadata',
    path: string,
    body: RequestBody | undefined,
    signal: AbortSignal,
  ): Promise<Answer | undefined> => request(method, `${mount}/${part}/${encoded(path)}`, body, signal);

  async function request(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: RequestBody | undefined,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    signal.throwIfAborted();
    const about = { ...context, secrets: [...context.secrets, ...Object.values(body?.data ?? {})] };
    const deadline = new AbortController();
    const callOff = later(clock, timeoutMs, () => deadline.abort());
    try {
      const { statusCode, body: stream } = await dispatcher.request({
        origin,
        path: `/v1/${path}`,
        method,
        headers: {
          ...(token !== undefined && { 'x-vault-token': token }),
          'x-vault-request': 'true',
          ...(namespace && { 'x-vault-namespace': namespace }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      const text = await textOf(stream);
      const answer = parsed(text);
      if (statusCode < 300) {
        if (answer === undefined && text !== '') throw nonsense(context);
        return answer ?? {};
      }
      // Nothing is at that path: Vault sends an empty list of errors. If no engine serves a path, the list has one
      // error. A deleted version has data. An answer with neither is not Vault's.
      if (statusCode === 404 && answer?.data) return answer;
      if (statusCode === 404 && answer?.errors?.length === 0) return undefined;
      throw refusal(statusCode, answer?.errors, about);
    } catch (error) {
      if (error instanceof VaultError) throw error;
      signal.throwIfAborted();
      throw unreachable(error, deadline.signal.aborted ? timeoutMs : undefined, about);
    } finally {
      callOff();
    }
  }

  /**
   * Throws if Vault says that another engine serves the mount. A KV engine of version 1 takes `data/…` for a path of its
   * own, so that a write would store the secret there. Vault's command line asks the same. Its answer is optional: an
   * older Vault has none, and the token may not have the right.
   */
  async function checkEngine(signal: AbortSignal): Promise<void> {
    const asking = request('GET', `sys/internal/ui/mounts/${mount}`, undefined, signal);
    const about = await asking.catch((error: unknown) => {
      if (error instanceof VaultError) return undefined;
      throw error;
    });
    const { type, options } = (about?.data ?? {}) as Mount;
    const other = typeof type === 'string' ? otherEngine(type, options?.version, context) : undefined;
    if (other !== undefined) throw other;
  }

  /** The number of a version, which every answer of KV v2 has. */
  async function numbered(version: unknown, signal: AbortSignal): Promise<number> {
    if (typeof version === 'number') return version;
    await checkEngine(signal);
    throw nonsense(context);
  }

  /** Values as text: an editor of JSON may have written numbers. A value that is null is left out. */
  function textsIn(data: unknown): VaultSecret['data'] {
    if (data === null || data === undefined) return undefined;
    if (!isPlainObject(data)) throw nonsense(context);
    const values = Object.entries(data).filter(([, value]) => value !== null);
    return Object.fromEntries(
      values.map(([key, value]) => [key, isString(value) ? value : JSON.stringify(value)]),
    );
  }

  return {
    async read(path, signal) {
      const answer = (await call('GET', 'data', path, undefined, signal)) as
        | { readonly data?: Partial<DataAnswer> }
        | undefined;
      if (answer !== undefined) {
        const { data, metadata } = answer.data ?? {};
        return {
          data: textsIn(data),
          version: await numbered(metadata?.version, signal),
          customMetadata: metadata?.custom_metadata ?? {},
        };
      }
      const about = (await call('GET', 'metadata', path, undefined, signal)) as
        | { readonly data?: Partial<MetadataAnswer> }
        | undefined;
      if (about === undefined) {
        await checkEngine(signal);
        return undefined;
      }
      const { current_version: version, custom_metadata: customMetadata } = about.data ?? {};
      return {
        data: undefined,
        version: await numbered(version, signal),
        customMetadata: customMetadata ?? {},
      };
    },
    async write(path, data, { cas }, signal) {
      const answer = await call('POST', 'data', path, { data, options: { cas } }, signal);
      await numbered(answer?.data?.version, signal);
    },
    async writeMetadata(path, customMetadata, signal) {
      await call('POST', 'metadata', path, { custom_metadata: customMetadata }, signal);
    },
    async remove(path, signal) {
      await call('DELETE', 'metadata', path, undefined, signal);
    },
    close: () => agent.close(),
  };
}

/** Encodes each part of a path. Vault's paths have no empty parts and no parts of dots only. */
function encoded(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const bad = parts.find((part) => part === '.' || part === '..');
  if (parts.length === 0 || bad !== undefined) {
    throw new VaultError(`"${path}" is not a path of a Vault server`, { code: 'Invalid' });
  }
  return parts.map(encodeURIComponent).join('/');
}

function parsed(text: string): Answer | undefined {
  try {
    const answer = JSON.parse(text) as Answer | null;
    if (typeof answer !== 'object' || answer === null) return undefined;
    const { errors, ...rest } = answer;
    return Array.isArray(errors) ? { ...rest, errors: errors.map(String) } : rest;
  } catch {
    return undefined; // nothing, or a gateway's page
  }
}
