import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { anchorOf, siteLink, sitePath } from '../../docs/.vitepress/links.ts';
import { outsideOfDocs, tree } from '../../docs/.vitepress/tree.ts';
import { projectRoot } from './project-copy.ts';

const targets = {
  isPage: (file: string) => file.endsWith('.md') && !file.startsWith('test/'),
  exists: (file: string) => !file.includes('missing'),
  repository: undefined,
};
const withRepository = { ...targets, repository: 'https://git.example.org/stack/blob/main' };

describe('the path of a page on the site', () => {
  for (const [file, path] of [
    ['README.md', 'index.md'],
    ['docs/README.md', 'tasks.md'],
    ['docs/aws.md', 'aws.md'],
    ['docs/decisions/README.md', 'decisions/index.md'],
    ['docs/decisions/0001-transport.md', 'decisions/0001-transport.md'],
    ['stacks/aws/emulator/README.md', 'stacks/aws/emulator/index.md'],
    ['CHANGELOG.md', 'CHANGELOG.md'],
  ] as const) {
    test(`${file} is ${path}`, () => assert.equal(sitePath(file), path));
  }
});

describe('the address of a link on the site', () => {
  for (const [name, target, from, link] of [
    ['a page beside it', 'aws.md', 'docs/gcp.md', '/aws.md'],
    ['an anchor of a page', 'aws.md#queues', 'docs/gcp.md', '/aws.md#queues'],
    ['an anchor of the page itself', '#queues', 'docs/aws.md', '#queues'],
    ['a page of another folder', '../README.md#status', 'docs/aws.md', '/index.md#status'],
    ['a page from the root', 'docs/aws.md', 'README.md', '/aws.md'],
    ['another site', 'https://example.org/a.md', 'docs/aws.md', 'https://example.org/a.md'],
    ['a file that is no page', '../test/processes.ts', 'docs/aws.md', undefined],
    ['a folder', '../examples', 'docs/aws.md', undefined],
  ] as const) {
    test(`${name}: ${link}`, () => assert.equal(siteLink(target, from, targets), link));
  }

  test('a file that is no page is in the repository, if that has an address', () => {
    assert.equal(
      siteLink('../test/a.md#b', 'docs/aws.md', withRepository),
      'https://git.example.org/stack/blob/main/test/a.md#b',
    );
  });

  test('a file that does not exist ends the build, with the page and the link', () => {
    for (const each of [targets, withRepository]) {
      assert.throws(
        () => siteLink('../examples/missing.yaml', 'docs/aws.md', each),
        /^Error: docs\/aws\.md has a link to \.\.\/examples\/missing\.yaml, which does not exist$/,
      );
    }
  });
});

describe('the anchor of a heading is that of GitHub', () => {
  for (const [heading, anchor] of [
    ['One process writes', 'one-process-writes'],
    ['From Crossplane 0.3 to 0.9', 'from-crossplane-03-to-09'],
    ['`npm run demo`, twice', 'npm-run-demo-twice'],
  ] as const) {
    test(`${heading}: ${anchor}`, () => assert.equal(anchorOf(heading), anchor));
  }
});

test('each page is in the sidebar once, and the list of decisions has the decisions', () => {
  const pages = globSync(['docs/**/*.md', ...outsideOfDocs], { cwd: projectRoot });
  const inSidebar = Object.values(tree)
    .flatMap((group) => Object.values(group))
    .filter((file) => !file.includes('#'));
  const listed = inSidebar.toSorted();
  assert.deepEqual(listed, pages.filter((file) => !/^docs\/decisions\/\d/.test(file)).toSorted());
});
