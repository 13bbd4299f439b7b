/** What a Redis behind an instance is to be like. */
export interface RedisWanted {
  /** Undefined: nobody has to say one. */
  readonly authString?: string;
  readonly memoryBytes: number;
  /** As in redis.conf. */
  readonly configs: Readonly<Record<string, string>>;
  /** Where it has been before. */
  readonly port?: number;
}

/** Where real Redis servers come from, by the names of instances. */
export interface RedisBackend {
  /** Starts one, or changes the one that runs. Resolves when it takes connections. */
  run(name: string, wanted: RedisWanted): Promise<{ readonly host: string; readonly port: number }>;
  /** Ends it, and all that it holds. There may be none. */
  remove(name: string): Promise<void>;
}
