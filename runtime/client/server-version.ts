/** The version of an API server, from `/version`. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

/** The version in an answer of `/version`; undefined for any other answer. Some clouds write the minor as `25+`. */
export function serverVersionIn(answer: unknown): ServerVersion | undefined {
  const { major, minor } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const version = { major: Number.parseInt(String(major), 10), minor: Number.parseInt(String(minor), 10) };
  return Number.isNaN(version.major) || Number.isNaN(version.minor) ? undefined : version;
}

/** Whether the version is supported. Older servers drop the rules of definitions, or their `fieldPath`, without an error. */
export const isSupported = ({ major, minor }: ServerVersion): boolean => major > 1 || minor >= 28;
