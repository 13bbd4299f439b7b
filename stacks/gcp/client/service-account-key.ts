import { createPrivateKey } from 'node:crypto';
import { CloudError } from '../../../package/http.ts';

/** The fields of a service account's key that are used. Never logged. */
export interface ServiceAccountKey {
  /** `robot@project.iam.gserviceaccount.com`. */
  readonly clientEmail: string;
  /** PEM. */
  readonly privateKey: string;
  readonly privateKeyId?: string;
  /** The URL at which the key is exchanged for access tokens. */
  readonly tokenUri: string;
  /** The domain of the APIs: `googleapis.com`, or the domain of a cloud that another company runs. */
  readonly universeDomain: string;
  /** The URL of all APIs, if they are not at their own addresses. This is no field of Google's; emulators use it. */
  readonly endpoint?: string;
}

const googleTokenUri = 'https://oauth2.googleapis.com/token';

/**
 * Parses the JSON of a key from Google; other fields are ignored. Throws CloudError `InvalidCredentials` that names the
 * field and never its value.
 */
export function parseServiceAccountKey(json: string): ServiceAccountKey {
  const object = parsed(json);
  const type = textIn(object, 'type');
  if (type !== undefined && type !== 'service_account') {
    throw invalid('are of a type other than service_account, which is the one that is needed');
  }
  const privateKeyId = textIn(object, 'private_key_id');
  const endpoint = urlIn(object, 'endpoint');
  return {
    clientEmail: needed(object, 'client_email'),
    privateKey: privateKeyIn(object),
    ...(privateKeyId !== undefined && { privateKeyId }),
    tokenUri: urlIn(object, 'token_uri') ?? googleTokenUri,
    universeDomain: textIn(object, 'universe_domain') ?? 'googleapis.com',
    ...(endpoint !== undefined && { endpoint }),
  };
}

/** Texts that no message may contain: the key as it is, the key in JSON, each line of it, and its id. */
export const secretsOf = ({
  privateKey,
  privateKeyId = '',
}: Pick<ServiceAccountKey, 'privateKey' | 'privateKeyId'>): readonly string[] => [
  privateKeyId,
  privateKey,
  JSON.stringify(privateKey).slice(1, -1),
  ...privateKey.split(/\s*\n/).filter((line) => line !== '' && !line.startsWith('-----')),
];

function parsed(json: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalid('are not JSON; the key file of a service account is expected');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('are not a JSON object; the key file of a service account is expected');
  }
  return value;
}

function privateKeyIn(object: object): string {
  const pem = needed(object, 'private_key');
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem;
  } catch {
    throw invalid('have a private_key that cannot be read; PEM is expected');
  }
  throw invalid('have a private_key that is not for RSA');
}

/** A URL without a slash at its end. */
function urlIn(object: object, field: string): string | undefined {
  const text = textIn(object, field);
  if (text === undefined) return undefined;
  if (!URL.canParse(text)) throw invalid(`have a ${field} that is no URL`);
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw invalid(`have a ${field} of neither http nor https`);
  }
  if (username || password || search || hash) {
    throw invalid(`have a ${field} with a user, a query or a fragment`);
  }
  return origin + pathname.replace(/\/+$/, '');
}

function needed(object: object, field: string): string {
  const text = textIn(object, field);
  if (text === undefined) throw invalid(`have no ${field}, which must be text`);
  return text;
}

function textIn(object: object, field: string): string | undefined {
  const value: unknown = (object as Readonly<Record<string, unknown>>)[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw invalid(`have a ${field} that is no text`);
  return value.trim();
}

const invalid = (what: string): CloudError =>
  new CloudError(`the credentials ${what}`, { status: 0, code: 'InvalidCredentials', isRetryable: false });
