import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './findings.ts';
import { findingsOf } from './findings.ts';

export const root = join(import.meta.dirname, '..', '..');

const checked = ['*.md', '*.ts', 'deploy/*.yaml', 'examples/*.yaml'];

/** Generated files. */
const unchecked: readonly string[] = [
  'dashboard/page-files.ts',
  'deploy/install.yaml', // from deploy/base/
  'docs/api-reference.md', // from apis/
];

/** The files that are checked, as paths from the root; only those below `paths` if there are any. */
export function checkedFiles(paths: readonly string[] = []): readonly string[] {
  const options = ['--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', ['ls-files', ...options, '--', ...checked], {
    cwd: root,
    encoding: 'utf8',
  });
  const below = paths.map((path) => path.replace(/^\.\/|\/$/g, ''));
  return listed
    .split('\n')
    .filter((file) => file !== '' && !unchecked.includes(file) && existsSync(join(root, file)))
    .filter(
      (file) =>
        below.length === 0 ||
        below.includes('.') ||
        below.some((path) => file === path || file.startsWith(`${path}/`)),
    );
}

export function findingsOfFiles(files: readonly string[]): readonly Finding[] {
  return files.flatMap((file) => findingsOf(file, readFileSync(join(root, file), 'utf8')));
}
