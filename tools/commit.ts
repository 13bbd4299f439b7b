import { spawnSync } from 'node:child_process';

/** The commit that something is built from. */
export interface Commit {
  /** Its id, with a note if files were changed. Absent outside of a repository, such as in an unpacked archive. */
  readonly revision?: string;
  /** Its time, in seconds since the epoch. The variable SOURCE_DATE_EPOCH sets another one. */
  readonly atSeconds: number;
}

/** The commit of the repository in a folder. Without git or outside of a repository, the time is now. */
export function commitOf(root: string): Commit {
  const git = (...args: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const id = git('rev-parse', 'HEAD');
  const revision = git('status', '--porcelain') ? `${id} with changes` : id;
  const given = process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct');
  const atSeconds = Number(given ?? Math.floor(Date.now() / 1_000));
  return { ...(revision !== undefined && { revision }), atSeconds };
}
