/** A request of HTTP/1.1, as far as it says what is asked for. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const headEnd = '\r\n\r\n';

/**
 * Reads what clients send, piece by piece, each over a connection of its own, one request after the other. Bodies must
 * say their length; what is no request is left out.
 */
export function sentRequests() {
  const pending = new Map<number, string>();
  return {
    /** The connection is new, whatever had its number before. */
    begin: (connection: number): void => void pending.delete(connection),
    /** The request that is whole with this piece, if one is. */
    add(connection: number, chunk: Buffer): SentRequest | undefined {
      const text = (pending.get(connection) ?? '') + chunk.toString('latin1');
      pending.set(connection, text);
      const end = text.indexOf(headEnd);
      if (end < 0) return undefined;
      const [start = '', ...lines] = text.slice(0, end).split('\r\n');
      const headers = new Map(
        lines.map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      const body = text.slice(end + headEnd.length);
      if (body.length < Number(headers.get('content-length') ?? 0)) return undefined;
      pending.delete(connection);
      const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(start) ?? [];
      return method === undefined || path === undefined ? undefined : { method, path, headers, body };
    },
  };
}
