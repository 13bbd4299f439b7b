import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject } from '../docs/project-copy.ts';

const crd = 'crds/database.crossplane.io_fancysqlinstances.yaml';
const reference = 'docs/api-reference.md';

describe('npm run generate', () => {
  let copy: ProjectCopy;
  beforeEach(async () => {
    copy = await copyProject(['apis', 'crds', reference, 'package.json']);
  });
  afterEach(() => copy.remove());

  const generate = (...flags: readonly string[]) => copy.node(['apis/generate.ts', ...flags]);
  const replaced = async (file: string, before: string, after: string) => {
    const content = await copy.read(file);
    assert.ok(content.includes(before), `${file} has ${before}`);
    await copy.write(file, content.replace(before, after));
  };

  test('what is checked in is up to date', async () => {
    assert.deepEqual(await generate('--check'), { code: 0, output: '' });
  });

  test('writes nothing where nothing has changed', async () => {
    assert.deepEqual(await generate(), { code: 0, output: '' });
  });

  const edits: Readonly<Record<string, { readonly file: string; readonly edit: () => Promise<void> }>> = {
    'a definition that was edited': {
      file: crd,
      edit: () => replaced(crd, 'Namespaced', 'Cluster'),
    },
    'a definition with rules that was edited': {
      file: 'crds/with-cel-rules/database.crossplane.io_fancysqlinstances.yaml',
      edit: () =>
        replaced('crds/with-cel-rules/database.crossplane.io_fancysqlinstances.yaml', '!has(', 'has('),
    },
    'a definition that is missing': { file: crd, edit: () => rm(join(copy.directory, crd)) },
    'a definition that no kind asks for': {
      file: 'crds/example.org_things.yaml',
      edit: () => copy.write('crds/example.org_things.yaml', 'kind: CustomResourceDefinition\n'),
    },
    'a reference that was edited': { file: reference, edit: () => replaced(reference, 'API', 'api') },
    'a reference that is missing': { file: reference, edit: () => rm(join(copy.directory, reference)) },
  };
  for (const [what, { file, edit }] of Object.entries(edits)) {
    test(`--check names ${what}, and without it that is put right`, async () => {
      await edit();
      const { code, output } = await generate('--check');
      assert.equal(code, 1);
      assert.equal(output, `not up to date, run npm run generate: ${file}\n`);

      const repaired = await generate();
      assert.deepEqual([repaired.code, repaired.output.trim().split(' ')[1]], [0, file]);
      assert.deepEqual(await generate('--check'), { code: 0, output: '' });
    });
  }

  test('a changed schema makes its definitions and the reference stale, all of which are named', async () => {
    await replaced('apis/database/v1alpha1/fancy-sql-instance.ts', 'that is wanted', 'that is asked for');
    const { code, output } = await generate('--check');
    assert.equal(code, 1);
    for (const file of [crd, crd.replace('crds/', 'crds/with-cel-rules/'), reference]) {
      assert.ok(output.includes(file), output);
    }
    assert.equal(output.match(/\.(yaml|md)/g)?.length, 3);
  });

  test('a field without a description is refused by its path', async () => {
    await replaced(
      'apis/fcp/v1alpha3/favourite-db-instance.ts',
      ".describe('How fancy the instance is, from 0 to 1000.')",
      '',
    );
    const { code, output } = await generate();
    assert.equal(code, 1);
    assert.match(output, /FavouriteDBInstance(Class)?\.\S+\.fancinessLevel has no description/);
  });
});
