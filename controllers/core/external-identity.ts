import attempt from 'lodash/attempt.js';
import get from 'lodash/get.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';

/** What tells one external resource from all others, and what may not change of it. */
export interface Identity {
  /** The external name; absent until the external system has given one. */
  readonly name?: string | undefined;
  /** The system it is in, as that calls itself. */
  readonly system?: string | undefined;
  /** The immutable fields of `forProvider` that have a value, by path. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The same text for the same identity. */
export const encodeIdentity = ({ name, system, fields }: Identity): string => {
  const sorted = Object.keys(fields)
    .toSorted()
    .map((path) => [path, fields[path]]);
  return JSON.stringify({ name, system, fields: Object.fromEntries(sorted) });
};

/** What a record says; what is not of our making is as good as nothing. */
export function decodeIdentity(text: string | undefined): Identity | undefined {
  if (text === undefined) return undefined;
  const record: unknown = attempt(JSON.parse, text); // an Error where that is no JSON
  const [name, system, fields] = ['name', 'system', 'fields'].map((key): unknown => get(record, key));
  if (!isPlainObject(fields)) return undefined;
  return {
    name: isString(name) && name !== '' ? name : undefined,
    system: isString(system) ? system : undefined,
    fields: fields as Identity['fields'],
  };
}

/**
 * The external name under which a managed resource has something: that on record, once that was seen, for an edit of the
 * annotation has no effect from then on; else the annotation. For those who are told of it, as its claim is.
 */
export const nameInUse = (managed: Managed): string | undefined =>
  decodeIdentity(managed.status?.externalIdentity)?.name ?? externalName(managed);
