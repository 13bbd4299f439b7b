import { posix } from 'node:path';

export const tagOf = (version: string): string => `v${version}`;

/** Pure. The address of a file at the tag of a version. Undefined if the repository has no address. */
export const inRepository =
  (source: string | undefined, version: string) =>
  (path: string): string | undefined =>
    source === undefined ? undefined : `${source}/blob/${tagOf(version)}/${path}`;

/**
 * Pure. A page whose links lead somewhere outside of the repository, too. `address` returns the new target for a file of the
 * repository; undefined: only the text of the link remains. `from` is the file of the page.
 */
export const withAddresses = (
  page: string,
  from: string,
  address: (file: string) => string | undefined,
): string =>
  page.replace(/(!?)\[([^\]]*)\]\((?!#|[a-z]+:)([^)\s]*)\)/g, (_, picture, text, target) => {
    const [path = '', anchor] = String(target).split('#');
    const found = address(posix.join(posix.dirname(from), path));
    if (found === undefined) return String(text);
    return `${picture}[${text}](${found}${anchor === undefined ? '' : `#${anchor}`})`;
  });
