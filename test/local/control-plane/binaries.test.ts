import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { controlPlaneBinaries } from '../../../local/control-plane/binaries.ts';
import { textProgress } from '../../../local/text-progress.ts';
import type { BinarySource } from '../../../tools/offline/binary-cache.ts';
import { cachedBinaries, cacheRoot, fetchAhead } from '../../../tools/offline/binary-cache.ts';
import { until } from '../../runtime/widgets.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function place(directory: string, names: readonly string[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const name of names) await writeFile(join(directory, name), '#!/bin/sh\n', { mode: 0o755 });
}

const progress = textProgress({ write: () => {} });

const ALL = ['etcd', 'kube-apiserver', 'kubectl'];
type Behaviour = 'delivers' | 'fails' | 'delivers a broken server';

/** A source with this behaviour, which records each call. */
function source(name: BinarySource['name'], behaviour: Behaviour, requests: string[]): BinarySource {
  return {
    name,
    async produce({ target, scratch }) {
      requests.push(name);
      await writeFile(join(scratch, 'half-done'), '');
      if (behaviour === 'fails') throw new Error(`${name} is out of reach`);
      await place(target, behaviour === 'delivers' ? ALL : [...ALL, 'broken']);
    },
  };
}

/** Stands for starting the servers: refuses a folder with the mark of a broken one. */
async function prove(directory: string): Promise<void> {
  if ((await readdir(directory)).includes('broken')) throw new Error('the server died');
}

describe('the chain of binaries', () => {
  const both = ['download', 'debian-build'];
  const rows: {
    rule: string;
    assets?: readonly string[];
    cached?: readonly string[];
    download?: Behaviour;
    build?: Behaviour;
    want: string | RegExp;
    requests: readonly string[];
  }[] = [
    {
      rule: '1 the assets folder wins over everything',
      assets: ALL,
      cached: ALL,
      want: 'assets',
      requests: [],
    },
    {
      rule: '1 an assets folder without a server is an error, not a reason to go on',
      assets: ['etcd'],
      cached: ALL,
      want: /KUBEBUILDER_ASSETS .* lacks kube-apiserver$/,
      requests: [],
    },
    { rule: '2 the cache comes before any work', cached: ALL, want: 'cache', requests: [] },
    { rule: '3 an empty machine downloads', want: 'download', requests: ['download'] },
    { rule: '3 half a cache is no cache', cached: ['etcd'], want: 'download', requests: ['download'] },
    { rule: '4 no download leads to the build', download: 'fails', want: 'debian-build', requests: both },
    {
      rule: '4 a download that does not run leads to the build',
      download: 'delivers a broken server',
      want: 'debian-build',
      requests: both,
    },
    {
      rule: 'when nothing works every reason is told',
      download: 'fails',
      build: 'delivers a broken server',
      want: /download: download is out of reach[\s\S]*debian-build: cannot prove .*: the server died/,
      requests: both,
    },
  ];
  for (const { rule, assets, cached, download = 'delivers', build = 'delivers', want, requests } of rows) {
    test(rule, async (t) => {
      const home = await temporaryFolder(t);
      const environment: NodeJS.ProcessEnv = { HOME: home, PATH: '' };
      const cache = join(cacheRoot(environment), `${process.platform}-${process.arch}`);
      if (assets !== undefined) {
        environment.KUBEBUILDER_ASSETS = join(home, 'assets');
        await place(environment.KUBEBUILDER_ASSETS, assets);
      }
      if (cached !== undefined) await place(cache, cached);
      const called: string[] = [];
      const sources = [source('download', download, called), source('debian-build', build, called)];
      const found = controlPlaneBinaries({ environment, sources, smokeTest: prove, progress });
      if (want instanceof RegExp) {
        await assert.rejects(found, want);
        assert.deepEqual(called, requests);
        return;
      }
      const binaries = await found;
      assert.equal(binaries.source, want);
      assert.deepEqual(called, requests);
      assert.equal(binaries.directory, environment.KUBEBUILDER_ASSETS ?? cache);
      assert.equal(binaries.kubectl, join(binaries.directory, 'kubectl'));
      const files = await readdir(binaries.directory);
      for (const name of ALL) assert.ok(files.includes(name), `${name} is there`);
    });
  }

  test('working binaries are cached, and only the cache, the lock and failed scratch remain', async (t) => {
    const environment: NodeJS.ProcessEnv = { XDG_CACHE_HOME: await temporaryFolder(t), PATH: '' };
    const requests: string[] = [];
    const sources = [source('download', 'fails', requests), source('debian-build', 'delivers', requests)];
    const options = { environment, sources, smokeTest: prove, progress };
    await mkdir(join(cacheRoot(environment), `candidate-${process.platform}-${process.arch}.killed`), {
      recursive: true,
    });
    assert.equal((await controlPlaneBinaries(options)).source, 'debian-build');
    assert.equal((await controlPlaneBinaries(options)).source, 'cache');
    assert.deepEqual(requests, ['download', 'debian-build']);
    const remaining = () => readdirSync(cacheRoot(environment)).toSorted();
    // Another process removes the scratch of the source that delivered.
    await until('the scratch is removed', () => !remaining().some((name) => name.includes('.old-')));
    assert.deepEqual(remaining(), [
      `${process.platform}-${process.arch}`,
      `prepare-${process.platform}-${process.arch}.lock.1`,
      'scratch-download',
    ]);
  });

  test('several at once do the work once', async (t) => {
    const environment: NodeJS.ProcessEnv = { XDG_CACHE_HOME: await temporaryFolder(t), PATH: '' };
    const requests: string[] = [];
    const sources = [source('download', 'delivers', requests)];
    const options = { environment, sources, smokeTest: prove, progress };
    const found = await Promise.all([1, 2, 3].map(() => controlPlaneBinaries(options)));
    assert.deepEqual(requests, ['download']);
    assert.deepEqual(found.map((binaries) => binaries.source).toSorted(), ['cache', 'cache', 'download']);
  });

  test('several sets are prepared beside each other', async (t) => {
    const environment: NodeJS.ProcessEnv = { XDG_CACHE_HOME: await temporaryFolder(t), PATH: '' };
    const begun = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() };
    const preparing = (name: 'one' | 'two', other: 'one' | 'two') =>
      cachedBinaries(
        {
          name,
          files: ['tool'],
          proof: 'none',
          prove: async () => {},
          sources: [
            {
              name: `source-of-${name}`,
              async produce({ target }) {
                begun[name].resolve();
                await begun[other].promise;
                await place(target, ['tool']);
              },
            },
          ],
        },
        { environment, progress },
      );
    const found = await Promise.all([preparing('one', 'two'), preparing('two', 'one')]);
    assert.deepEqual(
      found.map((set) => set.source),
      ['source-of-one', 'source-of-two'],
    );
  });

  test("the machine's own kubectl comes before the one delivered with the servers", async (t) => {
    const home = await temporaryFolder(t);
    const environment: NodeJS.ProcessEnv = { HOME: home, PATH: `${home}/empty:${home}/bin` };
    await place(join(home, 'bin'), ['kubectl']);
    const sources = [source('download', 'delivers', [])];
    const options = { environment, sources, smokeTest: prove, progress };
    assert.equal((await controlPlaneBinaries(options)).kubectl, join(home, 'bin/kubectl'));
  });

  test('a source builds with the files that it fetched ahead, and fetches them once', async (t) => {
    const environment: NodeJS.ProcessEnv = { XDG_CACHE_HOME: await temporaryFolder(t), PATH: '' };
    const acts: string[] = [];
    const building: BinarySource = {
      name: 'build',
      async fetch({ scratch }) {
        acts.push('fetch');
        await writeFile(join(scratch, 'fetched'), '');
      },
      async produce({ target, scratch }) {
        acts.push(`build with ${await readdir(scratch)}`);
        await place(target, ['program']);
      },
    };
    const set = {
      name: 'set',
      files: ['program'],
      sources: [building],
      proof: 'none',
      prove: async () => {},
    };
    await fetchAhead(set, { environment, progress });
    await cachedBinaries(set, { environment, progress });
    await fetchAhead(set, { environment, progress });
    assert.deepEqual(acts, ['fetch', 'build with fetched']);
  });
});
