const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this process may not have that port',
  ENOTFOUND: 'there is no host of that name',
};

/** Why a server cannot listen, in one sentence: the flag that changes it, where, and the cause. */
export const cannotListen = (
  flag: string,
  where: string,
  { code = '', message }: NodeJS.ErrnoException,
): string => `${flag}: cannot listen on ${where}: ${reasons[code] ?? message}`;
