import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from './process-identity.ts';
import { isRunning, processIdentity } from './process-identity.ts';

/** How to take a lock. */
export interface LockOptions {
  /** Called once when another process holds the lock, with its number. */
  readonly onWait?: (holder: number) => void;
  /** Called when the lock of a dead process is taken over, with its number. */
  readonly onTakeOver?: (holder: number) => void;
  /** Milliseconds between two attempts to get a held lock. Default 500. */
  readonly pollMs?: number;
  /** A holder on another machine counts as dead after this silence, in milliseconds; default 60 000. */
  readonly silentMs?: number;
  /** The process that gets the lock. Default: this process. */
  readonly owner?: ProcessIdentity;
}

interface Holder {
  readonly token: string;
  readonly owner: ProcessIdentity;
  readonly released?: boolean;
}

/** Generations are numbered files `<path>.<n>`; the highest one that exists is the lock. */
async function highest(path: string): Promise<number> {
  const prefix = `${basename(path)}.`;
  const numbers = (await readdir(dirname(path)))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
  return Math.max(0, ...numbers);
}

async function writeWhole(path: string, holder: Holder, place: (from: string, to: string) => Promise<void>) {
  // A reader must never see half a file: write beside it, then link or rename.
  const draft = `${path}.draft-${randomUUID()}`;
  await writeFile(draft, JSON.stringify(holder));
  try {
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

type State = { readonly held: false; readonly dead?: number } | { readonly held: true; readonly pid: number };

async function stateOf(path: string, silentMs: number): Promise<State> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return { held: false };
  const holder = JSON.parse(text) as Holder;
  if (holder.released === true) return { held: false };
  const { pid } = holder.owner;
  const running = await isRunning(holder.owner);
  if (running === undefined) {
    const touched = await stat(path).then(
      (found) => found.mtimeMs,
      () => 0,
    );
    return Date.now() - touched < silentMs ? { held: true, pid } : { held: false, dead: pid };
  }
  return running ? { held: true, pid } : { held: false, dead: pid };
}

/**
 * Runs `act` while this process alone holds the lock `path`; others wait.
 *
 * The lock of a dead process is taken over. To take the lock, a process creates the file with the next number, which only
 * one process can do. The highest number is never deleted. So a process that read the folder too early finds a higher
 * number than its own, and waits again.
 */
export async function withLock<T>(
  path: string,
  act: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const { onWait, onTakeOver, pollMs = 500, silentMs = 60_000 } = options;
  await mkdir(dirname(path), { recursive: true });
  const mine: Holder = { token: randomUUID(), owner: options.owner ?? (await processIdentity()) };
  const held = await take();
  // Holders on other machines are judged by this sign of life.
  const alive = setInterval(() => void touch(held), silentMs / 6);
  alive.unref();
  try {
    return await act();
  } finally {
    clearInterval(alive);
    await writeWhole(held, { ...mine, released: true }, rename);
  }

  async function take(): Promise<string> {
    let waited = false;
    for (;;) {
      const last = await highest(path);
      const state: State = last === 0 ? { held: false } : await stateOf(`${path}.${last}`, silentMs);
      if (state.held) {
        if (!waited) onWait?.(state.pid);
        waited = true;
        await sleep(pollMs);
        continue;
      }
      const next = `${path}.${last + 1}`;
      try {
        await writeWhole(next, mine, link);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      if ((await highest(path)) !== last + 1) {
        await rm(next, { force: true });
        continue;
      }
      for (let old = last; old > 0 && old > last - 10; old--) await rm(`${path}.${old}`, { force: true });
      if (state.dead !== undefined) onTakeOver?.(state.dead);
      return next;
    }
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

/** The file name family of a lock inside a folder. */
export function lockPath(directory: string, name: string): string {
  return join(directory, `${name}.lock`);
}
