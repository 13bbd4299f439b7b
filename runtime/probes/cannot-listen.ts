const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'that port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this process is not allowed to use that port',
  ENOTFOUND: 'there is no host of that name',
};

/** Why a server cannot listen, in one sentence: the flag to change, the address and the cause. */
export const cannotListen = (
  flag: string,
  where: string,
  { code = '', message }: NodeJS.ErrnoException,
): string => `${flag}: cannot listen on ${where}: ${reasons[code] ?? message}`;
