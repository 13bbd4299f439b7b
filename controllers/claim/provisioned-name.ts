import { hash } from 'node:crypto';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';

/** The characters that the API server uses in generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 58;
const attempts = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/**
 * The possible names of a provisioned managed resource: `<namespace>-<claim>-<5 characters>`. They look like
 * generated names, but derive from the claim's UID, so that the name is the same after a crash. The first name that
 * no other object has is used.
 */
export function provisionedNames(claim: Claim): readonly string[] {
  return attempts.map((attempt) => provisionedName(claim.metadata, attempt));
}

function provisionedName({ namespace, name, uid }: Claim['metadata'], attempt: number): string {
  const base = `${namespace}-${name}-`.slice(0, maxBaseLength);
  const digest = hash('sha256', `${uid}/${attempt}`, 'buffer');
  const suffix = Array.from(digest.subarray(0, suffixLength), (byte) => alphabet[byte % alphabet.length]);
  return base + suffix.join('');
}

export const isProvisionedName = ({ metadata }: Claim, name: string | undefined): boolean =>
  attempts.some((attempt) => provisionedName(metadata, attempt) === name);
