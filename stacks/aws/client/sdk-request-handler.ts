import { Readable } from 'node:stream';
import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { Carrier, ClientClock } from '../../../package/http.ts';
import { later } from '../../../package/http.ts';

type RequestHandler = NonNullable<STSClientConfig['requestHandler']>;

/** The official client's request, as far as it is used here. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/**
 * There was no answer. `cause` is the error of the transport; `timeoutMs` is set if the answer did not arrive in time.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly timeoutMs: number | undefined;

  constructor(options: { readonly cause?: unknown; readonly timeoutMs?: number }) {
    super('there was no answer', { cause: options.cause });
    this.timeoutMs = options.timeoutMs;
  }
}

export interface SdkTransport {
  readonly dispatcher: Carrier;
  readonly clock: Pick<ClientClock, 'sleep'>;
  /** Timeout of one attempt in milliseconds. */
  readonly timeoutMs: number;
}

/** Sends the official client's requests over the connections of this process. Timeouts use the given clock. */
export function sdkRequestHandler({ dispatcher, clock, timeoutMs }: SdkTransport): RequestHandler {
  async function handle(
    request: SdkRequest,
    { abortSignal: given }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<{ readonly response: SdkResponse }> {
    const { protocol, hostname, port, path, method, body } = request;
    const query = new URLSearchParams(
      Object.entries(request.query ?? {}).flatMap(([key, value]) =>
        [value ?? ''].flat().map((one): [string, string] => [key, one]),
      ),
    );
    const deadline = new AbortController();
    const callOff = later(clock, timeoutMs, () => deadline.abort());
    const signals = given === undefined ? [deadline.signal] : [given, deadline.signal];
    try {
      const {
        statusCode,
        headers,
        body: answer,
      } = await dispatcher.request({
        origin: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`,
        // Encoded in the same way as for the signature.
        path: query.size === 0 ? path : `${path}?${query.toString().replaceAll('+', '%20')}`,
        method: method as 'GET' | 'POST' | 'DELETE',
        headers: { ...request.headers },
        body: textOfBody(body),
        signal: AbortSignal.any(signals),
      });
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      return { response: { statusCode, headers: plainHeaders(headers), body: Readable.from(chunks) } };
    } catch (cause) {
      given?.throwIfAborted();
      throw new NoAnswer(deadline.signal.aborted ? { timeoutMs } : { cause });
    } finally {
      callOff();
    }
  }
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    handle,
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
    destroy: () => {},
  };
  return handler as RequestHandler;
}

function textOfBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  // Copied from memory: the official client's own byte type prints a warning if its value is read.
  if (body instanceof Uint8Array) {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  }
  throw new TypeError('a request body that is neither text nor bytes');
}

const plainHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
