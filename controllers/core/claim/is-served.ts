import type { ObjectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';

/** Whether this process looks after the claims of a key's namespace: of others it sees none, whether they are there or not. */
export const isServed = (
  { claimNamespaces }: Pick<Environment, 'claimNamespaces'>,
  { namespace = '' }: ObjectKey,
): boolean => claimNamespaces === undefined || claimNamespaces.includes(namespace);
