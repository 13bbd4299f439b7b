import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject } from '../docs/project-copy.ts';

const roles = 'deploy/base/cluster-role.yaml';
const page = 'docs/decision-tables.md';

describe('npm run generate, for what follows from the stacks', () => {
  let copy: ProjectCopy;
  before(async () => {
    copy = await copyProject([
      ...['apis', 'app', 'clients', 'controllers', 'runtime', 'package.json'],
      ...['crds', 'deploy', page],
    ]);
  });
  after(() => copy?.remove());

  const generate = (...flags: readonly string[]) => copy.node(['app/generate.ts', ...flags]);

  test('the manifests in the repository are up to date', async () => {
    assert.deepEqual(await generate('--check'), { code: 0, output: '' });
  });

  test('an unknown argument is refused with one sentence', async () => {
    for (const script of ['apis', 'app']) {
      assert.deepEqual(await copy.node([`${script}/generate.ts`, '--chekc']), {
        code: 2,
        output: 'generate: unknown argument "--chekc"; use --check or no argument\n',
      });
    }
  });

  const edits: Readonly<Record<string, { readonly file: string; readonly edit: () => Promise<void> }>> = {
    'a role that was edited': {
      file: roles,
      edit: () => copy.replace(roles, 'verbs: [list', 'verbs: [get, list'),
    },
    'roles of people that are missing': {
      file: 'deploy/base/user-roles.yaml',
      edit: () => rm(join(copy.directory, 'deploy/base/user-roles.yaml')),
    },
    'a page that was edited': {
      file: page,
      edit: () => copy.replace(page, '| All | its sync period', '| All | the sync period'),
    },
  };
  for (const [what, { file, edit }] of Object.entries(edits)) {
    test(`--check names ${what}, and without it that is put right`, async () => {
      await edit();
      assert.deepEqual(await generate('--check'), {
        code: 1,
        output: `these files are not up to date, run npm run generate: ${file}\n`,
      });
      assert.deepEqual(await generate(), { code: 0, output: `wrote ${file}\n` });
      assert.deepEqual(await generate('--check'), { code: 0, output: '' });
    });
  }

  test('a stack that leaves the list takes its rights along', async () => {
    await copy.replace('app/stacks.ts', 'ocpStack, ', '');
    const { code, output } = await generate('--check');
    assert.equal(code, 1);
    assert.match(output, /deploy\/base\/cluster-role\.yaml, deploy\/base\/user-roles\.yaml/);
    await generate();
    assert.doesNotMatch(await copy.read(roles), /\bocp\./);
  });
});
