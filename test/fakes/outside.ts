import type { Carrier } from '../../package/http.ts';
import type { LoopbackReply } from '../../package/testing.ts';

/** One external request, as a simulation sees it. */
export interface OutsideCall {
  /** `favourite`, `other`, `postgresql`, `vault`, `aws` or `gcp`. */
  readonly system: string;
  /** A method of HTTP, the words a statement begins with, or an action of AWS. */
  readonly verb: string;
  /** A path, or what a statement or an action is about; never a secret. */
  readonly target: string;
  readonly isWrite: boolean;
  /** It changes nothing before the COMMIT of its transaction, which is a write itself. */
  readonly isTentative?: boolean;
  readonly signal?: AbortSignal;
}

/** Has a call carried out, or not, sooner or later; `effect` does the work at once. */
export type CarryOutside = (call: OutsideCall, effect: () => Promise<unknown> | unknown) => Promise<unknown>;

export const atOnce: CarryOutside = async (_call, effect) => effect();

export type CarriedReply = Awaited<ReturnType<Carrier['request']>>;

const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/** The error of undici if the connection ends before an answer. */
export const connectionCut = (): Error => failure('other side closed', 'UND_ERR_SOCKET');

/** The error of sockets if no server listens. */
export const connectionRefused = (where: string): Error =>
  failure(`connect ECONNREFUSED ${where}`, 'ECONNREFUSED');

/** The own answer of a gateway before a server. */
export function gatewayReply(
  statusCode: number,
  { retryAfter }: { readonly retryAfter?: number | undefined } = {},
): CarriedReply {
  const text = `<html><head><title>${statusCode}</title></head><body><h1>${statusCode}</h1></body></html>\n`;
  return {
    statusCode,
    headers: {
      'content-type': 'text/html',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: [Buffer.from(text)],
  };
}

/**
 * The result of a call. If its caller gives up before, the result is the signal's reason, and the answer is
 * dropped.
 */
export function unlessAborted<T>(signal: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Takes a request and never answers it. */
export const noAnswer = (signal: AbortSignal | undefined): Promise<never> =>
  unlessAborted(signal, new Promise<never>(() => {}));

export type CarriedRequest = Parameters<Carrier['request']>[0];

/** The reply of an emulator, as it comes over a network. */
export function carried(reply: LoopbackReply, signal?: AbortSignal): CarriedReply | Promise<never> {
  if (reply === 'never') return noAnswer(signal);
  if (reply === 'cut') throw connectionCut();
  return { statusCode: reply.status, headers: reply.headers, body: [Buffer.from(reply.text)] };
}

/**
 * The carriers to a server in this process, each with a door of its own: the door may throw what undici would, or
 * give an answer of its own. Only this server exists: other hosts refuse connections.
 */
export const carriersTo =
  (
    url: string,
    callOf: (request: CarriedRequest) => Omit<OutsideCall, 'signal'>,
    serve: (request: CarriedRequest) => Promise<CarriedReply>,
  ) =>
  (carryOut: CarryOutside = atOnce): Carrier => ({
    async request(request) {
      const { origin, signal } = request;
      signal.throwIfAborted();
      if (origin !== url) throw connectionRefused(origin);
      const call = { ...callOf(request), signal };
      return unlessAborted(signal, carryOut(call, () => serve(request)) as Promise<CarriedReply>);
    },
  });
