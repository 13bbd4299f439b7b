import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stacks } from '../../app/stacks.ts';

const root = join(import.meta.dirname, '../..');
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string>>;
};

describe('the package exports the provider kinds of a stack, without its client', () => {
  for (const { name, definitions } of stacks) {
    test(name, async () => {
      const file = `stacks/${name}/provider-kinds.ts`;
      const built = entries[`./${name}`] ?? '';
      assert.ok(built.replace(/\.js$/, '.ts').endsWith(`/${file}`), built);
      const { ProviderKind, ProviderConfigKind } = (await import(join(root, file))) as Record<
        string,
        unknown
      >;
      assert.deepEqual(ProviderKind, { ...definitions[0], isOfAnotherStack: true });
      assert.deepEqual(ProviderConfigKind, { ...definitions[1], isOfAnotherStack: true });
      const modules = [...readFileSync(join(root, file), 'utf8').matchAll(/ from '([^']+)'/g)];
      assert.ok(
        modules.every(([, module = '']) => /^(?:\.\/kinds\/|\.\.\/\.\.\/package\/schema)/.test(module)),
      );
    });
  }
});
