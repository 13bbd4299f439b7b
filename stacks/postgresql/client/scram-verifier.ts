import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { saslprep } from './saslprep.ts';

/**
 * The verifier that the server stores for a password (RFC 5803, src/common/scram-common.c). Sending it instead of the
 * password keeps the password out of the server's log and of pg_stat_activity. Servers accept it with any
 * `password_encryption`. Roles with it can also log in through pg_hba.conf's `md5`. The iterations are by default those of
 * the server (scram_iterations).
 */
export function scramVerifier(
  password: string,
  {
    iterations = 4096,
    salt = randomBytes(16),
  }: { readonly iterations?: number; readonly salt?: Buffer } = {},
): string {
  const salted = pbkdf2Sync(saslprep(password), salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
