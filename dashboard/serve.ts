import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import type { Subscription } from 'rxjs';
import { interval, Observable } from 'rxjs';
import { cannotListen } from '../runtime/probes/cannot-listen.ts';
import type { BindAddress } from '../runtime/probes/serve-http.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Trace } from '../trace/model/trace.ts';
import type { Batch, Greeting } from './page/wire.ts';
import type { PageFile } from './page-file.ts';

export interface ServeOptions {
  readonly address: BindAddress;
  /** By path. */
  readonly files: Readonly<Record<string, PageFile>>;
  readonly greeting: Greeting;
  /** What a reader is told, while he keeps up. */
  readonly feed: (isFull: () => boolean) => Observable<Batch>;
  /** Undefined: there is no such kind or object. */
  readonly trace: (
    resource: string,
    namespace: string | undefined,
    name: string,
  ) => Promise<Trace | undefined>;
  readonly clock: Pick<Clock, 'scheduler'>;
  /** So many may read at a time; default 16. */
  readonly mostReaders?: number;
}

/** A reader, and whatever is between, learns at least this often that the process lives. */
const heartbeatMs = 15_000;
/** Bytes that may wait for a reader before he counts as slow. */
const mostWaiting = 1_048_576;

/** Nothing but what the process itself serves, no scripts in the page, and in nobody's frame. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Whether a request was made to an address, and not to a name that somebody else's page has made lead here (DNS
 * rebinding): a name is refused, but for that of the machine itself.
 */
export function isOurHost(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host ?? '');
  const bare = name?.[1] ?? name?.[2] ?? '';
  return bare === 'localhost' || isIP(bare) !== 0;
}

/**
 * Serves the page, what its readers are told as server-sent events, and traces, while subscribed to; emits its URL once it
 * listens. It only reads. Errors with one sentence that names the flag if it cannot listen.
 */
export function serveDashboard(options: ServeOptions): Observable<string> {
  const { address, files, trace, mostReaders = 16 } = options;
  const at = (port: number) =>
    `http://${address.host?.includes(':') ? `[${address.host}]` : address.host}:${port}`;
  return new Observable((subscriber) => {
    const readers = new Set<Subscription>();
    const server: Server = createServer((request, response) => {
      request.resume();
      answer(request, response).catch(() => refuse(response, 500, 'internal error'));
    });
    server.requestTimeout = 10_000;
    server.on('error', (error: NodeJS.ErrnoException) => {
      const where = `${address.host}:${address.port}`;
      subscriber.error(new Error(cannotListen('--dashboard-bind-address', where, error), { cause: error }));
    });
    server.listen(address.port, address.host, () => {
      const taken = server.address();
      if (typeof taken === 'object' && taken !== null) subscriber.next(at(taken.port));
    });
    return () => {
      for (const reader of readers) reader.unsubscribe();
      server.close();
      server.closeAllConnections();
    };

    async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (!isOurHost(request.headers.host)) {
        return refuse(
          response,
          421,
          `the page is not served as ${request.headers.host}: use localhost or an address`,
        );
      }
      if (request.headers['sec-fetch-site'] === 'cross-site')
        return refuse(response, 403, 'not for other sites');
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'GET only');
      const url = new URL(`http://localhost${request.url ?? '/'}`);
      if (url.pathname === '/events') return tell(response);
      if (url.pathname === '/trace') return told(url.searchParams, response);
      const file = Object.hasOwn(files, url.pathname) ? files[url.pathname] : undefined;
      if (file === undefined) return refuse(response, 404, 'not found');
      response.writeHead(200, { ...headers, 'content-type': file.type });
      response.end(request.method === 'HEAD' ? undefined : file.text);
    }

    async function told(query: URLSearchParams, response: ServerResponse): Promise<void> {
      const [resource = '', name = ''] = [query.get('resource') ?? '', query.get('name') ?? ''];
      const found = await trace(resource, query.get('namespace') ?? undefined, name);
      if (found === undefined) return refuse(response, 404, 'there is no such object');
      response.writeHead(200, { ...headers, 'content-type': 'application/json' });
      response.end(JSON.stringify(found));
    }

    function tell(response: ServerResponse): void {
      if (readers.size >= mostReaders) {
        refuse(response, 503, `${mostReaders} read already`);
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      response.write(`retry: 2000\n${eventText('greeting', options.greeting)}`);
      const isFull = (): boolean => response.writableLength > mostWaiting;
      const reader = options.feed(isFull).subscribe((batch) => response.write(eventText('batch', batch)));
      reader.add(
        interval(heartbeatMs, options.clock.scheduler).subscribe(() => response.write(': alive\n\n')),
      );
      readers.add(reader);
      response.on('close', () => {
        reader.unsubscribe();
        readers.delete(reader);
      });
    }
  });
}

/** One server-sent event. JSON has no line breaks. */
export const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

function refuse(response: ServerResponse, status: number, why: string): void {
  if (!response.headersSent)
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}
