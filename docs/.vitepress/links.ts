import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** The path of a page on the site: the pages of docs/ are at its top, a README is the page of its folder. */
export function sitePath(file: string): string {
  if (file === 'docs/README.md') return 'tasks.md';
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The anchor of a heading, as GitHub writes it. The links in the docs use these anchors. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The pages that the site has, and the address of all other files of the repository. */
export interface Targets {
  readonly isPage: (file: string) => boolean;
  readonly exists: (file: string) => boolean;
  /** Ends without a slash, such as `https://git.example.org/services-stack/blob/main`. Undefined: there is no address. */
  readonly repository: string | undefined;
}

/**
 * Pure. The address on the site for a link in a file of the repository. Undefined: the target is a file that is not on
 * the site, and the repository has no address. Throws if there is no such file.
 */
export function siteLink(
  target: string,
  from: string,
  { isPage, exists, repository }: Targets,
): string | undefined {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.join(posix.dirname(from), path);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (isPage(file)) return `/${sitePath(file)}${hash}`;
  if (!exists(file)) throw new Error(`${from} has a link to ${target}, which does not exist`);
  return repository === undefined ? undefined : `${repository}/${file}${hash}`;
}

/** Rewrites the links of each page, and keeps texts such as `{{ .Values.image }}` from Vue. */
export function forSite(
  md: MarkdownRenderer,
  sourceOf: (env: Environment) => string,
  targets: Targets,
): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const [index, token] of (children ?? []).entries()) {
        if (token.type === 'code_inline') token.attrSet('v-pre', '');
        if (token.type !== 'link_open') continue;
        const link = siteLink(token.attrGet('href') ?? '', sourceOf(env), targets);
        if (link !== undefined) token.attrSet('href', link);
        else {
          // The text alone remains.
          token.type = 'text';
          const end = children?.slice(index).find(({ type }) => type === 'link_close');
          if (end !== undefined) end.type = 'text';
        }
      }
    }
  });
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...args) => (text?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
}

/** Facts about the page that is rendered. */
export interface Environment {
  readonly realPath?: string;
  readonly path?: string;
}
