/** The connection details of a Redis. */
export interface RedisAccess {
  /** The provider, for the entry `provider` of servicebinding.io. */
  readonly provider: string;
  readonly host: string;
  readonly port: number;
  /** The user of the password. Absent before Redis 6, which has no users. */
  readonly username?: string | undefined;
  /** Absent if clients need none. */
  readonly password?: string | undefined;
  /** PEM certificates of the authorities to trust, if clients use TLS. */
  readonly certificates?: string | undefined;
}

/** The entries of a connection secret of a Redis. `null`: it has none. */
export type RedisDetails = {
  readonly type: 'redis';
  readonly provider: string;
  readonly endpoint: string;
  readonly host: string;
  readonly port: string;
  readonly uri: string;
  readonly password: string | null;
  readonly certificates: string | null;
};

/**
 * The entries of a connection secret: Crossplane's (`endpoint`, `port`, `password`) and those of servicebinding.io
 * (`type`, `provider`, `host`, `uri`, `certificates`). `null` removes an entry.
 */
export function redisDetails({
  provider,
  host,
  port,
  username = '',
  password,
  certificates,
}: RedisAccess): RedisDetails {
  const scheme = certificates === undefined ? 'redis' : 'rediss';
  // Without a name, redis-cli would send an unknown user.
  const user = password === undefined ? '' : `${username}:${encodeURIComponent(password)}@`;
  return {
    type: 'redis',
    provider,
    endpoint: host,
    host,
    port: String(port),
    uri: `${scheme}://${user}${host}:${port}`,
    password: password ?? null,
    certificates: certificates ?? null,
  };
}
