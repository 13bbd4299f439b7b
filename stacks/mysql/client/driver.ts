import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import type { Connection, ConnectionOptions } from 'mysql2';

/** Members of the driver's connection that it does not declare. */
interface Internals {
  stream: Duplex;
  readonly packetParser: { execute(chunk: Buffer): void };
  _handleNetworkError(error: Error): void;
  /** Called once the server has agreed to begin TLS. */
  startTLS(onSecure: (error?: Error) => void): void;
}

const internals = (connection: Connection): Internals => connection as unknown as Internals;

/**
 * A connection of the driver. The driver compares the certificate of a server that is named by its IP address with
 * `localhost`, and forgets Node's code of a failure. Therefore TLS is begun here.
 */
export async function openConnection(
  options: Omit<ConnectionOptions, 'ssl'> & { readonly host: string },
  tls: false | TlsOptions,
): Promise<Connection> {
  const { createConnection } = await import('mysql2'); // a process without such a server does not load it
  const connection = createConnection({ ...options, ...(tls !== false && { ssl: {} }) });
  if (tls === false) return connection;
  const inside = internals(connection);
  inside.startTLS = (onSecure) => {
    const { host } = options;
    inside.stream.removeAllListeners('data');
    const secure = connectTls({
      ...tls,
      socket: inside.stream,
      host,
      ...(isIP(host) === 0 && { servername: host }),
    });
    let isSecure = false;
    secure.once('secureConnect', () => {
      isSecure = true;
      onSecure();
    });
    secure.on('error', (error) => {
      if (isSecure) inside._handleNetworkError(error);
      else onSecure(new Error(error.message, { cause: error }));
    });
    secure.on('data', (chunk: Buffer) => inside.packetParser.execute(chunk));
    inside.stream = secure;
  };
  return connection;
}

/** Ends a connection and sends nothing to the server. */
export const breakOff = (connection: Connection): void => {
  internals(connection).stream.destroy();
};
