/** `[6, Infinity]` of `REDIS_6_X`, which is whatever is latest of 6. */
function partsOf(version: string): readonly [major: number, minor: number] {
  const [, major = 0, minor = 0] = version.split('_').map((part) => (part === 'X' ? Infinity : Number(part)));
  return [major, minor];
}

/** Whether a version of Redis, as Memorystore calls it, comes after another: there is no way back. */
export function isLaterVersion(version: string, other: string): boolean {
  const [[major, minor], [otherMajor, otherMinor]] = [partsOf(version), partsOf(other)];
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}
