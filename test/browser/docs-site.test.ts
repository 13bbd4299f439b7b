import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, posix } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import MiniSearch from 'minisearch';
import { searchOptions } from '../../docs/.vitepress/search.ts';
import { sidebar } from '../../docs/.vitepress/tree.ts';
import type { BrowserPage, Chromium } from '../../tools/offline/chromium.ts';
import { startChromium } from '../../tools/offline/chromium.ts';
import { chromiumSupport } from '../../tools/offline/chromium-binaries.ts';

const root = join(import.meta.dirname, '..', '..');
const support = await chromiumSupport();
const skip = support.by === 'none' && support.reason;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Serves the files of a folder on loopback. */
async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    readFile(file).then(
      (content) => response.setHeader('content-type', types[extname(file)] ?? 'text/plain').end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Asks until the expression is true. */
async function until(page: BrowserPage, expression: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await page.evaluate<boolean>(`Boolean(${expression})`)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never true: ${expression}`);
}

/** A page of the site: its address and the title of the window. */
type PageOfSite = readonly [address: string, title: string];

/** The words that a user types, and the page that answers. */
const wordsOfUsers: Readonly<Record<string, string>> = {
  Unbound: '/troubleshooting.html#unbound',
  Released: '/troubleshooting.html',
  'restrict who may claim': '/tenancy.html#restrict',
  'add a service': '/adding-a-managed-service.html',
  'how do I add a new kind of database': '/adding-a-managed-service.html',
  DNS: '/install.html#network-policy',
  'network policy': '/install.html#network-policy',
  NetworkPolicy: '/install.html#network-policy',
  egress: '/install.html#network-policy',
  firewall: '/install.html#network-policy',
  'connection refused': '/troubleshooting.html',
  timeout: '/troubleshooting.html',
  'forgot password': '/rotate.html',
  'change password': '/rotate.html',
  'private CA': '/use-the-secret.html#tls',
  sslrootcert: '/use-the-secret.html#tls',
  certificate: '/use-the-secret.html#tls',
  'delete database': '/delete-a-claim.html',
  'keep data': '/postgresql.html#keep-data',
  'default class': '/claim.html',
  'restore a backup': '/backup.html',
  'import an existing database': '/managed-resources.html#importing',
  'stuck finalizer': '/annotations.html#finalizers',
  'read only user': '/postgresql.html#a-read-only-user',
  quota: '/tenancy.html#quotas',
  openshift: '/deploy/chart/',
  helm: '/deploy/chart/',
  'argo cd': '/gitops.html',
  upgrade: '/upgrade.html',
  uninstall: '/uninstall.html',
  proxy: '/flags.html#proxies',
  grafana: '/deploy/chart/',
  alert: '/alerts.html',
  runbook: '/alerts.html',
  'pod waits for secret': '/symptoms.html',
};

/** Opens pages one after another as a reader does, by links, and returns a line for each problem. */
const problemsOf = (pages: readonly PageOfSite[]): string => `(async () => {
  const problems = [];
  for (const [address, title] of ${JSON.stringify(pages)}) {
    const inSidebar = document.querySelector('.VPSidebar a[href="' + address + '"]');
    const link = inSidebar ?? document.querySelector('#app').appendChild(document.createElement('a'));
    link.href = address;
    link.click();
    const isOpen = () => location.pathname + location.hash === address && document.title === title;
    for (let tries = 0; tries < 1_000 && !isOpen(); tries += 1) await new Promise((done) => setTimeout(done, 10));
    if (inSidebar === null) link.remove();
    if (!isOpen()) problems.push(address + ' leads to ' + location.pathname + ', ' + document.title);
    const headings = document.querySelectorAll('.vp-doc h1').length;
    if (headings !== 1) problems.push(address + ' has ' + headings + ' headings of level 1');
    const width = document.documentElement.scrollWidth;
    if (width > innerWidth) problems.push(address + ' is ' + width + ' pixels wide');
  }
  return problems;
})()`;

describe('the docs site in a browser', { skip }, () => {
  let folder: string;
  let server: Server;
  let chromium: Chromium;
  let url: string;
  let files: readonly string[];
  /** The page at an address, such as `/aws.html#queues` or `/decisions/`. */
  const pageAt = (address: string): PageOfSite => {
    const { pathname } = new URL(address, 'http://localhost');
    const html = readFileSync(join(folder, pathname, pathname.endsWith('/') ? 'index.html' : ''), 'utf8');
    const [, title = ''] = /<title>(.*?)<\/title>/.exec(html) ?? [];
    return [address, title.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')];
  };
  const allPages = (): readonly PageOfSite[] =>
    files
      .filter((file) => file !== '404.html')
      .map((file) => pageAt(`/${file.replace(/(^|\/)index\.html$/, '$1')}`));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-docs-'));
    const command = join(root, 'node_modules/vitepress/bin/vitepress.js');
    await promisify(execFile)(process.execPath, [command, 'build', 'docs', '--outDir', folder], {
      cwd: root,
    });
    files = globSync('**/*.html', { cwd: folder });
    server = await serve(folder);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    chromium = await startChromium({ program: support.by === 'none' ? '' : support.program });
  });
  after(async () => {
    await chromium?.[Symbol.asyncDispose]();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const opened = (width: number): Promise<BrowserPage> => chromium.open(`${url}/`, { width, height: 844 });
  /** Nothing failed, and no other host was asked. */
  const ended = async (page: BrowserPage): Promise<void> => {
    assert.deepEqual(page.errors, []);
    const elsewhere = page.requests.filter(
      (request) => !request.startsWith(url) && !request.startsWith('data:'),
    );
    assert.deepEqual(elsewhere, []);
    await page.close();
  };

  test('each link leads to a page of the site and to a heading on it', () => {
    const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const));
    const anchors = new Map(
      [...pages].map(([file, html]) => [
        file,
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    );
    let count = 0;
    const broken = [...pages].flatMap(([file, html]) =>
      [...html.matchAll(/<a\b[^>]* href="([^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => {
          if (/^[a-z]+:/.test(href)) return false;
          count += 1;
          const { pathname, hash } = new URL(href, `http://localhost/${file}`);
          const path = posix.join(pathname.endsWith('/') ? `${pathname}index.html` : pathname).slice(1);
          const target = anchors.get(decodeURIComponent(path));
          return target === undefined || (hash !== '' && !target.has(decodeURIComponent(hash.slice(1))));
        })
        .map((href) => `${file}: ${href}`),
    );
    assert.deepEqual(broken, []);
    assert.ok(count > 5_000, String(count));
  });

  test('the sidebar leads to every page of the tree, and each has one title', async () => {
    const page = await opened(1280);
    await until(page, "document.querySelector('.VPSidebar a')");
    const links = sidebar.flatMap(({ items }) => items.map(({ link }) => link));
    assert.ok(links.length > 50);
    const shown = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.VPSidebar a')].map((link) => link.getAttribute('href'))",
    );
    assert.deepEqual(shown, links);
    assert.deepEqual(await page.evaluate(problemsOf(links.map(pageAt))), []);
    await ended(page);
  });

  test('on a phone no page is wider than the screen, and the menu opens the sidebar', async () => {
    const pages = allPages();
    assert.ok(pages.length > 90);
    // Chromium ignores changes of the address after 200 of them in a short time.
    for (let from = 0; from < pages.length; from += 60) {
      const page = await opened(390);
      await until(page, "document.querySelector('.VPSidebar a')");
      assert.deepEqual(await page.evaluate(problemsOf(pages.slice(from, from + 60))), []);
      await page.evaluate("document.querySelector('.VPLocalNav .menu').click()");
      await until(page, "document.querySelector('.VPSidebar.open')");
      await ended(page);
    }
  });

  test('the search finds the page for a word of a user, and opens it with the keyboard', async () => {
    const page = await opened(1280);
    await until(page, "document.querySelector('.DocSearch-Button')");
    for (const [words, address, title] of [
      ['NoMatchingClass', '/troubleshooting.html', 'When something is stuck'],
      ['rotate', '/rotate.html', 'Change a password'],
      ['kind cluster', '/start-kind.html', 'Start in a kind cluster'],
    ] as const) {
      await page.evaluate("document.querySelector('.DocSearch-Button').click()");
      await until(page, "document.activeElement?.classList.contains('search-input')");
      await page.type(words);
      await until(
        page,
        `document.querySelector('.VPLocalSearchBox .result.selected')?.innerText.includes(${JSON.stringify(title)})`,
      );
      await page.press('Enter');
      await until(page, `location.pathname === ${JSON.stringify(address)}`);
      await until(page, `document.querySelector('.vp-doc h1')?.innerText.includes(${JSON.stringify(title)})`);
      await until(page, "!document.querySelector('.VPLocalSearchBox')");
    }
    await ended(page);
  });

  test('the search finds the page for the words of users, among the first five results', async () => {
    const chunks = join(folder, 'assets', 'chunks');
    const [index = ''] = globSync('@localSearchIndexroot.*.js', { cwd: chunks });
    const { default: text } = (await import(join(chunks, index))) as { readonly default: string };
    // As the search box of VitePress loads it.
    const search = MiniSearch.loadJSON<{ readonly id: string }>(text, {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
      searchOptions: { fuzzy: 0.2, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
    });
    const missed = Object.entries(wordsOfUsers).flatMap(([words, page]) => {
      const found = search.search(words).map(({ id }) => String(id));
      return found.slice(0, 5).some((id) => id.startsWith(page))
        ? []
        : [`${words}: ${page} is not among ${found.slice(0, 5).join(', ')}`];
    });
    assert.deepEqual(missed, []);
  });

  test('a browser asks for no icon that is missing', async () => {
    const page = await opened(1280);
    const icon = await page.evaluate<string>("document.querySelector('link[rel=icon]').href");
    assert.match(icon, /^data:image\/svg\+xml,/);
    await ended(page);
  });
});
