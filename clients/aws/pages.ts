import { invalidAnswer } from '../cloud-error.ts';

/** More pages than this mean a service that goes round in circles. */
const maxPages = 10_000;

/** All items of a list that comes in pages. `page` asks for the one of that token, at first without. Throws CloudError. */
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
