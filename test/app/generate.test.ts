import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject, processSources } from '../docs/project-copy.ts';

const roles = 'deploy/base/cluster-role.yaml';
const page = 'docs/decision-tables.md';

describe('npm run generate, for what follows from the stacks', () => {
  let copy: ProjectCopy;
  before(async () => {
    copy = await copyProject([...processSources, 'deploy', page]);
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

  test('--check names what was edited or is missing, and without it that is put right', async () => {
    const peoples = 'deploy/base/user-roles.yaml';
    await copy.replace(roles, 'verbs: [list', 'verbs: [get, list');
    await rm(join(copy.directory, peoples));
    await copy.replace(page, '| All | its sync period', '| All | the sync period');
    const files = [page, roles, peoples];
    assert.deepEqual(await generate('--check'), {
      code: 1,
      output: `these files are not up to date, run npm run generate: ${files.join(', ')}\n`,
    });
    assert.deepEqual(await generate(), { code: 0, output: files.map((file) => `wrote ${file}\n`).join('') });
    assert.deepEqual(await generate('--check'), { code: 0, output: '' });
  });

  test('a stack that leaves the list takes its rights along', async () => {
    await copy.replace('app/stacks.ts', 'awsStack, ', '');
    const { code, output } = await generate('--check');
    assert.equal(code, 1);
    assert.match(output, /deploy\/base\/cluster-role\.yaml, deploy\/base\/user-roles\.yaml/);
    await generate();
    assert.doesNotMatch(await copy.read(roles), /\baws\./);
  });
});
