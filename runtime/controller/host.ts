import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

/** What the process's own machine or container holds: variables and files, for credentials that are kept there. */
export interface Host {
  /** An environment variable; undefined if there is none of that name. */
  variable(name: string): string | undefined;
  /**
   * The text of a file. Throws an Error that says why it cannot be had (it does not exist, is no regular file, is too
   * large, may not be read), with its path and never with its content.
   */
  file(path: string): Promise<string>;
}

export interface HostOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Directories of which nothing is read, also by way of a symbolic link. Default: `ownIdentity`. */
  readonly forbidden?: readonly string[];
}

/**
 * Where a process finds what proves that it is itself: its service account's tokens, of Kubernetes and of clouds, and
 * what the kernel tells of it, its environment and memory included.
 */
const ownIdentity: readonly string[] = [
  ...['kubernetes.io', 'eks.amazonaws.com', 'azure', 'tokens'].flatMap((name) => [
    `/run/secrets/${name}`,
    `/var/run/secrets/${name}`,
  ]),
  '/proc',
  '/sys',
  '/dev',
];

const maxBytes = 1_048_576;

/** The host of this process, as far as it may be named by whoever writes a manifest. */
export function createHost({ variables, forbidden = ownIdentity }: HostOptions): Host {
  const isForbidden = (path: string): boolean =>
    forbidden.some((directory) => path === directory || path.startsWith(`${directory}/`));

  return {
    variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    async file(path) {
      const refused = (why: string): Error => new Error(`file ${path} ${why}`);
      const real = await realpath(path).catch((error: unknown) => {
        throw refused(reasonOf(error));
      });
      if (isForbidden(real))
        throw refused('is not for credentials: it is part of what the process itself is');
      // What became a link meanwhile, or a pipe that nobody writes to, must not lead elsewhere or hold us up.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(real, flags).catch((error: unknown) => {
        throw refused(reasonOf(error));
      });
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw refused('is no regular file');
        if (stats.size > maxBytes) throw refused(`is larger than ${maxBytes} bytes`);
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this process',
  ELOOP: 'is a symbolic link that leads nowhere',
};

const reasonOf = (error: unknown): string => {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `cannot be read (${code})`;
};
