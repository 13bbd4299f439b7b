import type { Edit } from './rules.ts';

/** A source after an edit. Throws if the text to replace is not in it exactly once. */
export function patched({ file, was, becomes }: Edit, source: string): string {
  const parts = source.split(was);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${was}`);
  return parts.join(becomes);
}
