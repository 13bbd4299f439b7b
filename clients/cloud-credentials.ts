import { CloudError } from './cloud-error.ts';

/** The URL and the token of a cloud. Never logged. */
export interface CloudCredentials {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
}

/** The fields of {@link CloudCredentials}, for messages. */
export const cloudCredentialForm = '{"url": …, "token": …}';

/**
 * Credentials from JSON `{"url": "https://…", "token": "…"}`; other fields are ignored. Throws CloudError
 * `InvalidCredentials` that names the field and never its value.
 */
export function parseCredentials(json: string): CloudCredentials {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw invalid(`are not JSON; ${cloudCredentialForm} is expected`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalid(`are not a JSON object; ${cloudCredentialForm} is expected`);
  }
  const url = text(parsed, 'url');
  // Removes the whitespace of a file or a paste: a newline is not allowed in a header.
  const token = text(parsed, 'token');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw invalid('have a token with characters that a header cannot contain');
  if (!URL.canParse(url)) throw invalid('have a url that is not a URL');
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid('have a url of neither http nor https');
  if (username || password) throw invalid('have a url with a user in it; only the token is used');
  if (search || hash) throw invalid('have a url with a query or fragment');
  return { url: origin + pathname.replace(/\/+$/, ''), token };
}

function text(object: object, field: string): string {
  const value: unknown = (object as Readonly<Record<string, unknown>>)[field];
  if (typeof value !== 'string' || value.trim() === '') throw invalid(`have no ${field}, which must be text`);
  return value.trim();
}

const invalid = (what: string): CloudError =>
  new CloudError(`the credentials ${what}`, { status: 0, code: 'InvalidCredentials', isRetryable: false });
