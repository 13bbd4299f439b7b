import { invalid } from '../problem.ts';

/** One page of a list. The token is the number of the first item. Throws Problem for an invalid size or token. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
): { readonly items: readonly T[]; readonly nextPageToken?: string } {
  const size = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(size) || size < 0) throw invalid('page_size', 'Invalid page size.');
  const token = query.get('pageToken') || '0';
  if (!/^\d{1,9}$/.test(token)) throw invalid('page_token', 'Invalid page token.');
  const from = Number(token);
  const until = from + Math.min(size || 1000, 1000);
  return {
    items: all.slice(from, until),
    ...(until < all.length && { nextPageToken: String(until) }),
  };
}
