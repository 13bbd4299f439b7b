import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';

/** Who may import whom: room → rooms of ours it may import beside itself. Longest prefix wins. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  'apis/': [],
  'clients/': [],
  'runtime/': ['apis/core/'],
  'controllers/core/': ['apis/core/', 'runtime/'],
  'controllers/': ['apis/', 'clients/', 'controllers/core/', 'runtime/'],
  'main.ts': ['controllers/', 'runtime/'],
  'local/': ['apis/', 'clients/', 'controllers/', 'runtime/'],
};
const root = join(import.meta.dirname, '..');
const roomOf = (file: string): string | undefined =>
  Object.keys(arrows)
    .filter((room) => file.startsWith(room))
    .toSorted((a, b) => b.length - a.length)[0];

const files = globSync('{main.ts,{apis,clients,controllers,local,runtime}/**/*.ts}', { cwd: root });

function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const found = source.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, path]) => relative(root, join(root, dirname(file), path ?? '')));
}

describe('imports between rooms point one way', () => {
  test('there are files to look at', () => assert.ok(files.length > 20));
  for (const file of files) {
    const room = roomOf(file);
    if (room === undefined) continue;
    test(file, () => {
      for (const imported of importsOf(file)) {
        const allowed =
          imported.startsWith(room) || (arrows[room] ?? []).some((to) => imported.startsWith(to));
        assert.ok(allowed, `${file} (${room}) imports ${imported}`);
        assert.ok(imported.endsWith('.ts') || imported.endsWith('.json'), `${imported} has no extension`);
      }
    });
  }
});
