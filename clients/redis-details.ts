/** How an application reaches a Redis. */
export interface RedisAccess {
  /** Whose it is. */
  readonly provider: string;
  readonly host: string;
  readonly port: number;
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
  password,
  certificates,
}: RedisAccess): Readonly<Record<string, string | null>> {
  const scheme = certificates === undefined ? 'redis' : 'rediss';
  const user = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
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
