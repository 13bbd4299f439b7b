/*
 *   get, list, patch … ──▶ http-request.ts ──▶ http-exchange.ts ──▶ transport.ts ──▶ API server
 *                          retries, Lease      one exchange         address, user       │
 *   objects, ApiError  ◀── answer.ts: checks the answer ─────── ◀───────────────────────┤
 *   watch events       ◀── answer.ts ◀── json-lines.ts: a line each ◀───────────────────┘
 */

import type { KubeConfig } from '@kubernetes/client-node';
import { Observable } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { retryAfterMsOf } from '../../clients/retry-after.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { deletedIn, objectIn, pageIn, watchEventIn } from './answer.ts';
import { ApiError } from './errors.ts';
import type { ExchangeHead } from './http-exchange.ts';
import { exchange, parsedOrUndefined, statusError } from './http-exchange.ts';
import type { Call, RequestFacts } from './http-request.ts';
import { hostOf, requestOptions, requestSender } from './http-request.ts';
import { jsonLines } from './json-lines.ts';
import type {
  KubernetesClient,
  ListOptions,
  Selection,
  WatchEvent,
  WatchOptions,
} from './kubernetes-client.ts';
import { groupVersionsIn, resourcesIn } from './served-resources.ts';
import { serverVersionIn } from './server-version.ts';
import type { Access } from './transport.ts';
import { createTransport } from './transport.ts';

export interface KubernetesClientOptions {
  /** The API server's address and the credentials; read again for each request. */
  readonly kubeConfig: KubeConfig;
  readonly log: Logger;
  /** Called for every request, including retries; for a watch when it is opened. */
  readonly onRequest?: (facts: RequestFacts) => void;
  /**
   * The milliseconds that a write may take; called right before each write except those of Leases. Throws if the write must
   * not be sent. Absent: the timeout of a request.
   */
  readonly checkLease?: () => number;
  /** Milliseconds for one request, without the delays that the server asks for; default 30 000. */
  readonly timeoutMs?: number;
  /** How often a request is sent again because the server asks for it; default 10, as in client-go. */
  readonly maxRetries?: number;
  /**
   * The largest accepted answer, and the longest line of a watch; default 256 MiB. That is far more than a page of a list
   * or any object needs, and less than the engine's longest text.
   */
  readonly maxAnswerBytes?: number;
  readonly clock: Clock;
}

const defaultMaxAnswerBytes = 256 * 1024 * 1024;
/** The limit for error answers. Only their Status object is used, which is short. */
const maxRefusalBytes = 1024 * 1024;

/** Names that the API server does not allow: in a path they would lead to another resource. */
const isUnnameable = (name: string): boolean => name === '.' || name === '..' || /[/%]/.test(name);

/** The path of a kind's collection, or of one object. Throws NotFound for a name that no object can have. */
function pathOf(kind: Kind, { namespace, name }: Partial<ObjectKey>, subresource?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope =
    kind.scope === 'Namespaced' && namespace !== undefined
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  if (name !== undefined && isUnnameable(name)) {
    throw new ApiError(`${resourceOf(kind)} "${name}" not found`, { code: 404, reason: 'NotFound' });
  }
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${kind.plural}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

const resourceOf = ({ group, plural }: Kind): string => (group === '' ? plural : `${plural}.${group}`);

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

const selectors = ({ labelSelector, fieldSelector }: Selection) => ({ labelSelector, fieldSelector });

/**
 * The API server over HTTP. Requests share connections; each watch has its own.
 *
 * - A request that is refused temporarily (429, or 5xx, with Retry-After) is sent again after the requested delay. A read
 *   whose connection breaks is sent again once.
 * - After a 401 the credentials are renewed and the request is sent again once. A watch fails, and the next one has the
 *   renewed credentials.
 * - Errors hold the Status object's message and nothing else of the answer.
 * - A successful answer that does not match the request (`answer.ts`) is an error, as if no answer had come.
 * - `close` ends all running requests and watches with ApiError (`code` 0).
 */
export function kubernetesClient(
  options: KubernetesClientOptions,
): KubernetesClient & { close(): Promise<void> } {
  const { kubeConfig, log, onRequest, checkLease, timeoutMs = 30_000, maxRetries = 10 } = options;
  const { clock, maxAnswerBytes = defaultMaxAnswerBytes } = options;
  const transport = createTransport({ kubeConfig, timeoutMs, clock });
  const send = requestSender({
    transport,
    log,
    onRequest,
    checkLease,
    timeoutMs,
    maxRetries,
    maxAnswerBytes,
    clock,
  });

  return {
    async serverVersion(signal) {
      const answer = await send({ method: 'GET', resource: 'version', path: '/version' }, signal);
      const version = serverVersionIn(answer);
      if (version !== undefined) return version;
      throw new ApiError('the API server answered with something that is not a version', {
        code: 0,
        reason: 'InvalidAnswer',
      });
    },

    async serves(kind, signal) {
      const ask = (path: string) => send({ method: 'GET', resource: 'apis', path }, signal);
      const groupVersion = apiVersionOf(kind);
      // The core group is not in the list of groups.
      if (kind.group === '') return resourcesIn(await ask(`/api/${groupVersion}`)).includes(kind.plural);
      if (!groupVersionsIn(await ask('/apis'), kind.group).includes(groupVersion)) return false;
      return resourcesIn(await ask(`/apis/${groupVersion}`)).includes(kind.plural);
    },

    async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, signal?: AbortSignal) {
      const call: Call = {
        method: 'GET',
        resource: resourceOf(kind),
        path: pathOf(kind, key),
        name: key.name,
      };
      return objectIn(kind, await send(call, signal), key);
    },

    async list<T extends KubernetesObject>(
      kind: Kind<T>,
      { namespace, limit, continueToken, resourceVersion, ...selection }: ListOptions,
      signal?: AbortSignal,
    ) {
      const path = withQuery(pathOf(kind, namespace === undefined ? {} : { namespace }), {
        ...selectors(selection),
        limit: limit?.toString(),
        continue: continueToken,
        resourceVersion,
      });
      const answer = await send({ method: 'GET', resource: resourceOf(kind), path }, signal);
      return pageIn(kind, answer, { namespace });
    },

    watch<T extends KubernetesObject>(
      kind: Kind<T>,
      { namespace, resourceVersion, timeoutSeconds, onOpen, ...selection }: WatchOptions,
    ) {
      const path = withQuery(pathOf(kind, namespace === undefined ? {} : { namespace }), {
        ...selectors(selection),
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        timeoutSeconds: timeoutSeconds.toString(),
      });
      return new Observable<WatchEvent<T>>((subscriber) => {
        let abandon: (() => void) | undefined;
        let head: ExchangeHead | undefined;
        const refusal: Buffer[] = [];
        let refusalBytes = 0;
        const lines = jsonLines(
          (line) => {
            if (!subscriber.closed) subscriber.next(watchEvent(kind, line, namespace));
          },
          { maxBytes: maxAnswerBytes },
        );
        const open = (access: Access): void => {
          if (subscriber.closed) return;
          const tell = (code: number) =>
            onRequest?.({ method: 'WATCH', resource: resourceOf(kind), code, host: hostOf(access) });
          // Each watch has its own connection, closed afterwards: no watch gets a stale connection or delays another.
          const request = { ...requestOptions(access, { method: 'GET', path }), reset: true };
          abandon = exchange(access.watches, request, {
            onHead(given) {
              head = given;
              tell(given.status);
              if (given.status === 200) onOpen?.();
              if (given.status === 401) transport.renew(access);
            },
            onChunk(chunk) {
              if (head?.status === 200) {
                parseOrRefuse(() => lines(chunk));
                return;
              }
              refusalBytes += chunk.length;
              if (refusalBytes <= maxRefusalBytes) refusal.push(chunk);
            },
            onEnd() {
              if (head?.status === 200) subscriber.complete();
              else {
                const body = parsedOrUndefined(Buffer.concat(refusal).toString('utf8'));
                subscriber.error(
                  statusError(head?.status, body, {
                    retryAfterMs: retryAfterMsOf(head?.headers['retry-after'], clock.now().getTime()),
                  }),
                );
              }
            },
            onError(error) {
              if (head === undefined) tell(0);
              subscriber.error(error);
            },
          });
        };
        transport
          .access()
          .then(open)
          .catch((error: unknown) => subscriber.error(error));
        return () => abandon?.();
      });
    },

    async create<T extends KubernetesObject>(kind: Kind<T>, object: T, signal?: AbortSignal) {
      const { namespace } = object.metadata;
      const path = pathOf(kind, namespace === undefined ? {} : { namespace });
      const answer = await send({ method: 'POST', resource: resourceOf(kind), path, body: object }, signal);
      const { name } = object.metadata;
      return objectIn(kind, answer, { name, namespace });
    },

    async patch<T extends KubernetesObject>(
      kind: Kind<T>,
      key: ObjectKey,
      patch: object,
      { subresource }: { readonly subresource?: 'status' } = {},
      signal?: AbortSignal,
    ) {
      const path = pathOf(kind, key, subresource);
      const contentType = 'application/merge-patch+json';
      const answer = await send(
        { method: 'PATCH', resource: resourceOf(kind), path, name: key.name, body: patch, contentType },
        signal,
      );
      return objectIn(kind, answer, key);
    },

    async apply<T extends KubernetesObject>(
      kind: Kind<T>,
      key: ObjectKey,
      fields: object,
      { fieldManager }: { readonly fieldManager: string },
      signal?: AbortSignal,
    ) {
      const { metadata, ...rest } = fields as { readonly metadata?: object };
      const body = {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        ...rest,
        metadata: { ...metadata, ...key },
      };
      const path = withQuery(pathOf(kind, key), { fieldManager, force: 'true' });
      // JSON is YAML. Servers before 1.32 accept no other media type.
      const contentType = 'application/apply-patch+yaml';
      const answer = await send(
        { method: 'PATCH', resource: resourceOf(kind), path, body, contentType },
        signal,
      );
      return objectIn(kind, answer, key);
    },

    async replace<T extends KubernetesObject>(kind: Kind<T>, object: T, signal?: AbortSignal) {
      const { name, namespace, uid } = object.metadata;
      const path = pathOf(kind, object.metadata);
      const call: Call = { method: 'PUT', resource: resourceOf(kind), path, name, body: object };
      return objectIn(kind, await send(call, signal), { name, namespace, uid });
    },

    async delete<T extends KubernetesObject>(
      kind: Kind<T>,
      key: ObjectKey,
      preconditions: { readonly uid?: string; readonly resourceVersion?: string },
      signal?: AbortSignal,
    ) {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
      const { name } = key;
      const call: Call = {
        method: 'DELETE',
        resource: resourceOf(kind),
        path: pathOf(kind, key),
        name,
        body,
      };
      return deletedIn(kind, await send(call, signal), { ...key, uid: preconditions.uid });
    },

    close: () => transport.close(),
  };
}

/** Runs `parse`. A line that is not JSON becomes an ApiError. */
function parseOrRefuse(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError('the API server sent a watch event that is not JSON', {
      code: 0,
      reason: 'InvalidWatchEvent',
    });
  }
}

/** One line of a watch. Throws ApiError for an ERROR event and for anything that is not a watch event. */
function watchEvent<T extends KubernetesObject>(
  kind: Kind<T>,
  line: unknown,
  namespace: string | undefined,
): WatchEvent<T> {
  const event = (line ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  if (event.type === 'ERROR') throw statusError(undefined, event.object);
  return watchEventIn(kind, event, { namespace });
}
