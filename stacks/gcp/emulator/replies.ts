import type { LoopbackReply } from '../../../package/testing.ts';
import { BadBody, maxBodyBytes } from '../../../package/testing.ts';
import { TokenProblem } from './access-tokens.ts';
import { Problem } from './problem.ts';

/** A reply in JSON, in the format of the APIs. */
export function jsonReply(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): LoopbackReply {
  const text = `${JSON.stringify(body, null, 2)}\n`;
  return { status, headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' }, text };
}

/** A page of Google's front end: with a path, that it is not found; without one, that the server failed. */
export function pageReply(status: number, path?: string): LoopbackReply {
  const what =
    path === undefined
      ? 'The server encountered a temporary error.'
      : 'The requested URL was not found on this server.';
  const text = `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status}</title>\n<p><b>${status}.</b> <ins>That’s an error.</ins>\n<p>${what}\n`;
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8' }, text };
}

/** The reply for an error that was thrown. */
export function errorReply(error: unknown): LoopbackReply {
  if (error instanceof TokenProblem) return jsonReply(400, error.body());
  const problem = problemOf(error);
  return jsonReply(problem.httpStatus, problem.body(), problem.headers);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BadBody) return new Problem('INVALID_ARGUMENT', badBodies[error.status]);
  return new Problem('INTERNAL', 'Internal error encountered.');
}

const badBodies = {
  400: 'Invalid JSON payload received. Unexpected token.',
  413: `Request payload size exceeds the limit: ${maxBodyBytes} bytes.`,
} as const;
