import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { advice } from '../../apis/core/v1alpha1/advice.ts';

/** Environment variables and files of the process's machine or container, for credentials that are stored there. */
export interface Host {
  /** An environment variable; undefined if it is not set. */
  variable(name: string): string | undefined;
  /**
   * The text of a file. Throws an Error with the path and the reason (it does not exist, is no regular file, is too large,
   * may not be read). The error never holds the content.
   */
  file(path: string): Promise<string>;
}

export interface HostOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Directories from which no file is read, also through a symbolic link. Default: `ownIdentity`. */
  readonly forbidden?: readonly string[];
}

/**
 * Where the process's own credentials are: the tokens of its service account, for Kubernetes and for clouds, and the
 * kernel's files about it, which include its environment and memory.
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

/** The host of this process. A manifest may name any of its variables and files except those in `forbidden`. */
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
      if (isForbidden(real)) throw refused(`holds the identity of this process: ${advice.nameAnotherFile}`);
      // The path may have become a symbolic link, or a pipe without a writer, since it was resolved.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(real, flags).catch((error: unknown) => {
        throw refused(reasonOf(error));
      });
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw refused('is not a regular file');
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
  ELOOP: 'is a symbolic link without a target',
};

const reasonOf = (error: unknown): string => {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `cannot be read (${code})`;
};
