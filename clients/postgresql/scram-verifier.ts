import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * The verifier that the server stores for a password (RFC 5803, src/common/scram-common.c). Sending it instead of the
 * password keeps the password out of the server's log and of pg_stat_activity. Servers accept it with any
 * `password_encryption`. Roles with it can also log in through pg_hba.conf's `md5`.
 */
export function scramVerifier(password: string, random: (size: number) => Buffer = randomBytes): string {
  const iterations = 4096; // the server's default (scram_iterations)
  const salt = random(16);
  const salted = pbkdf2Sync(saslprep(password), salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** RFC 4013 as the driver and the server apply it, so that both hash the same bytes. */
const saslprep = (password: string): string =>
  password
    .replace(/[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g, ' ')
    .replace(/\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/g, '')
    .normalize('NFKC');
