/** How an application reaches a Redis. */
export interface RedisAccess {
  /** Whose it is. */
  readonly provider: string;
  readonly host: string;
  readonly port: number;
  /** Whose password it is; absent where Redis knows no users, which came with version 6. */
  readonly username?: string | undefined;
  /** Absent where clients need none. */
  readonly password?: string | undefined;
  /** PEM certificates of whom to trust, where clients speak TLS. */
  readonly certificates?: string | undefined;
}

/**
 * The entries of a connection secret: Crossplane's (`endpoint`, `port`, `password`) and those of servicebinding.io (`type`,
 * `provider`, `host`, `uri`, `certificates`). `null` is one that there is none of.
 */
export function redisDetails({
  provider,
  host,
  port,
  username = '',
  password,
  certificates,
}: RedisAccess): Readonly<Record<string, string | null>> {
  const scheme = certificates === undefined ? 'redis' : 'rediss';
  // A user without a name is an unknown one to redis-cli.
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
