import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AptSource } from '../../../local/control-plane/apt-sources.ts';
import {
  debianArchives,
  parseDeb822Sources,
  parseOneLineSources,
  readAptSources,
  renderSource,
} from '../../../local/control-plane/apt-sources.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const mirror = 'http://mirror.test/debian';
const entry = (overrides: Partial<AptSource> = {}): AptSource => ({
  uris: [mirror],
  suites: ['bookworm'],
  components: ['main'],
  fields: {},
  ...overrides,
});

describe('one-line sources', () => {
  const rows: { rule: string; text: string; want: AptSource[] }[] = [
    { rule: 'an empty file has none', text: '', want: [] },
    { rule: 'a comment has none', text: `# deb ${mirror} bookworm main`, want: [] },
    { rule: 'a source-only line has none', text: `deb-src ${mirror} bookworm main`, want: [] },
    { rule: 'a plain line is taken', text: `deb ${mirror} bookworm main`, want: [entry()] },
    {
      rule: 'several components and a trailing comment',
      text: `deb\t${mirror}  bookworm main contrib # ours`,
      want: [entry({ components: ['main', 'contrib'] })],
    },
    {
      rule: 'trust options are kept, others dropped, commas become spaces',
      text: `deb [arch=amd64 signed-by=/a.gpg,/b.gpg trusted=yes] ${mirror} bookworm main`,
      want: [entry({ fields: { 'Signed-By': '/a.gpg /b.gpg', Trusted: 'yes' } })],
    },
    {
      rule: 'a flat archive without components is taken as it is',
      text: 'deb http://flat.test/repo ./',
      want: [entry({ uris: ['http://flat.test/repo'], suites: ['./'], components: [] })],
    },
  ];
  for (const { rule, text, want } of rows) {
    test(rule, () => assert.deepEqual(parseOneLineSources(text), want));
  }
});

describe('deb822 sources', () => {
  const rows: { rule: string; text: string; want: AptSource[] }[] = [
    { rule: 'an empty file has none', text: '\n\n', want: [] },
    {
      rule: 'one stanza with a comment inside',
      text: `Types: deb\n# a note\nURIs: ${mirror}\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n`,
      want: [entry({ suites: ['bookworm', 'bookworm-updates'], fields: { 'Signed-By': '/k.gpg' } })],
    },
    {
      rule: 'field names count in any case and values may start on the next line',
      text: `types: deb deb-src\nuris:\n ${mirror}\n http://second.test/debian\nsuites: bookworm\ncomponents: main`,
      want: [entry({ uris: [mirror, 'http://second.test/debian'] })],
    },
    {
      rule: 'a key written into the stanza keeps its lines',
      text: `Types: deb\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\nSigned-By:\n -----BEGIN\n .\n abc`,
      want: [entry({ fields: { 'Signed-By': '\n -----BEGIN\n .\n abc' } })],
    },
    {
      rule: 'switched-off and source-only stanzas are left out',
      text: `Enabled: no\nTypes: deb\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\n\nTypes: deb-src\nURIs: ${mirror}\nSuites: bookworm\nComponents: main`,
      want: [],
    },
  ];
  for (const { rule, text, want } of rows) {
    test(rule, () => assert.deepEqual(parseDeb822Sources(text), want));
  }
});

describe("Debian's archive among the sources", () => {
  const rows: { rule: string; sources: AptSource[]; uris: string[] }[] = [
    { rule: 'the same suite counts', sources: [entry()], uris: [mirror] },
    { rule: 'another suite of Debian counts', sources: [entry({ suites: ['trixie'] })], uris: [mirror] },
    {
      rule: 'updates or security alone do not',
      sources: [entry({ suites: ['bookworm-security'] })],
      uris: [],
    },
    { rule: 'a third party suite does not', sources: [entry({ suites: ['nodistro'] })], uris: [] },
    { rule: 'an archive without main does not', sources: [entry({ components: ['stable'] })], uris: [] },
    { rule: 'a disc does not', sources: [entry({ uris: ['cdrom:[Debian]'] })], uris: [] },
    { rule: 'one named twice counts once', sources: [entry(), entry({ suites: ['sid'] })], uris: [mirror] },
  ];
  for (const { rule, sources, uris } of rows) {
    test(rule, () =>
      assert.deepEqual(
        debianArchives(sources).flatMap((source) => source.uris),
        uris,
      ),
    );
  }

  test('is rendered with sources of the wanted suite and its trust kept', () => {
    const text = renderSource(entry({ suites: ['trixie'], fields: { 'Signed-By': '/k.gpg' } }), 'bookworm');
    assert.equal(
      text,
      `Types: deb deb-src\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\nSigned-By: /k.gpg\n`,
    );
    assert.deepEqual(parseDeb822Sources(text), [entry({ fields: { 'Signed-By': '/k.gpg' } })]);
  });
});

test("the machine's files are read like apt reads them: by their ending", async (t) => {
  const directory = await temporaryFolder(t);
  await mkdir(join(directory, 'sources.list.d'));
  await writeFile(join(directory, 'sources.list'), `deb http://one.test/debian bookworm main\n`);
  await writeFile(
    join(directory, 'sources.list.d/two.sources'),
    'Types: deb\nURIs: http://two.test/debian\nSuites: sid\nComponents: main\n',
  );
  await writeFile(join(directory, 'sources.list.d/three.list'), 'deb http://three.test/debian sid main\n');
  await writeFile(
    join(directory, 'sources.list.d/four.list.disabled'),
    'deb http://four.test/debian sid main\n',
  );
  const uris = (await readAptSources(directory)).flatMap((source) => source.uris);
  assert.deepEqual(uris.toSorted(), [
    'http://one.test/debian',
    'http://three.test/debian',
    'http://two.test/debian',
  ]);
  assert.deepEqual(await readAptSources(join(directory, 'nowhere')), []);
});
