import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request as send } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';

export interface HttpProxyOptions {
  /** The ports on loopback behind host names that no DNS knows; other names are loopback itself. */
  readonly ports?: Readonly<Record<string, number>>;
  /** The user and password that it asks for: `user:password`. */
  readonly credentials?: string;
  /** The tunnels: `refuse` answers 403, `ignore` never answers. Default: they are opened. */
  readonly tunnels?: 'refuse' | 'ignore';
}

/** A forward proxy on loopback, for tunnels (CONNECT) and for plain requests. It records all of them. */
export class HttpProxy implements AsyncDisposable {
  /** For example `CONNECT api.test:443` and `GET http://vault.test/v1/…`. */
  readonly requests: string[] = [];
  readonly #options: HttpProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: HttpProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => this.#forward(request, response));
    this.#server.on('connect', (request: IncomingMessage, socket: Socket) => this.#tunnel(request, socket));
    this.#server.on('connection', (socket) => this.#sockets.add(socket));
  }

  static async start(options: HttpProxyOptions = {}): Promise<HttpProxy> {
    const proxy = new HttpProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Its URL, with the credentials that it asks for, or others. */
  url(credentials = this.#options.credentials): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${credentials === undefined ? '' : `${credentials}@`}127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #isLetIn({ method, url, headers }: IncomingMessage): boolean {
    this.requests.push(`${method} ${url}`);
    const { credentials } = this.#options;
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    return headers['proxy-authorization'] === wanted;
  }

  #target({ hostname, port }: URL): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.#options.ports?.[hostname] ?? Number(port) };
  }

  #tunnel(request: IncomingMessage, socket: Socket): void {
    socket.on('error', () => {});
    if (!this.#isLetIn(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (this.#options.tunnels === 'refuse') return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    if (this.#options.tunnels === 'ignore') return;
    const target = connect(this.#target(new URL(`https://${request.url}`)), () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    this.#sockets.add(target);
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isLetIn(request)) return void response.writeHead(407).end();
    const url = new URL(request.url ?? '');
    const { method, headers } = request;
    const path = `${url.pathname}${url.search}`;
    const forwarded = send({ ...this.#target(url), path, method, headers });
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  }
}
