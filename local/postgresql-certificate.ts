import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate that is its own authority, with its key; both PEM. */
export interface SelfSignedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * A self-signed server certificate for 127.0.0.1 and `localhost`, valid from the day before `now` for ten
 * years. Node can read X.509 but not issue it, and the machine need not have openssl: hence these few lines
 * of DER (RFC 5280).
 */
export function selfSignedCertificate(now = new Date()): SelfSignedCertificate {
  const keys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]); // positive
  const validity = sequence(
    generalizedTime(new Date(now.getTime() - 86_400_000)),
    generalizedTime(new Date(now.getTime() + 3650 * 86_400_000)),
  );
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const extensions = der(
    0xa3,
    sequence(
      sequence(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, isAuthority)),
      sequence(oid('551d11'), der(0x04, names)),
    ),
  );
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const body = sequence(
    version3,
    der(0x02, serial),
    algorithm,
    name,
    validity,
    name,
    keys.publicKey,
    extensions,
  );
  const signature = sign('sha256', body, createPrivateKey(keys.privateKey));
  const signed = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const base64 = signed.toString('base64').replace(/(.{64})(?=.)/g, '$1\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    privateKey: keys.privateKey,
  };
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, Buffer.concat(parts));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const generalizedTime = (time: Date): Buffer =>
  der(0x18, Buffer.from(`${time.toISOString().replace(/[-:T]|\.\d+/g, '')}`));

/** Tag, length, value. */
function der(tag: number, value: Buffer): Buffer {
  const size = value.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}
