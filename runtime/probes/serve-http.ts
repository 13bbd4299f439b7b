/*
 *   states of informers ──────────────▶ health.ts ──┐
 *   requests, queues, runs, leading ──▶ metrics.ts ─┴─▶ serve-http.ts ──▶ /healthz, /readyz, /metrics
 */

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Observable } from 'rxjs';
import { cannotListen } from './cannot-listen.ts';

/** The answer for a path. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The address to listen on. */
export interface BindAddress {
  /** Absent: every interface. */
  readonly host?: string;
  readonly port: number;
}

/**
 * Parses `host:port`, `[ipv6]:port` or `:port`, which means every interface, as in Go. `0` and the empty text mean
 * `'disabled'`. Undefined for any other text.
 */
export function parseBindAddress(text: string): BindAddress | 'disabled' | undefined {
  if (text === '' || text === '0') return 'disabled';
  const { groups } = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<host>[^\s:[\]/]*)):(?<port>\d{1,5})$/i.exec(text) ?? {};
  const port = Number(groups?.port);
  if (groups === undefined || port > 65_535) return undefined;
  const host = groups.v6 || groups.host;
  return { ...(host && { host }), port };
}

/** Pages by path, for GET and HEAD. The query is not part of the path. An error of a page is answered with 500. */
export type Pages = Readonly<Record<string, (query: URLSearchParams) => Page | Promise<Page>>>;

export interface ServeHttpOptions {
  /** The flag with the address, for error messages. */
  readonly flag: string;
  readonly address: BindAddress;
  readonly pages: Pages;
}

/**
 * Serves pages while subscribed to; emits its URL once it listens. If it cannot listen, errors with one sentence that names
 * the flag. Unsubscribing closes the server and its connections.
 */
export function serveHttp({ flag, address: { host, port }, pages }: ServeHttpOptions): Observable<string> {
  const at = (portInUse: number) =>
    `${host?.includes(':') ? `[${host}]` : (host ?? 'localhost')}:${portInUse}`;
  return new Observable((subscriber) => {
    const server: Server = createServer((request, response) => {
      const answer = async (): Promise<Page> => {
        const url = new URL(`http://localhost${request.url ?? '/'}`);
        const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
        if (page === undefined) return { status: 404, contentType: 'text/plain', body: 'not found\n' };
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          return { status: 405, contentType: 'text/plain', body: 'GET only\n' };
        }
        return page(url.searchParams);
      };
      void answer()
        .catch((): Page => ({ status: 500, contentType: 'text/plain', body: 'internal error\n' }))
        .then(({ status, contentType, body }) => {
          response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
          response.end(request.method === 'HEAD' ? undefined : body);
        });
      request.resume();
    });
    // Requests of probes and scrapers are short: a client that takes longer to send one has stalled.
    server.requestTimeout = 10_000;
    server.on('error', (error) =>
      subscriber.error(new Error(cannotListen(flag, at(port), error), { cause: error })),
    );
    server.listen(port, host, () => {
      subscriber.next(`http://${at((server.address() as AddressInfo).port)}`);
    });
    return () => {
      server.close();
      server.closeAllConnections();
    };
  });
}
