import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameInUse } from '../external-identity.ts';
import { shouldDelete } from '../management-policies.ts';

/** The external resource, if it was found and the policies keep it although the managed resource is deleted. */
export function retainedText(managed: Managed): string {
  const { externalIdentity, credential } = managed.status ?? {};
  if (externalIdentity === undefined || shouldDelete(managed.spec)) return '';
  const password = credential === undefined ? '' : ', and the password still works';
  return `. Its policies keep external resource ${nameInUse(managed) ?? managed.metadata.name}: the data stays${password}`;
}
