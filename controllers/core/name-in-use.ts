import attempt from 'lodash/attempt.js';
import get from 'lodash/get.js';
import isString from 'lodash/isString.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';

/**
 * The external name under which a managed resource has something: that on record, once that was seen, for an edit of the
 * annotation has no effect from then on; else the annotation. For those who are told of it, as its claim is.
 */
export function nameInUse(managed: Managed): string | undefined {
  const record: unknown = attempt(JSON.parse, managed.status?.externalIdentity ?? ''); // an Error where that is no JSON
  const name: unknown = get(record, 'name');
  return isString(name) && name !== '' && !(record instanceof Error) ? name : externalName(managed);
}
