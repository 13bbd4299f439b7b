import { globSync, readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { projectRoot } from '../docs/project-copy.ts';
import type { OwnRepository } from './own-repository.ts';
import { ownRepository, succeeds } from './own-repository.ts';

/** The stack, and its conformance tests with their helpers. No helper imports anything that is not in this list. */
const sources = [
  'stacks/aws/**/*.ts',
  'test/stacks/aws/conformance/*.ts',
  'test/fakes/in-process-aws.ts',
  'test/fakes/outside.ts',
  'test/testing/door.ts',
  'runtime/time/random.ts',
];

/** The libraries that an author of the stack installs beside the package. */
const libraries = ['@aws-sdk', '@smithy', '@types'];

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.array', 'esnext.collection', 'esnext.iterator'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['stacks', 'test'],
};

/** The text of a source that imports the installed package instead of its modules. */
const authorSource = (source: string): string =>
  source.replaceAll(/'(?:\.\.\/)+package\/(\w+)\.ts'/g, "'services-stack/$1'");

describe('the stack aws stands on the package that is published', () => {
  let own: OwnRepository;
  before(async () => {
    own = await ownRepository();
    for (const file of globSync(sources, { cwd: projectRoot })) {
      await own.write(join('ours', file), authorSource(readFileSync(join(projectRoot, file), 'utf8')));
    }
    await own.write('ours/tsconfig.json', JSON.stringify(tsconfig));
    const installed = join(own.directory, 'ours', 'node_modules');
    await mkdir(installed);
    for (const library of libraries) {
      await symlink(join(projectRoot, 'node_modules', library), join(installed, library));
    }
  });
  after(() => own?.remove());

  test('the stack compiles in an empty folder, with its conformance tests', async () => {
    await succeeds(own, join('node_modules', '.bin', 'tsc'), ['-p', 'ours']);
  });

  for (const file of globSync('test/stacks/aws/conformance/*.test.ts', { cwd: projectRoot })) {
    test(`the external clients conform there: ${basename(file)}`, async () => {
      await succeeds(own, process.execPath, ['--test', join('ours', file)]);
    });
  }
});
