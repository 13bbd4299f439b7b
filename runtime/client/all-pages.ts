export interface Page<T> {
  readonly items: readonly T[];
  readonly continueToken?: string | undefined;
}

/** The items of all pages of a list. `read` gets the token of the next page, none for the first. */
export async function allPages<T>(
  read: (token: { readonly continueToken?: string }) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let page = await read({});
  for (; page.continueToken !== undefined; page = await read({ continueToken: page.continueToken }))
    items.push(...page.items);
  return [...items, ...page.items];
}
