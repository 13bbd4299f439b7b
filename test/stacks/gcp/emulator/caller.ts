import { after } from 'node:test';
import { JWT } from 'google-auth-library';
import type { LocalGoogleCloud, LocalGoogleCloudOptions } from '../../../../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../../../../stacks/gcp/emulator/server.ts';
import type { NewAccount, ServiceAccountKey } from '../../../../stacks/gcp/emulator/service-accounts.ts';

/** As far as tests go into an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export const cloudPlatform = 'https://www.googleapis.com/auth/cloud-platform';

/** An access token that Google's own library has exchanged for a key. */
export async function tokenOf(
  key: ServiceAccountKey,
  scopes: readonly string[] = [cloudPlatform],
): Promise<string> {
  const jwt = new JWT({
    email: key.client_email,
    key: key.private_key,
    keyId: key.private_key_id,
    scopes: [...scopes],
  });
  // The library asks Google's endpoint, whatever the key says, and goes on asking.
  const { transporter } = jwt;
  const request = transporter.request.bind(transporter);
  transporter.request = (options) => request({ ...options, url: key.token_uri, retryConfig: { retry: 0 } });
  const { token } = await jwt.getAccessToken();
  return token ?? '';
}

/** Calls a cloud's API with a token; `null`: with none. */
export async function call(
  { url }: Pick<LocalGoogleCloud, 'url'>,
  token: string | null,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
): Promise<Answer> {
  const response = await fetch(url + path, {
    signal: AbortSignal.timeout(20_000),
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

/** An emulator that stops when the test ends. */
export async function emulator(options: LocalGoogleCloudOptions = {}): Promise<LocalGoogleCloud> {
  const cloud = await startGoogleCloud(options);
  after(() => cloud.stop());
  return cloud;
}

/** The same with a clock that the test moves, and a function that calls it as an account of its own. */
export async function start(options: LocalGoogleCloudOptions = {}, account: NewAccount = {}) {
  let nowMs = Date.now();
  const cloud = await emulator({ now: () => nowMs, ...options });
  const token = await tokenOf(cloud.createKey(account));
  return {
    cloud,
    pass(ms: number): void {
      nowMs += ms;
    },
    send: (...request: Parameters<typeof call>[2]): Promise<Answer> => call(cloud, token, request),
  };
}
