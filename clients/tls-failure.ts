import { advice } from './advice.ts';

const untrusted = 'its certificate comes from an authority that is not trusted';
const expired = 'its certificate has expired, or is not valid yet';

/** OpenSSL's verification codes (X509_V_ERR_… without the prefix) and Node's own, with their meaning. */
const reasons: Readonly<Record<string, string>> = {
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  INVALID_CA: untrusted,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names',
  HOSTNAME_MISMATCH: 'its certificate is for other names',
};

const isTlsCode = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/.test(
    code,
  );

/**
 * The reason why a connection with TLS failed, with advice; undefined: it did not fail because of TLS. The text of Node is
 * left out, because it advises flags of Node. `trust` is the advice to trust another authority, and `rename` the advice for
 * a certificate that does not have the name.
 */
export function tlsFailure(
  code: string | undefined,
  { trust, rename = advice.renewCertificate }: { readonly trust: string; readonly rename?: string },
): string | undefined {
  if (code === undefined || !isTlsCode(code)) return undefined;
  const reason = reasons[code];
  if (reason === undefined) return code;
  const remedy = reason === untrusted ? trust : reason === expired ? advice.renewCertificate : rename;
  return `${reason} (${code}); ${remedy}`;
}
