import { execFile } from 'node:child_process';
import { readdir, utimes } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Writes a tar archive of the files in a folder. Their order, owners and times depend on nothing else. */
export async function tar(path: string, folder: string, atSeconds: number): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  const same = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner'];
  const flags = [...same, `--mtime=@${atSeconds}`, `--file=${path}`, `--directory=${folder}`];
  await execute('tar', ['--create', ...flags, ...names], { env: { ...process.env, LC_ALL: 'C' } });
  await utimes(path, atSeconds, atSeconds);
}

/** Compresses a file, which is deleted. Equal files give equal bytes. Returns the path of the result. */
export async function gzip(path: string): Promise<string> {
  // Node's own compression differs between processors.
  await execute('gzip', ['--no-name', path]);
  return `${path}.gz`;
}
