import { createPrivateKey, sign } from 'node:crypto';
import type { ConnectionOptions } from 'mysql2';

/** Comes before the 32 bytes of a secret key (RFC 8410). */
const keyHeader = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyBytes = 32;
const challengeBytes = 32;

/**
 * The plugin for logins with ed25519, which the driver lacks: the secret key is the password. Node.js has keys of 32 bytes
 * only, as generated passwords are. For another password there is no plugin, and it cannot be tested.
 */
export function ed25519Plugin(password: string): NonNullable<ConnectionOptions['authPlugins']> {
  const secret = Buffer.from(password);
  if (secret.length !== keyBytes) return {};
  const key = Buffer.concat([keyHeader, secret]);
  return {
    client_ed25519: () => (challenge) =>
      sign(
        null,
        challenge.subarray(0, challengeBytes),
        createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
      ),
  };
}
