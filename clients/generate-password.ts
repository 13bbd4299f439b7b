import { randomBytes } from 'node:crypto';

/** Cryptographically strong random bytes. */
export type RandomBytes = (size: number) => Buffer;

/** A new password: 32 characters, 192 bits, safe in a URL, a shell and a config file. */
export const generatePassword = (random: RandomBytes = randomBytes): string =>
  random(24).toString('base64url');
