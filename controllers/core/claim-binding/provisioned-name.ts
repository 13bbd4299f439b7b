import { createHash } from 'node:crypto';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';

/** The alphabet and length of the API server's own generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 58;
const attempts = 8;

/**
 * The names a claim may give the managed resource it provisions: `<namespace>-<claim>-<5 characters>`, as the
 * original's generateName yields, but derived from the claim's UID, so that it is known before creation and
 * the same after a crash. The second and later ones serve when a name is taken by somebody else.
 */
export function provisionedNames(claim: Claim): readonly string[] {
  const base = `${claim.metadata.namespace}-${claim.metadata.name}-`.slice(0, maxBaseLength);
  return Array.from({ length: attempts }, (_, attempt) => {
    const hash = createHash('sha256').update(`${claim.metadata.uid}/${attempt}`).digest();
    const suffix = Array.from(hash.subarray(0, suffixLength), (byte) => alphabet[byte % alphabet.length]);
    return base + suffix.join('');
  });
}

/** Whether this claim (this UID) may have provisioned a managed resource of that name. */
export const isProvisionedName = (claim: Claim, name: string | undefined): boolean =>
  name !== undefined && provisionedNames(claim).includes(name);
