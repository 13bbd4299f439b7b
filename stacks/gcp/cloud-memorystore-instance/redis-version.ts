/** `[6, Infinity]` for `REDIS_6_X`, which is the latest version 6. */
function partsOf(version: string): readonly [major: number, minor: number] {
  const [, major = 0, minor = 0] = version.split('_').map((part) => (part === 'X' ? Infinity : Number(part)));
  return [major, minor];
}

/** Whether a Redis version, in Memorystore's form, is later than another. There is no downgrade. */
export function isLaterVersion(version: string, other: string): boolean {
  const [[major, minor], [otherMajor, otherMinor]] = [partsOf(version), partsOf(other)];
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}
