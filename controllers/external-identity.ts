import attempt from 'lodash/attempt.js';
import get from 'lodash/get.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../apis/core/v1alpha1/meta.ts';
import { boundedCache } from '../runtime/bounded-cache.ts';
import { isLossNoted } from './external-loss.ts';

/** The values that identify an external resource. */
export interface Identity {
  /** The external name. Absent until the external system has assigned one. */
  readonly name?: string | undefined;
  /** The ID that the external system reports for itself, such as an account number. */
  readonly system?: string | undefined;
  /** The values of all immutable fields of `forProvider`. Some of them identify the resource, such as the region. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The identity as JSON. Equal identities give equal texts, because the fields are sorted. */
export const encodeIdentity = ({ name, system, fields }: Identity): string => {
  const sorted = Object.keys(fields)
    .toSorted()
    .map((path) => [path, fields[path]]);
  return JSON.stringify({ name, system, fields: Object.fromEntries(sorted) });
};

/** The identities of the resources that ran last: a run reads the same one more than ten times. */
const lastRead = boundedCache<Identity>(100);

/** Parses `status.externalIdentity`. Undefined if it is absent or malformed. */
export function decodeIdentity(text: string | undefined): Identity | undefined {
  if (text === undefined) return undefined;
  const known = lastRead.get(text);
  if (known !== undefined) return known;
  const record: unknown = attempt(JSON.parse, text); // returns an Error if the text is not JSON
  const [name, system, fields] = ['name', 'system', 'fields'].map((key): unknown => get(record, key));
  if (!isPlainObject(fields)) return undefined;
  const identity = {
    name: isString(name) && name !== '' ? name : undefined,
    system: isString(system) ? system : undefined,
    fields: fields as Identity['fields'],
  };
  lastRead.set(text, identity);
  return identity;
}

/**
 * The external name for messages and claims: the name in `status.externalIdentity`, else in the annotation. Once the
 * status has a name, an edit of the annotation has no effect.
 */
export const nameInUse = (managed: Managed): string | undefined =>
  decodeIdentity(managed.status?.externalIdentity)?.name ?? externalName(managed);

/**
 * Whether the external resource was found while the managed resource could only observe it. An external client gets the
 * note only if it is about this external resource.
 */
export const wasObservedOnly = ({ metadata }: Managed): boolean =>
  metadata.annotations?.[annotationKeys.observedIdentity] !== undefined;

/** In the mark of a creation, before the generation of the object: the external system refused this creation. */
export const refusedCreation = '/refused/';

/**
 * Whether no process ever found or created the external resource: no creation was begun, or the external system refused
 * it. A creation that failed in another way, or that has no recorded result, may have succeeded.
 */
export function wasNeverFound(managed: Managed): boolean {
  const { externalIdentity, bindingPhase, operation } = managed.status ?? {};
  const isFound = (externalIdentity ?? bindingPhase ?? operation) !== undefined || isLossNoted(managed);
  const { annotations = {} } = managed.metadata;
  const begun = annotations[annotationKeys.externalCreatePending] ?? '';
  const failed = annotations[annotationKeys.externalCreateFailed] ?? '';
  const mark = annotations[annotationKeys.externalCreation];
  // Each creation writes a mark. So without one, the recorded identity is that of an external resource that was found.
  const isUnmarked = mark === undefined && annotations[annotationKeys.externalIdentity] === undefined;
  const isRefused = (isUnmarked || mark?.includes(refusedCreation) === true) && failed >= begun;
  return !isFound && annotations[annotationKeys.externalCreateSucceeded] === undefined && isRefused;
}
