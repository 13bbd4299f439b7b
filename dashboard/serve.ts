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
  /** The files by path. */
  readonly files: Readonly<Record<string, PageFile>>;
  readonly greeting: Greeting;
  /** The feed of one reader; `isFull` is true while the reader does not keep up. */
  readonly feed: (isFull: () => boolean) => Observable<Batch>;
  /** The trace of an object; undefined if the kind or object does not exist. */
  readonly trace: (
    resource: string,
    namespace: string | undefined,
    name: string,
  ) => Promise<Trace | undefined>;
  readonly clock: Pick<Clock, 'scheduler'>;
  /** The maximum number of readers at a time; default 16. */
  readonly mostReaders?: number;
}

/** How often a reader, and proxies on the way, receive a sign that the process is alive. */
const heartbeatMs = 15_000;
/** How many bytes may wait for a reader before it counts as slow. */
const mostWaiting = 1_048_576;

/** The page loads only files of this process, has no inline scripts, and no site may frame it. */
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
 * Whether a request uses an address or `localhost` as host. Other names are refused: a foreign page could make such a name
 * resolve to this process (DNS rebinding).
 */
export function isOurHost(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host ?? '');
  const bare = name?.[1] ?? name?.[2] ?? '';
  return bare === 'localhost' || isIP(bare) !== 0;
}

/**
 * Serves the page, the feed as server-sent events, and traces, while subscribed to; emits its URL once it listens. It only
 * reads. If it cannot listen, it errors with one sentence that names the flag.
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
      const bound = server.address();
      if (typeof bound === 'object' && bound !== null) subscriber.next(at(bound.port));
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
          `the page is not served under the name ${request.headers.host}: use localhost or an IP address`,
        );
      }
      if (request.headers['sec-fetch-site'] === 'cross-site')
        return refuse(response, 403, 'requests from other sites are refused');
      if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'use GET');
      const url = new URL(`http://localhost${request.url ?? '/'}`);
      if (url.pathname === '/events') return sendFeed(request, response);
      if (url.pathname === '/trace') return sendTrace(url.searchParams, response);
      const file = Object.hasOwn(files, url.pathname) ? files[url.pathname] : undefined;
      if (file === undefined) return refuse(response, 404, 'not found');
      response.writeHead(200, { ...headers, 'content-type': file.type });
      response.end(file.text);
    }

    async function sendTrace(query: URLSearchParams, response: ServerResponse): Promise<void> {
      const [resource = '', name = ''] = [query.get('resource') ?? '', query.get('name') ?? ''];
      const found = await trace(resource, query.get('namespace') ?? undefined, name);
      if (found === undefined) return refuse(response, 404, 'there is no such object');
      response.writeHead(200, { ...headers, 'content-type': 'application/json' });
      response.end(JSON.stringify(found));
    }

    function sendFeed({ method }: IncomingMessage, response: ServerResponse): void {
      if (readers.size >= mostReaders) {
        refuse(response, 503, `${mostReaders} pages are open already: close one of them`);
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      if (method === 'HEAD') {
        response.end();
        return;
      }
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
const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

function refuse(response: ServerResponse, status: number, why: string): void {
  if (!response.headersSent)
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}
