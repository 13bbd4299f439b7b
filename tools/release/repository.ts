import type { Run } from './run.ts';

/** Clones a repository, with the name and the address of its committer. */
export async function cloneRepository(run: Run, repository: string, clone: string): Promise<void> {
  await run(repository, 'git', 'clone', '--quiet', repository, clone);
  for (const key of ['user.name', 'user.email']) {
    const value = (await run(repository, 'git', 'config', '--get', '--default', '', key)).trim();
    if (value !== '') await run(clone, 'git', 'config', key, value);
  }
}

/**
 * Adds the last commit of a clone to the branch of the repository, and tags it. Rejects without a change if the branch has
 * got other commits, or if a changed file is in the way.
 */
export async function addRelease(run: Run, repository: string, clone: string, tag: string): Promise<void> {
  const commit = (await run(clone, 'git', 'rev-parse', 'HEAD')).trim();
  // The tag comes last: a tag that `git pull` fetches remains if the commit is then refused.
  await run(repository, 'git', 'pull', '--quiet', '--ff-only', '--no-tags', clone, 'HEAD');
  await run(repository, 'git', 'tag', tag, commit);
}
