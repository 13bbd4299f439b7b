/**
 * `npm run docs` builds the docs site into dist/docs/. Neither the build nor the site needs a network.
 * `DOCS_BASE=/services-stack/` is the path of the site on its server. `DOCS_REPOSITORY` is the address of the files
 * of the repository. Without it, links to files that are no pages are plain text.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, forSite, sitePath } from './links.ts';
import { searchOptions } from './search.ts';
import { navigation, outsideOfDocs, sidebar } from './tree.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = new Set(globSync(['docs/**/*.md', ...outsideOfDocs], { cwd: root }));

/** Tables are the most frequent form in these pages, and many are read on a phone. */
const style = `
.vp-doc td, .vp-doc th { padding: 6px 10px; vertical-align: top; }
.vp-doc td { line-height: 1.5; }
@media (max-width: 640px) { .vp-doc table { font-size: 13px; } .vp-doc td { min-width: 6.5em; } }
`;

/** In the page itself, so that it is found under every path. */
const icon = readFileSync(join(root, 'dashboard', 'page', 'icon.svg'), 'utf8').trim();

export default defineConfig({
  title: 'Services Stack',
  description: 'Databases that teams claim for themselves, with Kubernetes',
  lang: 'en',
  head: [
    ['style', {}, style],
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
  ],
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  outDir: '../dist/docs',
  cacheDir: '../dist/docs-cache',
  // The search has the pages in the order in which they were read: side by side, that differs from build to build.
  buildConcurrency: 1,
  srcExclude: globSync('**/*.md', { cwd: root, exclude: ['node_modules', 'dist'] }).filter(
    (file) => !pages.has(file),
  ),
  rewrites: Object.fromEntries([...pages].map((file) => [file, sitePath(file)])),
  markdown: {
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    emoji: { enabled: [] },
    config: (md) =>
      forSite(md, ({ realPath = '', path = '' }) => relative(root, realPath || path), {
        isPage: (file) => pages.has(file),
        exists: (file) => existsSync(join(root, file)),
        repository: process.env.DOCS_REPOSITORY?.replace(/\/$/, ''),
      }),
  },
  ignoreDeadLinks: 'localhostLinks',
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions,
        },
      },
    },
    nav: navigation,
    sidebar,
    outline: [2, 3],
    socialLinks: [],
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
});
