import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { errorInfo, Problem } from './problem.ts';
import type { ServiceAccounts } from './service-accounts.ts';

/** An error of the token endpoint, by RFC 6749. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }

  body(): object {
    return { error: this.error, error_description: this.message };
  }
}

export interface AccessTokensOptions {
  readonly accounts: ServiceAccounts;
  /** The URL of the emulator. Its token endpoint is one of the audiences that an assertion may name. */
  readonly origin: () => string;
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** The clock of the signers, in milliseconds. */
  readonly signersNow: () => number;
  /** How long a token is valid. Google's tokens are valid for an hour. */
  readonly lifetimeMs: number;
  /** The secret of a saved inventory. Tokens that were signed with it stay valid. */
  readonly secret?: string;
}

/** The caller of a request. */
export interface Caller {
  readonly email: string;
  /** The scopes of the token. Undefined: the key signed the request itself, which allows every scope. */
  readonly scopes?: readonly string[];
}

/** Exchanges signed assertions for access tokens, and authenticates the callers of requests. */
export interface AccessTokens {
  /**
   * The token endpoint: RFC 7523's JWT bearer grant as Google has it.
   *
   * @param form the body of the request.
   * @throws TokenProblem
   */
  exchange(form: URLSearchParams): {
    readonly access_token: string;
    readonly expires_in: number;
    readonly token_type: 'Bearer';
  };
  /**
   * @param authorization the header.
   * @throws Problem UNAUTHENTICATED
   */
  authenticate(authorization: string | undefined): Caller;
  /** The secret that signs the tokens. */
  readonly secret: string;
}

interface Claims {
  readonly iss?: unknown;
  readonly scope?: unknown;
  readonly aud?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Clients name these audiences for any endpoint. Some clients have no setting for it. */
const audiences = [
  'https://oauth2.googleapis.com/token',
  'https://www.googleapis.com/oauth2/v4/token',
  'https://accounts.google.com/o/oauth2/token',
];
const skewMs = 5 * 60_000;
const longestMs = 60 * 60_000;
const domain = 'googleapis.com';

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { accounts, origin, now, signersNow, lifetimeMs } = options;
  const { secret = randomBytes(32).toString('base64url') } = options;
  const seal = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');

  /** The claims of a JWT that a service account has signed. */
  function signedClaims(jwt: string): Claims & { readonly iss: string } {
    const [header = '', payload = '', signature = '', ...rest] = jwt.split('.');
    const { alg } = decoded<{ readonly alg?: unknown }>(header);
    const claims = decoded<Claims>(payload);
    if (rest.length > 0 || alg !== 'RS256') throw badGrant('Invalid JWT: must be signed with RS256.');
    if (typeof claims.iss !== 'string') throw badGrant('Invalid JWT: iss is required.');
    const account = accounts.get(claims.iss);
    if (account === undefined) throw badGrant('Invalid grant: account not found');
    if (!accounts.hasSigned(account, `${header}.${payload}`, Buffer.from(signature, 'base64url'))) {
      throw badGrant('Invalid JWT Signature.');
    }
    const [iatMs, expMs] = [Number(claims.iat) * 1000, Number(claims.exp) * 1000];
    const isTimely =
      iatMs <= signersNow() + skewMs &&
      expMs > signersNow() - skewMs &&
      expMs > iatMs &&
      expMs - iatMs <= longestMs;
    if (!isTimely) {
      throw badGrant(
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    }
    return { ...claims, iss: claims.iss };
  }

  return {
    secret,
    exchange(form) {
      const grant = form.get('grant_type');
      if (grant !== grantType) {
        throw new TokenProblem('unsupported_grant_type', `Invalid grant_type: ${grant ?? ''}`);
      }
      const { iss, aud, scope } = signedClaims(form.get('assertion') ?? '');
      if (typeof aud !== 'string' || ![...audiences, `${origin()}/token`].includes(aud)) {
        throw badGrant('Invalid JWT: Failed audience check.');
      }
      const scopes = typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : [];
      if (scopes.length === 0 || scopes.some((one) => !one.startsWith('https://www.googleapis.com/auth/'))) {
        throw new TokenProblem('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
      }
      const token = { email: iss, scopes, expMs: now() + lifetimeMs };
      const text = Buffer.from(JSON.stringify(token)).toString('base64url');
      // A client gets one second less than there is, as from Google.
      const seconds = Math.max(0, Math.floor(lifetimeMs / 1000) - 1);
      return { access_token: `ya29.c.${text}.${seal(text)}`, expires_in: seconds, token_type: 'Bearer' };
    },
    authenticate(authorization) {
      const [, bearer] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? [];
      if (bearer === undefined) throw missing();
      if (!bearer.startsWith('ya29.')) return selfSigned(bearer);
      const [, , text = '', given = ''] = bearer.split('.');
      const [wanted, sealed] = [Buffer.from(seal(text)), Buffer.from(given)];
      if (wanted.length !== sealed.length || !timingSafeEqual(wanted, sealed)) throw refused();
      const { email, scopes, expMs } = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
        readonly email: string;
        readonly scopes: readonly string[];
        readonly expMs: number;
      };
      if (now() >= expMs || accounts.get(email) === undefined) throw refused('ACCESS_TOKEN_EXPIRED');
      return { email, scopes };
    },
  };

  /** Google takes a JWT that the key itself has signed, without an exchange. */
  function selfSigned(jwt: string): Caller {
    try {
      const { iss, scope } = signedClaims(jwt);
      return { email: iss, ...(typeof scope === 'string' && { scopes: scope.split(' ') }) };
    } catch (error) {
      if (error instanceof TokenProblem) throw refused();
      throw error;
    }
  }
}

const badGrant = (description: string): TokenProblem => new TokenProblem('invalid_grant', description);

/** A part of a JWT. Throws TokenProblem. */
function decoded<T extends object>(part: string): T {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (typeof json === 'object' && json !== null) return json as T;
  } catch {
    // refused below
  }
  throw badGrant('Invalid JWT: Bad Request');
}

const challenge = { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' };

const missing = (): Problem =>
  new Problem(
    'UNAUTHENTICATED',
    'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    { details: [errorInfo('CREDENTIALS_MISSING', domain)], headers: challenge },
  );

const refused = (reason = 'ACCESS_TOKEN_TYPE_UNSUPPORTED'): Problem =>
  new Problem(
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    {
      details: [errorInfo(reason, domain)],
      headers: { 'www-authenticate': `${challenge['www-authenticate']}, error="invalid_token"` },
    },
  );
