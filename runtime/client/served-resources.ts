import { ApiError } from './errors.ts';

/*
 * What an API server says that it serves: an APIGroupList at `/apis`, and an APIResourceList for each version of a group.
 * Both functions throw ApiError (`code` 0) for an answer that is something else.
 */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The elements of one list of an answer of one sort. */
function listIn(answer: unknown, kind: string, field: string): readonly Json[] {
  const list = isObject(answer) && answer.kind === kind ? answer[field] : undefined;
  if (Array.isArray(list) && list.every(isObject)) return list;
  throw new ApiError(`the API server's answer is no ${kind}`, { code: 0, reason: 'InvalidAnswer' });
}

/** The versions of a group, as `group/version`; none of a group that there is not. */
export const groupVersionsIn = (answer: unknown, group: string): readonly string[] =>
  listIn(answer, 'APIGroupList', 'groups')
    .filter(({ name }) => name === group)
    .flatMap(({ versions }) => (Array.isArray(versions) ? versions : []))
    .flatMap((version) =>
      isObject(version) && typeof version.groupVersion === 'string' ? [version.groupVersion] : [],
    );

/** The names of the resources of a group's version, in the plural; subresources have a slash. */
export const resourcesIn = (answer: unknown): readonly string[] =>
  listIn(answer, 'APIResourceList', 'resources').flatMap(({ name }) =>
    typeof name === 'string' ? [name] : [],
  );
