import { hash } from 'node:crypto';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

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

/** What the names depend on. */
interface Identity {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

function provisionedName(claim: Identity, attempt: number): string {
  const base = provisionedBase(claim);
  const { uid } = claim;
  const digest = hash('sha256', `${uid}/${attempt}`, 'buffer');
  const suffix = Array.from(digest.subarray(0, suffixLength), (byte) => alphabet[byte % alphabet.length]);
  return base + suffix.join('');
}

/** What the names of a claim's managed resources begin with; those of other claims may, too. */
const provisionedBase = ({ namespace, name }: Identity): string =>
  `${namespace}-${name}-`.slice(0, maxBaseLength);

/** Namespace and name of a claim, or, of a long name, what it begins with. */
interface Provisioner {
  readonly namespace: string;
  readonly name: string;
  readonly isCut: boolean;
}

/** Who may have given a managed resource its name, as far as that is told without UIDs: wherever it can be divided. */
export function possibleProvisioners(name: string): readonly Provisioner[] {
  const base = name.slice(0, -suffixLength);
  const isCut = base.length === maxBaseLength;
  const whole = isCut ? base : base.slice(0, -1);
  return [...whole.matchAll(/-/g)].map(({ index }) => ({
    namespace: whole.slice(0, index),
    name: whole.slice(index + 1),
    isCut,
  }));
}

/** Whether this claim (this UID) may have provisioned a managed resource of that name. */
export const isProvisionedName = ({ metadata }: Claim, name: string | undefined): boolean =>
  isNameFor(metadata, name);

/** Whether a managed resource was provisioned for the claim that its claimRef names, not made by hand. */
export const wasProvisionedForClaim = ({ metadata, spec: { claimRef = {} } }: Managed): boolean =>
  isNameFor(claimRef, metadata.name);

const isNameFor = (claim: Identity, name: string | undefined): boolean =>
  attempts.some((attempt) => provisionedName(claim, attempt) === name);
