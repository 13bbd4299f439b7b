import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A TCP proxy on loopback that can reset its connections, and refuse new ones until it is open again. */
export interface CuttableLink extends AsyncDisposable {
  readonly port: number;
  cut(): void;
  open(): void;
}

/** Leads to a port of loopback. */
export async function startCuttableLink(port: number): Promise<CuttableLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const listener = createServer((client) => {
    if (isCut) return void client.resetAndDestroy();
    const server = connect({ host: '127.0.0.1', port });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server).pipe(client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    cut,
    open() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      cut();
      await closed;
    },
  };
}
