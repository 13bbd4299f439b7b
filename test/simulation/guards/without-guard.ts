import type { Guard } from './guards.ts';

/** A source without one of its guards. Throws if the guard's text is not in it exactly once. */
export function withoutGuard(
  { file, was, becomes }: Pick<Guard, 'file' | 'was' | 'becomes'>,
  source: string,
): string {
  const parts = source.split(was);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${was}`);
  return parts.join(becomes);
}
