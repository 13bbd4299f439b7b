import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import isPlainObject from 'lodash/isPlainObject.js';
import mapValues from 'lodash/mapValues.js';
import sortBy from 'lodash/sortBy.js';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kustomize } from '../../tools/offline/debian-program.ts';
import { codeBlocks } from './code-blocks.ts';
import { objectsOf } from './manifests.ts';
import { projectRoot } from './project-copy.ts';

const found = await kustomize.support();
const sorted = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  sortBy(objects, ({ apiVersion, kind, metadata }) =>
    [apiVersion, kind, metadata.namespace, metadata.name].join(' '),
  );

describe('kustomize', { skip: found.by === 'none' && found.reason }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-kustomize-'));
    for (const name of ['deploy', 'examples']) {
      await promisify(execFile)('cp', ['-r', join(projectRoot, name), folder]);
    }
  });
  after(() => folder !== undefined && rm(folder, { recursive: true }));

  /** The objects that kustomize builds in a folder, with this kustomization if one is given. */
  async function built(where: string, kustomization?: object): Promise<readonly KubernetesObject[]> {
    assert.ok(found.by !== 'none');
    const path = join(folder, where);
    if (kustomization !== undefined) {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'kustomization.yaml'), stringify(kustomization));
    }
    const { stdout } = await promisify(execFile)(found.path, ['build', path]);
    return sorted(parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject));
  }

  const kustomizations = ['base', 'cluster-wide', 'namespaced'];
  for (const name of kustomizations) {
    test(`builds the objects of deploy/${name}`, async () => {
      const parts = [...new Set(['deploy/base', `deploy/${name}`])];
      assert.deepEqual(await built(`deploy/${name}`), sorted(parts.flatMap((part) => objectsOf(part))));
    });
  }

  test('moves deploy/cluster-wide into another namespace, with nothing that names the one before', async () => {
    const objects = await built('moved', { namespace: 'platform', resources: ['../deploy/cluster-wide'] });
    const left = objects.filter((object) => JSON.stringify(object).includes('crossplane-system'));
    assert.deepEqual([left, objects.length > 10], [[], true]);
  });

  test('moves the controllers of deploy/namespaced with the kustomization of docs/gitops.md, and no binding of a team', async () => {
    const page = await readFile(join(projectRoot, 'docs/gitops.md'), 'utf8');
    const [block = ''] = codeBlocks(page).flatMap(({ content }) =>
      content.includes('deploy/namespaced') ? [content] : [],
    );
    const objects = await built('moved-some', parse(block) as object);
    const moved = (text: string): string => text.replaceAll('crossplane-system', 'platform');
    const parts = ['deploy/base', 'deploy/namespaced'].flatMap((part) => objectsOf(part));
    assert.deepEqual(objects, sorted(parts.map((object) => JSON.parse(moved(JSON.stringify(object))))));
  });

  for (const example of ['postgresql', 'aws', 'gcp', 'start', 'fancysql']) {
    test(`renames what examples/${example} refer to, with deploy/kustomize`, async () => {
      const files = globSync(`examples/${example}/*.yaml`, { cwd: projectRoot }).toSorted();
      const objects = objectsOf(`examples/${example}`);
      const isRenamed = ({ kind }: KubernetesObject) => kind !== 'Namespace';
      /** Whether the field names an object of the example: a Secret that the controllers write is none. */
      const refersTo = (field: string, name: unknown) =>
        objects.some(
          (object) =>
            isRenamed(object) &&
            object.metadata.name === name &&
            (object.kind === 'Secret') === /secret/i.test(field),
        );
      const renamed = (value: unknown, field = ''): unknown => {
        if (Array.isArray(value)) return value.map((each) => renamed(each));
        if (!isPlainObject(value)) return value;
        const fields = mapValues(value as Record<string, unknown>, renamed);
        return /Ref$/.test(field) && refersTo(field, fields.name)
          ? { ...fields, name: `try-${fields.name}` }
          : fields;
      };
      const wanted = objects.map((object) => {
        const { metadata, ...rest } = renamed(object) as KubernetesObject;
        const name = isRenamed(object) ? `try-${metadata.name}` : metadata.name;
        return { ...rest, metadata: { ...metadata, name } };
      });
      const overlay = {
        namePrefix: 'try-',
        components: ['../../deploy/kustomize'],
        resources: files.map((file) => basename(file)),
      };
      assert.deepEqual(await built(`examples/${example}`, overlay), sorted(wanted));
      assert.notDeepEqual(sorted(wanted), sorted(objects));
    });
  }
});
