import { execFileSync } from 'node:child_process';
import { root } from './files.ts';

/** Subjects after this commit are checked. */
const base = '7a9721b31e963b361aa78aa0b574d209ab36f9ef';

/** The subjects since the base, without merges; undefined where the history does not have it, as in a shallow clone. */
export function recentSubjects(): readonly string[] | undefined {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', base, 'HEAD');
  } catch {
    return undefined;
  }
  const subjects = git('log', '--no-merges', '--format=%s', `${base}..HEAD`);
  return subjects.split('\n').filter((subject) => subject !== '');
}

/** The reason why a subject is not `room: what`; undefined if it is. */
export function subjectFault(subject: string): string | undefined {
  if (subject.length > 72) return `it has ${subject.length} characters, and 72 are allowed`;
  if (!/^[a-z][a-z0-9./-]*: \S/.test(subject)) return 'it has no room: write `room: what`';
  return subject.endsWith('.') ? 'it ends with a full stop' : undefined;
}
