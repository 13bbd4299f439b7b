import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from './errors.ts';
import type { ListPage, WatchEvent } from './kubernetes-client.ts';

/*
 * Checks successful answers of the API server, because a proxy may have answered instead. All functions throw ApiError with
 * `code` 0 (it is not known whether the request was executed). Their messages do not quote the answer.
 */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const refuse = (reason: 'InvalidAnswer' | 'InvalidWatchEvent', what: string): ApiError =>
  new ApiError(`the API server answered with ${what}`, { code: 0, reason });

/** The expected identity of an object; absent fields are not checked. */
export interface Expected {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

/** Why `value` is not a stored object of this kind; undefined if it is one. */
function faultOf(kind: Kind, value: unknown, expected: Expected, isTypeNeeded: boolean): string | undefined {
  if (!isObject(value)) return 'something that is not an object';
  const { apiVersion, kind: type, metadata } = value;
  const isTyped = type !== undefined || apiVersion !== undefined || isTypeNeeded;
  if (isTyped && (type !== kind.kind || apiVersion !== apiVersionOf(kind)))
    return `an object that is not a ${kind.kind}`;
  if (!isObject(metadata)) return `a ${kind.kind} without metadata`;
  const { name, namespace, uid, resourceVersion } = metadata;
  if (!isText(name)) return `a ${kind.kind} without a name`;
  if (!isText(uid)) return `a ${kind.kind} without a uid`;
  if (!isText(resourceVersion)) return `a ${kind.kind} without a resourceVersion`;
  if (kind.scope === 'Namespaced' ? !isText(namespace) : isText(namespace)) {
    return `a ${kind.kind} of another scope`;
  }
  const isOther =
    (expected.name !== undefined && name !== expected.name) ||
    (kind.scope === 'Namespaced' && expected.namespace !== undefined && namespace !== expected.namespace) ||
    (expected.uid !== undefined && uid !== expected.uid);
  return isOther ? `another ${kind.kind}` : undefined;
}

/** The answer to GET, POST, PUT or PATCH of one object. */
export function objectIn<T extends KubernetesObject>(kind: Kind<T>, answer: unknown, expected: Expected): T {
  const fault = faultOf(kind, answer, expected, true);
  if (fault === undefined) return answer as T;
  const { name, namespace } = expected;
  const hint =
    name === undefined ? '' : ` ${objectKeyText(namespace === undefined ? { name } : { name, namespace })}`;
  throw refuse('InvalidAnswer', `${fault}; the request was for ${kind.kind}${hint}`);
}

/** The answer to a list. Items of built-in kinds lack `kind` and `apiVersion`, which are added here. */
export function pageIn<T extends KubernetesObject>(
  kind: Kind<T>,
  answer: unknown,
  expected: Expected,
): ListPage<T> {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  if (!isObject(answer) || answer.apiVersion !== type.apiVersion || !isListKind(answer.kind)) {
    throw refuse('InvalidAnswer', `something that is not a list of ${kind.plural}`);
  }
  const { metadata, items } = answer;
  if (!isObject(metadata) || !isText(metadata.resourceVersion)) {
    throw refuse('InvalidAnswer', `a list of ${kind.plural} without a resourceVersion`);
  }
  // Go writes null for no items.
  if (!Array.isArray(items) && items !== null) {
    throw refuse('InvalidAnswer', `a list of ${kind.plural} without items`);
  }
  const objects = (items ?? []).map((item: unknown) => {
    const fault = faultOf(kind, item, expected, false);
    if (fault !== undefined) throw refuse('InvalidAnswer', `a list of ${kind.plural} that holds ${fault}`);
    return (isText((item as Json).kind) ? item : { ...type, ...(item as Json) }) as T;
  });
  return {
    items: objects,
    resourceVersion: metadata.resourceVersion,
    ...(isText(metadata.continue) && { continueToken: metadata.continue }),
  };
}

/** A definition may choose any name for its list kind that ends in `List`. */
const isListKind = (value: unknown): boolean => isText(value) && value.endsWith('List');

/** An ADDED, MODIFIED, DELETED or BOOKMARK event of a watch. */
export function watchEventIn<T extends KubernetesObject>(
  kind: Kind<T>,
  { type, object }: { readonly type?: unknown; readonly object?: unknown },
  expected: Expected,
): WatchEvent<T> {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const fault = faultOf(kind, object, expected, true);
      if (fault !== undefined) throw refuse('InvalidWatchEvent', `a watch event with ${fault}`);
      return { type, object: object as T };
    }
    case 'BOOKMARK': {
      const { kind: about = kind.kind, metadata } = isObject(object) ? object : {};
      if (about !== kind.kind || !isObject(metadata) || !isText(metadata.resourceVersion)) {
        throw refuse('InvalidWatchEvent', 'a bookmark without a resourceVersion, or of another kind');
      }
      return { type, resourceVersion: metadata.resourceVersion };
    }
    default:
      throw refuse('InvalidWatchEvent', 'something that is not a watch event');
  }
}

/** Checks the answer to DELETE: a Status with success (undefined), or the object that is being deleted. */
export function deletedIn<T extends KubernetesObject>(
  kind: Kind<T>,
  answer: unknown,
  expected: Expected,
): T | undefined {
  const { kind: type, status, details } = isObject(answer) ? answer : {};
  if (type !== 'Status') return objectIn(kind, answer, expected);
  const { name = expected.name, uid = expected.uid } = isObject(details) ? details : {};
  const isOther = name !== expected.name || (expected.uid !== undefined && uid !== expected.uid);
  if (status !== 'Success' || isOther) {
    throw refuse(
      'InvalidAnswer',
      `something that does not confirm the deletion of ${kind.kind} ${expected.name}`,
    );
  }
  return undefined;
}

/** A part of a list. */
interface Page<T> {
  readonly items: readonly T[];
  readonly continueToken?: string | undefined;
}

/** Reads the page of a token. Without a token, reads the first page. */
export type ReadPage<T> = (token: { readonly continueToken?: string }) => Promise<Page<T>>;

/** The pages of a list, one after the other, so that a long list need not be held as a whole. */
export async function* pagesOf<T>(read: ReadPage<T>): AsyncGenerator<readonly T[]> {
  let page = await read({});
  yield page.items;
  while (page.continueToken !== undefined) {
    page = await read({ continueToken: page.continueToken });
    yield page.items;
  }
}
