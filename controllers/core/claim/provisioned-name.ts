import { hash } from 'node:crypto';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';

/** The alphabet and length of the API server's own generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 58;
const attempts = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/**
 * The names a claim may give the managed resource it provisions: `<namespace>-<claim>-<5 characters>`, as the
 * original's generateName yields, but derived from the claim's UID, so that it is known before creation and
 * the same after a crash. The second and later ones serve when a name is taken by somebody else.
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

/** Whether a name is one that this claim (this UID) may give the managed resource that it provisions. */
export const isProvisionedName = ({ metadata }: Claim, name: string | undefined): boolean =>
  attempts.some((attempt) => provisionedName(metadata, attempt) === name);
