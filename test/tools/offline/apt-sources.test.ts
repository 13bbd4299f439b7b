import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AptSource } from '../../../tools/offline/apt-sources.ts';
import {
  debianArchives,
  parseDeb822Sources,
  parseOneLineSources,
  readAptSources,
  renderSource,
} from '../../../tools/offline/apt-sources.ts';
import { temporaryFolder } from '../../local/temporary-folder.ts';

const mirror = 'http://mirror.test/debian';
const entry = (overrides: Partial<AptSource> = {}): AptSource => ({
  uris: [mirror],
  suites: ['bookworm'],
  components: ['main'],
  fields: {},
  ...overrides,
});

describe('one-line sources', () => {
  const rows: Readonly<Record<string, readonly [text: string, ...want: AptSource[]]>> = {
    'an empty file has none': [''],
    'a comment has none': [`# deb ${mirror} bookworm main`],
    'a source-only line has none': [`deb-src ${mirror} bookworm main`],
    'a plain line is taken': [`deb ${mirror} bookworm main`, entry()],
    'several components and a trailing comment': [
      `deb\t${mirror}  bookworm main contrib # ours`,
      entry({ components: ['main', 'contrib'] }),
    ],
    'trust options are kept, others dropped, commas become spaces': [
      `deb [arch=amd64 signed-by=/a.gpg,/b.gpg trusted=yes] ${mirror} bookworm main`,
      entry({ fields: { 'Signed-By': '/a.gpg /b.gpg', Trusted: 'yes' } }),
    ],
    'a flat archive without components is taken as it is': [
      'deb http://flat.test/repo ./',
      entry({ uris: ['http://flat.test/repo'], suites: ['./'], components: [] }),
    ],
  };
  for (const [rule, [text, ...want]] of Object.entries(rows)) {
    test(rule, () => assert.deepEqual(parseOneLineSources(text), want));
  }
});

describe('deb822 sources', () => {
  const rows: Readonly<Record<string, readonly [text: string, ...want: AptSource[]]>> = {
    'an empty file has none': ['\n\n'],
    'one stanza with a comment inside': [
      `Types: deb\n# a note\nURIs: ${mirror}\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n`,
      entry({ suites: ['bookworm', 'bookworm-updates'], fields: { 'Signed-By': '/k.gpg' } }),
    ],
    'field names count in any case and values may start on the next line': [
      `types: deb deb-src\nuris:\n ${mirror}\n http://second.test/debian\nsuites: bookworm\ncomponents: main`,
      entry({ uris: [mirror, 'http://second.test/debian'] }),
    ],
    'a key written into the stanza keeps its lines': [
      `Types: deb\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\nSigned-By:\n -----BEGIN\n .\n abc`,
      entry({ fields: { 'Signed-By': '\n -----BEGIN\n .\n abc' } }),
    ],
    'switched-off and source-only stanzas are left out': [
      `Enabled: no\nTypes: deb\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\n\nTypes: deb-src\nURIs: ${mirror}\nSuites: bookworm\nComponents: main`,
    ],
  };
  for (const [rule, [text, ...want]] of Object.entries(rows)) {
    test(rule, () => assert.deepEqual(parseDeb822Sources(text), want));
  }
});

describe("Debian's archive among the sources", () => {
  const rows: Readonly<Record<string, readonly [sources: AptSource[], ...uris: string[]]>> = {
    'the same suite counts': [[entry()], mirror],
    'another suite of Debian counts': [[entry({ suites: ['trixie'] })], mirror],
    'updates or security alone do not': [[entry({ suites: ['bookworm-security'] })]],
    'a third party suite does not': [[entry({ suites: ['nodistro'] })]],
    'an archive without main does not': [[entry({ components: ['stable'] })]],
    'a disc does not': [[entry({ uris: ['cdrom:[Debian]'] })]],
    'one named twice counts once': [[entry(), entry({ suites: ['sid'] })], mirror],
  };
  for (const [rule, [sources, ...uris]] of Object.entries(rows)) {
    test(rule, () => {
      const found = debianArchives(sources).flatMap((source) => source.uris);
      assert.deepEqual(found, uris);
    });
  }

  test('is rendered with sources of the wanted suite and its trust kept', () => {
    const text = renderSource(entry({ suites: ['trixie'], fields: { 'Signed-By': '/k.gpg' } }), 'bookworm');
    const stanza = `Types: deb deb-src\nURIs: ${mirror}\nSuites: bookworm\nComponents: main\nSigned-By: /k.gpg\n`;
    assert.equal(text, stanza);
    assert.deepEqual(parseDeb822Sources(text), [entry({ fields: { 'Signed-By': '/k.gpg' } })]);
  });
});

test("the machine's files are read like apt reads them: by their ending", async (t) => {
  const directory = await temporaryFolder(t);
  await mkdir(join(directory, 'sources.list.d'));
  const files = {
    'sources.list': 'deb http://one.test/debian bookworm main\n',
    'sources.list.d/two.sources': 'Types: deb\nURIs: http://two.test/debian\nSuites: sid\nComponents: main\n',
    'sources.list.d/three.list': 'deb http://three.test/debian sid main\n',
    'sources.list.d/four.list.disabled': 'deb http://four.test/debian sid main\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const uris = (await readAptSources(directory)).flatMap((source) => source.uris);
  assert.deepEqual(uris.toSorted(), [
    'http://one.test/debian',
    'http://three.test/debian',
    'http://two.test/debian',
  ]);
  assert.deepEqual(await readAptSources(join(directory, 'nowhere')), []);
});
