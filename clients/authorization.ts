import { Buffer } from 'node:buffer';

/**
 * The form in which a request carries the secret that authorizes it, the client's `token`:
 * - `bearer`: `authorization: Bearer <token>`.
 * - `basic`: the token is the password of the user (RFC 7617).
 * - `header`: a header of that name holds the token after `prefix`. Examples are `x-api-key`, and `authorization` with
 *   `Token `.
 */
export type Authorization =
  | { readonly type: 'bearer' }
  | { readonly type: 'basic'; readonly username: string }
  | { readonly type: 'header'; readonly name: string; readonly prefix?: string };

/** How a client authorizes its requests. */
export interface Authorizing {
  readonly header: string;
  /** The value of the header. */
  valueFor(token: string): string;
  /** The forms in which a message might contain the token, the longest first. */
  revealing(token: string): readonly string[];
  /** For messages: the credential that a cloud refuses with 401. */
  readonly noun: string;
}

/** Headers that have another meaning, or belong to the connection. */
const taken = new Set(
  'accept connection content-length content-type expect host keep-alive transfer-encoding upgrade user-agent'.split(
    ' ',
  ),
);

/**
 * Throws TypeError for a user with a colon and for a header that a cloud cannot define. The error does not contain the
 * values.
 */
export function authorizing(authorization: Authorization): Authorizing {
  switch (authorization.type) {
    case 'bearer':
      return {
        header: 'authorization',
        valueFor: (token) => `Bearer ${token}`,
        revealing: plain,
        noun: 'the token',
      };
    case 'basic': {
      const { username } = authorization;
      if (username.includes(':')) throw new TypeError('authorization: a username cannot have a colon in it');
      const encoded = (token: string) => Buffer.from(`${username}:${token}`, 'utf8').toString('base64');
      return {
        header: 'authorization',
        valueFor: (token) => `Basic ${encoded(token)}`,
        revealing: (token) => [encoded(token), token],
        noun: 'the username or the password',
      };
    }
    case 'header': {
      const { name, prefix = '' } = authorization;
      const header = name.toLowerCase();
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
        throw new TypeError('authorization: no header can have that name');
      if (taken.has(header)) throw new TypeError(`authorization: the header ${header} has another meaning`);
      return {
        header,
        valueFor: (token) => `${prefix}${token}`,
        revealing: plain,
        noun: `the header ${header}`,
      };
    }
  }
}

const plain = (token: string): readonly string[] => [token];
