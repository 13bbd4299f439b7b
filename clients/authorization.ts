import { Buffer } from 'node:buffer';

/**
 * In what form a request carries the secret that proves who asks, which is the `token` of the client's options:
 * - `bearer`: `authorization: Bearer <token>`.
 * - `basic`: the token is the password of the user (RFC 7617).
 * - `header`: a header of that name holds the token, after `prefix`, as `x-api-key` or `authorization` with `Token `.
 */
export type Authorization =
  | { readonly type: 'bearer' }
  | { readonly type: 'basic'; readonly username: string }
  | { readonly type: 'header'; readonly name: string; readonly prefix?: string };

/** How a client authorizes its requests. */
export interface Authorizing {
  readonly header: string;
  /** What the header holds. */
  valueFor(token: string): string;
  /** In what forms a message might tell the token, the longest first. */
  revealing(token: string): readonly string[];
  /** For messages: what a cloud refuses that answers with 401. */
  readonly noun: string;
}

/** Headers that say something else, or belong to the connection. */
const taken = new Set(
  'accept connection content-length content-type expect host keep-alive transfer-encoding upgrade user-agent'.split(
    ' ',
  ),
);

/** Throws TypeError, without what was given, for a user with a colon and for a header that cannot be the cloud's own. */
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
      if (taken.has(header)) throw new TypeError(`authorization: the header ${header} is for something else`);
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
