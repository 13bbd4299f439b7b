import type { HttpClientOptions } from '../http.ts';
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
  /** Where all APIs are reached; default: that of the key, else each at its own address. */
  readonly endpoint?: string | undefined;
  /** Where the key is exchanged; default: that of the key. */
  readonly tokenURI?: string | undefined;
}

/** One project of Google Cloud, as one service account. */
export interface GoogleCloudClient {
  readonly projectID: string;
  readonly memorystore: Memorystore;
  readonly pubsub: Pubsub;
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
  };
}

/** Names the system that a key leads to: projects hold things of the same names. */
export const googleSystemOf = ({
  key,
  projectID,
  endpoint = key.endpoint,
}: Pick<GoogleCloudOptions, 'key' | 'projectID' | 'endpoint'>): string =>
  `${endpoint ?? key.universeDomain}/projects/${projectID}`;
