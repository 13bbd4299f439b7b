import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { codeBlocks } from '../docs/code-blocks.ts';
import { projectRoot } from '../docs/project-copy.ts';
import type { OwnRepository } from './own-repository.ts';
import { ownRepository, succeeds } from './own-repository.ts';

/** The compilers of authors: the packages in our `devDependencies`. */
const compilers = ['typescript-5.9', 'typescript-6', 'typescript'];

/**
 * All options that a strict author sets. `isolatedDeclarations` is not among them: the types of kinds and stacks follow from
 * their schemas, so their exports have no annotation.
 */
const strictest = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  declaration: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
};

const guide = codeBlocks(readFileSync(join(projectRoot, 'docs', 'adding-a-managed-service.md'), 'utf8'));

describe('the code of the guide and of a scaffold compiles', () => {
  let own: OwnRepository;
  before(async () => {
    own = await ownRepository();
    const { code, output } = await own.cli('new-service', 'CacheCluster', '--group', 'cache.example.org');
    assert.equal(code, 0, output);
    for (const { file, language, content } of guide) {
      if (language === 'json') await own.write('guide/tsconfig.json', content);
      else if (language === 'ts' && file !== undefined) await own.write(`guide/${file}`, content);
    }
    const config = { compilerOptions: strictest, include: ['src', 'test', 'guide/src', 'guide/test'] };
    await own.write('tsconfig.strictest.json', JSON.stringify(config));
  });
  after(() => own?.remove());

  for (const compiler of compilers) {
    for (const [options, ...args] of [
      // The types of the libraries are the same for all options, and take longest.
      ['the options of the guide', 'guide/tsconfig.json', '--skipLibCheck'],
      ['the options of the scaffold', 'tsconfig.json'],
      ['the strictest options', 'tsconfig.strictest.json'],
    ] as const) {
      test(`with ${compiler} and ${options}`, async () => {
        const tsc = join(projectRoot, 'node_modules', compiler, 'bin', 'tsc');
        await succeeds(own, process.execPath, [tsc, '-p', ...args]);
      });
    }
  }
});
