import { sitePath } from './links.ts';

/** Pages outside of docs/ that are on the site. */
export const outsideOfDocs: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'deploy/README.md',
  'emulators/*/README.md',
];

/** The pages of the site, in the order of the sidebar: the title of a group, and its pages by title and file. */
export const tree: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: { 'Services Stack': 'README.md', 'All pages by task': 'docs/README.md' },
};

const link = (file: string): string => `/${sitePath(file).replace(/(index)?\.md$/, '')}`;

export const sidebar = Object.entries(tree).map(([text, pages], index) => ({
  text,
  collapsed: index > 0,
  items: Object.entries(pages).map(([title, file]) => ({ text: title, link: link(file) })),
}));

export const navigation: { text: string; link: string }[] = [];
