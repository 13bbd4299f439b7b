/** The settings of the Redis behind an instance. */
export interface RedisSettings {
  /** The password. Absent: clients need none. */
  readonly authString?: string;
  readonly memoryBytes: number;
  /** As in redis.conf. */
  readonly configs: Readonly<Record<string, string>>;
  /** The port that the Redis had before. */
  readonly port?: number;
  /** The Redis accepts TLS only, with this certificate. Both values are PEM. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string };
}

/** Runs real Redis servers, by the names of instances. */
export interface RedisBackend {
  /** Starts a Redis, or changes the one that runs. Resolves when the Redis accepts connections. */
  run(name: string, wanted: RedisSettings): Promise<{ readonly host: string; readonly port: number }>;
  /** Stops the Redis and deletes its data. Does nothing if there is no Redis. */
  remove(name: string): Promise<void>;
}

/** Redis servers that run as long as the emulator. */
export interface RedisServers extends RedisBackend {
  /** Stops all Redis servers. */
  stop(): Promise<void>;
}
