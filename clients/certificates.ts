import { X509Certificate } from 'node:crypto';

const certificates = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END \1?CERTIFICATE-----/g;

/** Whether a text has PEM certificates, and each of them can be read. Node ignores the others, and then trusts no server. */
export function areCertificates(text: string): boolean {
  const blocks = text.match(certificates) ?? [];
  const begun = text.match(/-----BEGIN /g) ?? [];
  return blocks.length > 0 && blocks.length === begun.length && blocks.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
