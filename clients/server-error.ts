import type { Advice, ErrorFacts, ExternalErrorClass, Holder } from './external-error.ts';
import { escaped } from './text.ts';

export interface ServerErrorOptions<Code extends string> {
  readonly code: Code;
  /** Default: Unknown. */
  readonly errorClass?: ExternalErrorClass | undefined;
  readonly isRetryable?: boolean | undefined;
  readonly advice?: Advice | undefined;
  readonly holder?: Holder | undefined;
  readonly cause?: unknown;
}

/**
 * Any failure of a call of a server that many teams share, such as a database server. `message` is stable and without
 * secrets, so a condition may show it.
 */
export abstract class ServerError<Code extends string = string> extends Error implements ErrorFacts {
  readonly code: Code;
  readonly errorClass: ExternalErrorClass;
  /** Whether the same call may succeed later without a change of the request or the credentials. */
  readonly isRetryable: boolean;
  readonly advice: Advice | undefined;
  readonly holder: Holder | undefined;

  constructor(message: string, options: ServerErrorOptions<Code>) {
    super(escaped(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.errorClass = options.errorClass ?? 'Unknown';
    this.isRetryable = options.isRetryable ?? false;
    this.advice = options.advice;
    this.holder = options.holder;
  }
}

/** The `code` of an error of Node or of a driver, if it is a text. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name cannot be looked up',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to network',
};

/**
 * Why a server was not reached, in words that do not change: messages of drivers contain addresses in varying order, codes
 * do not. `text`: the message of the error, without secrets.
 */
export function networkReason(error: unknown, text: string): string {
  const reason = networkReasons[codeOf(error) ?? ''];
  if (reason !== undefined) return reason;
  if (/timeout/i.test(text)) return 'timed out';
  return /terminated|connection lost/i.test(text) ? 'connection lost' : text;
}
