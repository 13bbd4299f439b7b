import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { BrowserPage, Chromium, PageOptions } from '../../tools/offline/chromium.ts';
import { startChromium } from '../../tools/offline/chromium.ts';
import { chromiumSupport } from '../../tools/offline/chromium-binaries.ts';
import { TracedWorld } from '../trace/traced-world.ts';

const support = await chromiumSupport();
const skip = support.by === 'none' && support.reason;
/** Where pictures go, for the docs: `SCREENSHOTS=docs`. */
const pictures = process.env.SCREENSHOTS;

/** Lets the time of a process go by. The returned function ends the process. */
function running(world: TracedWorld): () => Promise<void> {
  let isOver = false;
  const pump = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      await world.pass(0.2);
    }
  })();
  return async () => {
    isOver = true;
    await pump;
    world.simulation.kill();
  };
}

describe('the live page in a browser', { skip }, () => {
  const world = new TracedWorld();
  let url: string;
  let chromium: Chromium;
  let endWorld = async (): Promise<void> => {};

  before(async () => {
    world.managed('legacy-orders');
    url = await world.startWithPage();
    for (const name of ['orders', 'cart', 'search', 'checkout', 'ledger']) world.claim(name);
    world.claim('archive', { classSelector: { matchLabels: { size: 'large' } } });
    world.claim('dreams', { classSelector: { matchLabels: { size: 'huge' } } });
    const resourceRef = {
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstance',
      name: 'legacy-orders',
    };
    world.claim('history', { resourceRef });
    await world.pass();
    world.claim('second', { resourceRef });
    await world.pass();
    chromium = await startChromium({ program: support.by === 'none' ? '' : support.program });
    endWorld = running(world);
  });
  after(async () => {
    await endWorld();
    await chromium?.[Symbol.asyncDispose]();
  });

  /** Asks until it is so. */
  async function until(page: BrowserPage, expression: string): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if (await page.evaluate<boolean>(`Boolean(${expression})`)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(
      `never so: ${expression}; the page says: ${await page.evaluate('document.body.innerText')}`,
    );
  }
  /** The page at the time of the process, with all its rows. */
  async function opened({ fragment = '', ...options }: PageOptions & { fragment?: string } = {}) {
    const before = `Date.now = () => ${world.clock.now().getTime()}`;
    const page = await chromium.open(`${url}/${fragment}`, { width: 1280, height: 780, before, ...options });
    await until(page, "document.querySelectorAll('.row').length >= 9");
    return page;
  }
  const texts = (page: BrowserPage, selector: string) =>
    page.evaluate<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.innerText)`,
    );
  async function picture(page: BrowserPage, name: string): Promise<void> {
    if (pictures === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 900)); // what slides and fades has come to rest
    await mkdir(pictures, { recursive: true });
    await writeFile(join(pictures, `live-page-${name}.png`), await page.screenshot());
  }

  test('every claim, trouble first, with its sign, name and what it says', async () => {
    const page = await opened();
    assert.deepEqual((await texts(page, '.row .name')).slice(0, 3), [
      'team-shop/dreams',
      'team-shop/second',
      'team-shop/archive',
    ]);
    assert.deepEqual((await texts(page, '.row .says')).slice(0, 3), [
      'NoMatchingClass',
      'ClaimedByOther',
      'Bound',
    ]);
    const sign = await page.evaluate("document.querySelector('.row .glyph').getAttribute('aria-label')");
    assert.equal(sign, 'needs action');
    assert.deepEqual(await texts(page, '#healths button'), [
      '2 need action',
      '0 with a problem',
      '0 in progress',
      '0 deleting',
      '7 ready',
    ]);
    assert.match((await texts(page, '#state'))[0] ?? '', /^live · 0\.1\.0 · fcp, ocp$/);
    await picture(page, 'light');
    assert.deepEqual(page.errors, []);
    const elsewhere = page.requests.filter((request) => !request.startsWith(url));
    assert.deepEqual(elsewhere, []);
    await page.close();
  });

  test('the graph leads from class to claim to resource to provider, and grows as a claim is made and bound', async () => {
    const page = await opened();
    const before_ = (await texts(page, '.node .name')).length;
    assert.ok((await texts(page, '.edge')).length >= 20);
    world.claim('fresh');
    await until(
      page,
      "[...document.querySelectorAll('.node .name')].some((e) => e.innerText.startsWith('team-shop-fresh-'))",
    );
    assert.equal((await texts(page, '.node .name')).length, before_ + 2);
    const at = (name: string) =>
      page.evaluate<number>(
        `[...document.querySelectorAll('.node')].find((e) => e.querySelector('.name').innerText.startsWith(${JSON.stringify(name)})).getBoundingClientRect().x`,
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const places = [await at('favourite-small'), await at('fresh'), await at('team-shop-fresh-')];
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    world.cluster.leave(FancySQLInstanceKind, { namespace: 'team-shop', name: 'fresh' });
    await until(
      page,
      "![...document.querySelectorAll('.row .name')].some((e) => e.innerText === 'team-shop/fresh')",
    );
    await page.close();
  });

  test('the trace of a claim names the entries that are rendered from a template, and no value', async () => {
    const page = await opened();
    const key = { namespace: 'team-shop', name: 'rendered' };
    const template = { DATABASE_URL: 'x://{{ password | uri }}' };
    const writeConnectionSecretToRef = { name: key.name, template };
    world.claim(key.name, { classSelector: { matchLabels: { size: 'small' } }, writeConnectionSecretToRef });
    const isBound = "e.innerText.includes('team-shop/rendered') && e.innerText.includes('Bound')";
    await until(page, `[...document.querySelectorAll('.row')].some((e) => ${isBound})`);
    await page.evaluate("location.hash = '#fancysqlinstances.database.crossplane.io/team-shop/rendered'");
    const says = 'rendered from a template: DATABASE_URL';
    await until(page, `document.querySelector('#trace').innerText.includes('${says}')`);
    const { password = assert.fail('no password') } = decodeDetails(world.cluster.get(SecretKind, key));
    const shown = await page.evaluate<string>('document.documentElement.outerHTML');
    assert.doesNotMatch(shown, new RegExp(`${password}|x://`));
    assert.deepEqual(page.errors, []);
    world.cluster.leave(FancySQLInstanceKind, key);
    const isGone =
      "![...document.querySelectorAll('.row .name')].some((e) => e.innerText === 'team-shop/rendered')";
    await until(page, isGone);
    await page.close();
  });

  test('filters by text, by what fares how and by phase, and says when nothing fits', async () => {
    const page = await opened();
    await page.press('/');
    await page.type('cart');
    await until(page, "document.querySelectorAll('.row').length === 1");
    assert.deepEqual(await texts(page, '.row .name'), ['team-shop/cart']);
    await page.type(' nowhere');
    await until(page, "document.querySelectorAll('.row').length === 0");
    await until(page, "document.querySelector('#empty').innerText === 'Nothing here fits the filter.'");
    await page.evaluate(
      "const t = document.querySelector('#text'); t.value = ''; t.dispatchEvent(new Event('input'))",
    );
    await page.evaluate("document.querySelector('[data-health=broken]').click()");
    await until(page, "document.querySelectorAll('.row').length === 2");
    await page.evaluate("document.querySelector('[data-health=broken]').click()");
    await page.evaluate(
      "const p = document.querySelector('#phase'); p.value = 'Bound'; p.dispatchEvent(new Event('change'))",
    );
    await until(page, "document.querySelectorAll('.row').length === 7");
    await page.close();
  });

  test('by keys alone: down, Enter, the trace with cause and command, and Escape back to the list', async () => {
    const page = await opened();
    await page.evaluate("document.querySelector('#list').focus()");
    await page.press('ArrowDown');
    await until(page, "document.querySelector('.row.active')");
    assert.equal(
      await page.evaluate(
        "document.getElementById(document.querySelector('#list').getAttribute('aria-activedescendant')).innerText.split('\\n')[0]",
      ),
      'team-shop/dreams',
    );
    await page.press('Enter');
    await until(page, "document.querySelector('.fault')");
    assert.deepEqual(await texts(page, '.verdict'), ['cannot be used']);
    assert.deepEqual(await texts(page, '.cause'), [
      'No resource class matches spec.classSelector size=huge; correct it, or have an administrator label a class so that it matches (matching: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 0 of 2).',
    ]);
    assert.match(
      (await texts(page, '.command code'))[0] ?? '',
      /^kubectl -n team-shop edit fancysqlinstances\.database\.crossplane\.io dreams$/,
    );
    assert.deepEqual(await texts(page, '.link.broken > .link-head .link-title'), [
      'class selector size=huge',
    ]);
    assert.equal(await page.evaluate('document.activeElement.id'), 'trace');
    await picture(page, 'trace');
    await page.press('Escape');
    await until(page, "document.querySelector('#trace').hidden");
    assert.equal(await page.evaluate('document.activeElement.id'), 'list');
    await page.close();
  });

  const address = '#fancysqlinstances.database.crossplane.io/team-shop/dreams';
  test('the address of an object selects it and opens its trace, and each selected object has an address', async () => {
    const page = await opened({ fragment: '#FancySQLInstance/team-shop/dreams' });
    await until(page, "document.querySelector('.fault')");
    assert.deepEqual(await texts(page, '.row.active .name'), ['team-shop/dreams']);
    assert.equal(await page.evaluate('location.hash'), address);
    assert.equal(await page.evaluate('document.title'), 'team-shop/dreams · Services Stack');
    await page.evaluate("location.hash = '#favouritedbinstances.database.fcp.crossplane.io/legacy-orders'");
    await until(page, "document.querySelector('.row.active .name')?.innerText === 'legacy-orders'");
    await page.press('Escape');
    assert.equal(await page.evaluate('location.hash'), '');
    await page.evaluate("location.hash = '#fancysqlinstances.database.crossplane.io/team-shop/nobody'");
    await until(page, "document.querySelector('.verdict')?.innerText === 'does not exist'");
    await page.close();
  });

  test('the address has the tab and the filters, and a new page shows the same', async () => {
    const page = await opened();
    await page.evaluate("[...document.querySelectorAll('#sorts button')][1].click()");
    await page.press('/');
    await page.type('legacy');
    await until(page, "document.querySelectorAll('.row').length === 1");
    assert.equal(await page.evaluate('location.search'), '?sort=managed&text=legacy');
    await page.close();
    const again = await chromium.open(`${url}/?sort=managed&text=legacy`, { width: 1280, height: 780 });
    await until(again, "document.querySelectorAll('.row').length === 1");
    assert.deepEqual(await texts(again, '.row .name'), ['legacy-orders']);
    assert.equal(await again.evaluate("document.querySelector('#text').value"), 'legacy');
    await again.close();
  });

  test('an Event has its age and message, and a provider its API group', async () => {
    const page = await opened();
    await until(page, "document.querySelectorAll('#activity li').length === 6");
    for (const item of await texts(page, '#activity li')) assert.match(item, /^\d+[smhd]\n\w+\n.+\n.+/);
    assert.match((await texts(page, '.node.provider .quiet')).join(), /^fcp\.crossplane\.io · \w+/);
    assert.match((await texts(page, '.row .kind')).join(), /^FancySQLInstance · \d+[smhd],/);
    await page.close();
  });

  test('a window of 480 pixels shows the list, and the trace of an object that is opened', async () => {
    const page = await opened({ width: 480, height: 780 });
    const heightOf = (id: string) =>
      page.evaluate<number>(`document.getElementById('${id}').getBoundingClientRect().height`);
    assert.ok((await heightOf('list')) > 200);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 480'));
    await picture(page, 'narrow');
    await page.evaluate("document.querySelector('.row').click()");
    await until(page, "document.querySelector('.verdict')");
    const isVisible = "document.querySelector('.verdict').getBoundingClientRect().top < 780";
    await until(page, isVisible);
    await page.close();
  });

  test('a cluster without claims shows the steps to the first claim, and which of them are done', async (context) => {
    const empty = new TracedWorld();
    const page = await chromium.open(await empty.startWithPage(), { width: 1280, height: 780 });
    context.after(running(empty));
    await until(page, "!document.querySelector('#guide').hidden");
    assert.deepEqual(await texts(page, '#empty'), ['There is no claim yet.']);
    await until(page, "document.querySelector('#guide').className === 'guide has-class has-provider'");
    await picture(page, 'empty');
    empty.claim('first');
    await until(page, "document.querySelector('#guide').hidden && document.querySelector('#empty').hidden");
    await page.close();
  });

  test('an open trace follows what happens', async () => {
    const page = await opened();
    await page.evaluate(
      "[...document.querySelectorAll('.row')].find((e) => e.innerText.includes('team-shop/history')).click()",
    );
    await until(page, "document.querySelector('.verdict.ok')");
    const paused = (value: string | null) => ({
      metadata: { annotations: { 'crossplane.io/paused': value } },
    });
    world.edit(FavouriteDBInstanceKind, { name: 'legacy-orders' }, paused('true'));
    await until(page, "document.querySelector('.cause')?.innerText.includes('is paused')");
    assert.deepEqual(await texts(page, '.verdict'), ['can be used, but has a problem']);
    world.edit(FavouriteDBInstanceKind, { name: 'legacy-orders' }, paused(null));
    await until(page, "document.querySelector('.verdict.ok')");
    await page.close();
  });

  test('a provider that is down shows on all that hangs from it, in the dark too', async () => {
    const page = await opened({ scheme: 'dark' });
    world.answering = 'not at all';
    await world.clock.settle().catch(() => {});
    await until(page, "Number.parseInt(document.querySelector('[data-health=troubled]').innerText, 10) >= 7");
    assert.match((await texts(page, '.row .says')).join(), /last observation failed/);
    await picture(page, 'dark');
    world.answering = 'as always';
    await page.close();
  });

  test('text has a contrast of at least 4.5 in both colour schemes', async () => {
    const contrast = `(() => {
      const parts = (c) => { const x = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); x.fillStyle = c; x.fillRect(0, 0, 1, 1); return [...x.getImageData(0, 0, 1, 1).data].slice(0, 3); };
      const light = (c) => { const [r, g, b] = parts(c).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)|transparent/.test(c)) return c; } return 'white'; };
      return [...document.querySelectorAll('.row span, .node span, .quiet, #state, .says, h1, h2, label, button, footer')]
        .filter((e) => e.innerText.trim() && e.checkVisibility())
        .map((e) => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))]; return [e.className || e.tagName, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]; })
        .filter(([, ratio]) => ratio < 4.5);
    })()`;
    for (const scheme of ['light', 'dark'] as const) {
      const page = await opened({ scheme });
      assert.deepEqual(await page.evaluate(contrast), [], scheme);
      await page.close();
    }
  });

  test('roles and names are there for who does not see it', async () => {
    const page = await opened();
    const unnamed =
      "[...document.querySelectorAll('button, select, input, [role=listbox], [role=option], svg[role=img]')].filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.innerText?.trim() || e.closest('label'))).length";
    assert.equal(await page.evaluate(unnamed), 0);
    assert.equal(await page.evaluate("document.querySelector('#list').getAttribute('role')"), 'listbox');
    assert.equal(await page.evaluate("document.querySelector('.row').getAttribute('aria-setsize')"), '9');
    await page.close();
  });

  test('10,000 claims: only the rows that are seen are in the page, and it stays quick', async () => {
    const page = await opened();
    await page.evaluate(`(async () => {
      const { State, everything } = await import('/state.ts');
      const { List } = await import('/list.ts');
      const state = new State();
      const nodes = Array.from({ length: 10000 }, (_, i) => ({ id: 'n' + i, sort: 'claim', kind: 'Claim', resource: 'c', namespace: 'team', name: 'claim-' + String(i).padStart(5, '0'), health: 'ok', to: [] }));
      state.apply({ nodes, deleted: [] });
      const box = document.createElement('div');
      box.className = 'list'; box.style.height = '600px'; box.id = 'many';
      document.body.append(box);
      const list = new List(box, { healthOf: () => 'ok', saysOf: () => 'Bound', onActive() {}, onOpen() {} });
      list.show(state.filtered(everything), undefined);
      box.scrollTop = 52 * 9000;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    })()`);
    const rows = await page.evaluate<number>("document.querySelectorAll('#many .row').length");
    assert.ok(rows > 5 && rows < 60, String(rows));
    assert.match(await page.evaluate<string>("document.querySelector('#many').innerText"), /claim-0900\d/);
    await page.close();
  });

  /** The names in these elements that are not visible, or whose title does not have the full name. */
  const isBelow = (
    selector: string,
  ) => `[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((e) => {
    const name = e.querySelector('.name');
    const whole = e.title.split('\\n')[0].split('/').at(-1);
    const shown = name.innerText.split('/').at(-1);
    const [head, tail] = shown.split('…');
    const isTold = tail === undefined ? shown === whole : whole.endsWith(tail) && tail.length > 5;
    return isTold && name.scrollWidth <= name.clientWidth ? [] : [e.title + ' is shown as ' + name.innerText];
  })`;

  test('50 claims whose names differ only at the end: each label is different, and the selected claim is in view', async () => {
    const names = Array.from(
      { length: 41 },
      (_, i) => `newsletter-archive-of-the-blog-team-${String(i).padStart(2, '0')}`,
    );
    for (const name of names) world.claim(name);
    const page = await opened({ width: 1400, height: 900 });
    await until(page, "document.querySelector('#list-title').innerText.includes('50')");
    await until(page, "document.querySelectorAll('.node').length > 60");
    assert.deepEqual(await page.evaluate(isBelow('.row')), []);
    assert.deepEqual(await page.evaluate(isBelow('.node')), []);

    await page.evaluate("document.querySelector('#list').focus()");
    await page.press('End');
    await page.press('Enter');
    await until(page, "document.querySelector('.verdict')");
    const isInView = `(() => {
      const row = document.querySelector('.row.active')?.getBoundingClientRect();
      const box = document.querySelector('#list').getBoundingClientRect();
      return row !== undefined && row.top >= box.top - 1 && row.bottom <= box.bottom + 1;
    })()`;
    assert.ok(await page.evaluate(isInView));
    assert.equal(await page.evaluate("document.querySelector('.row.active').ariaPosInSet"), '50');
    await until(page, "document.querySelectorAll('.node:not(.leaving)').length < 10");
    assert.deepEqual(await page.evaluate(isBelow('.row')), []);
    assert.deepEqual(await page.evaluate(isBelow('.node:not(.leaving)')), []);
    await picture(page, 'many');

    await page.press('Escape');
    await page.press('Home');
    await until(page, "document.querySelector('.row.active')?.ariaPosInSet === '1'");
    assert.ok(await page.evaluate(isInView));
    await page.close();
  });

  test('a browser without server-sent events shows that in one sentence', async () => {
    const page = await chromium.open(url, { before: 'delete globalThis.EventSource' });
    await until(page, "!document.querySelector('#notice').hidden");
    assert.deepEqual(await texts(page, '#notice'), [
      'This browser does not support server-sent events, which the page needs. Use a current Firefox, Chrome, Edge or Safari.',
    ]);
    await page.close();
  });
});
