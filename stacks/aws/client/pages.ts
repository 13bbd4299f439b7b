import { invalidAnswer } from '../../../package/http.ts';

/** More pages than this mean that the service repeats its pages. */
const maxPages = 10_000;

/**
 * All items of a list in pages. `page` requests the page of a token; the first call has no token. Throws CloudError.
 */
export async function allPages<T>(
  what: string,
  page: (
    token: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { items, next } = await page(token);
    all.push(...items);
    if (next === undefined || next === '') return all;
    token = next;
  }
  throw invalidAnswer(`cannot ${what}: its list does not end`);
}
