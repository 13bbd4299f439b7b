import type { HttpClientOptions } from '../../../package/http.ts';
import { accessTokens } from './access-tokens.ts';
import { cloud, googleApi } from './google-api.ts';
import type { Memorystore } from './memorystore.ts';
import { memorystoreClient } from './memorystore.ts';
import type { Pubsub } from './pubsub.ts';
import { pubsubClient } from './pubsub.ts';
import type { ServiceAccountKey } from './service-account-key.ts';
import { secretsOf } from './service-account-key.ts';

export interface GoogleCloudOptions
  extends Pick<HttpClientOptions, 'clock' | 'random' | 'dispatcher' | 'timeoutMs' | 'maxAttempts'> {
  readonly key: ServiceAccountKey;
  readonly projectID: string;
  /** The URL of all APIs. Default: the key's, else each API's own. */
  readonly endpoint?: string | undefined;
  /** The URL at which the key is exchanged. Default: the key's. */
  readonly tokenURI?: string | undefined;
}

/** One project of Google Cloud, used with one service account. */
export interface GoogleCloudClient {
  readonly projectID: string;
  readonly memorystore: Memorystore;
  readonly pubsub: Pubsub;
  /** Exchanges the key for an access token. Throws CloudError if the key is refused. Reads no resource. */
  checkCredentials(signal: AbortSignal): Promise<void>;
}

/** A client that sends and loads nothing before its first call. */
export function googleCloudClient({
  key,
  projectID,
  endpoint = key.endpoint,
  tokenURI = key.tokenUri,
  ...options
}: GoogleCloudOptions): GoogleCloudClient {
  const token = accessTokens({ ...options, cloud, key: { ...key, tokenUri: tokenURI } });
  const account = key.clientEmail;
  const secrets = secretsOf(key);
  const api = (service: string) => {
    const url = endpoint ?? `https://${service}.${key.universeDomain}`;
    return googleApi({ ...options, url: url.replace(/\/+$/, ''), token, account, secrets });
  };
  return {
    projectID,
    memorystore: memorystoreClient({ http: api('redis'), projectID, account }),
    pubsub: pubsubClient({ http: api('pubsub'), projectID }),
    checkCredentials: async (signal) => void (await token({ signal })),
  };
}

/** The identity of the system that a key belongs to. Resources in different projects may have the same name. */
export const googleSystemOf = ({
  key,
  projectID,
  endpoint = key.endpoint,
}: Pick<GoogleCloudOptions, 'key' | 'projectID' | 'endpoint'>): string =>
  `${endpoint ?? key.universeDomain}/projects/${projectID}`;
