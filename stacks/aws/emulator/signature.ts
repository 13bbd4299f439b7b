import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Account } from './account.ts';
import type { WireRequest } from './wire.ts';

/** The parts of the Authorization header. */
export interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** Undefined if the request has no signature of version 4. */
export function signatureOf({ headers }: WireRequest): Signature | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;
  const [, accessKeyId, , region, service, signed, signature] = given.exec(headers.authorization ?? '') ?? [];
  if (!accessKeyId || !region || !service || !signed || !signature) return undefined;
  return { accessKeyId, region, service, signedHeaders: signed.split(';'), signature };
}

/** The maximum difference between the clocks. */
const maxSkewMs = 15 * 60_000;

/** The error of a signature, in the words of AWS. Undefined: it is valid. The official signer computes it again. */
export async function signatureProblem(
  { method, target, headers, body }: WireRequest,
  { service, region, signedHeaders, signature }: Signature,
  { accessKeyId, secretAccessKey, sessionToken }: Account,
  now: Date,
): Promise<string | undefined> {
  const signedAt = dateOf(headers['x-amz-date']);
  if (signedAt === undefined)
    return "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.";
  if (Math.abs(signedAt.getTime() - now.getTime()) > maxSkewMs) {
    return `Signature expired: ${headers['x-amz-date']} is now earlier or later than it may be`;
  }
  if (!signedHeaders.includes('host')) return "'Host' must be a 'SignedHeader' in the AWS Authorization.";
  if (sessionToken !== undefined && headers['x-amz-security-token'] !== sessionToken) return mismatch;
  // The signer trusts the hash of the body in the header.
  const hashed = headers['x-amz-content-sha256'];
  if (hashed !== undefined && hashed !== createHash('sha256').update(body).digest('hex')) {
    return "The provided 'x-amz-content-sha256' header does not match what was computed.";
  }
  const url = new URL(target, 'http://aws');
  const names = [...new Set(url.searchParams.keys())];
  const query = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    applyChecksum: false,
  });
  const { headers: again } = await signer.sign(
    {
      protocol: 'http:',
      hostname: headers.host ?? '',
      method,
      path: url.pathname,
      query,
      headers: Object.fromEntries(signedHeaders.map((name) => [name, headers[name] ?? ''])),
      body,
    },
    { signingDate: signedAt, signableHeaders: new Set(signedHeaders) },
  );
  return again.authorization?.endsWith(`Signature=${signature}`) ? undefined : mismatch;
}

const mismatch =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';

function dateOf(header: string | undefined): Date | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(header ?? '');
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1);
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** SHA-256 as the signer wants it. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
  }
  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof chunk === 'string' ? chunk : bytesOf(chunk));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('one hash is for one text');
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
