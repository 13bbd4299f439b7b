import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packagesIn, reachedDeclarations } from '../../tools/imports.ts';

test('the imports of a built file are found in each form', () => {
  const text = [
    "import a, { b } from 'one';",
    "export { c } from '@two/three/four.js';",
    "export * from 'five';",
    '} from "six/seven";',
    "import 'eight';",
    "const nine = await import('nine');",
    'export declare const ten: import("ten").Ten;',
    "import { readFile } from 'node:fs';",
    "import { d } from '../own.js';",
    "import.meta.resolve('own/package.json'); import('own/stack');",
  ].join('\n');
  assert.deepEqual(packagesIn(text, 'own').toSorted(), [
    '@two/three',
    'eight',
    'five',
    'nine',
    'one',
    'six',
    'ten',
  ]);
});

test('the declarations that an author reaches are followed through both forms', () => {
  const texts: Readonly<Record<string, string>> = {
    'package/stack.d.ts': "export type { A } from '../apis/a.ts';\n",
    'apis/a.d.ts': 'export declare const a: import("./b.ts").B;\nimport { z } from \'zod\';\n',
    'apis/b.d.ts': "import type { A } from './a.js';\n",
  };
  const reached = reachedDeclarations(['package/stack.d.ts'], (path) => texts[path] ?? assert.fail(path));
  assert.deepEqual([...reached], Object.keys(texts));
});
