import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { NameLimits } from '../../apis/core/v1alpha1/name-limits.ts';
import { nameProblem } from '../../apis/core/v1alpha1/name-limits.ts';

/**
 * Separates the namespace from the rest of an external name. The name of a namespace has letters, digits and `-`, so none
 * begins with the name of another and this character: names of `a-b` never begin with `a_`.
 */
const separator = '_';

/**
 * Characters that a shell or psql reads inside double quotes, and that end a quoted text. Messages contain the name in
 * statements and commands, which an administrator pastes. No cloud accepts them in a name. No reader sees a space at
 * the beginning or at the end.
 */
const unsafe = /[\p{C}'"`$\\!]|^ | $/u;

/**
 * Why the class does not allow the external name that the claim's annotation has, as a text that follows the name of the
 * class; undefined: it does. `ours`: the name that the claim gets without the annotation, which the controller writes
 * there. A value that is not known allows none.
 */
export function whyNotNamed(
  claim: Claim,
  { specTemplate: { externalNames = 'Any' } }: Class,
  { ours, names }: { readonly ours: string; readonly names: NameLimits | undefined },
): string | undefined {
  const chosen = externalName(claim);
  // guard: otherwise a printed statement with the name of a tenant runs a command of the tenant
  if (chosen !== undefined && chosen !== ours && unsafe.test(chosen))
    return `does not allow the external name ${JSON.stringify(chosen)}: it must not contain quotes, \`, $, !, \\ or control characters, nor begin or end with a space; ${advice.removeUnsafe}`;
  if (externalNames === 'Any' || chosen === undefined || chosen === ours) return undefined;
  const prefix = `${claim.metadata.namespace}${separator}`;
  const isPrefixed = chosen.startsWith(prefix) && chosen.length > prefix.length;
  const mayBePrefixed =
    externalNames === 'Prefixed' && (names === undefined || nameProblem(`${prefix}x`, names) === undefined);
  if (mayBePrefixed && isPrefixed) return undefined;
  return mayBePrefixed
    ? `does not allow the external name "${chosen}": it must begin with "${prefix}"; ${advice.beginName(prefix)}`
    : `does not allow claims to choose an external name, such as "${chosen}"; ${advice.removeName}`;
}
