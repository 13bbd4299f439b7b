import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const path = '/usr/bin/node';

/** An older Node of this machine. Undefined: it has none. */
export function oldNode(): { readonly path: string; readonly version: string } | undefined {
  if (!existsSync(path)) return undefined;
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  return Number.parseInt(version, 10) < 24 ? { path, version } : undefined;
}
