import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { Stack } from '../controllers/stack.ts';

/** The namespaces to which flags limit the process; absent: no limit. */
export interface LimitedTo {
  readonly claimNamespaces?: readonly string[] | undefined;
  readonly secretNamespaces?: readonly string[] | undefined;
}

/**
 * The only namespaces in which a kind may be watched, for informers. Claims and Namespaces: the namespaces of claims.
 * Secrets: the namespaces of Secrets. Other kinds: all.
 */
export function watchedIn(
  stacks: readonly Pick<Stack, 'claims'>[],
  { claimNamespaces, secretNamespaces }: LimitedTo,
): (kind: Kind) => readonly string[] | undefined {
  const claims = stacks.flatMap((stack) => stack.claims.map(({ claim }) => claim));
  const limits = new Map([
    ...[...claims, NamespaceKind].map((kind) => [kindKey(kind), claimNamespaces] as const),
    [kindKey(SecretKind), secretNamespaces] as const,
  ]);
  return (kind) => limits.get(kindKey(kind));
}
