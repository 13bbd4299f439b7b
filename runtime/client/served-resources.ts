import { ApiError } from './errors.ts';

/*
 * Parses the discovery lists of an API server: an APIGroupList at `/apis`, and an APIResourceList for each version of a
 * group. Both functions throw ApiError (`code` 0) for any other answer.
 */

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The elements of the list in an answer of the given kind. */
function listIn(answer: unknown, kind: string, field: string): readonly Json[] {
  const list = isObject(answer) && answer.kind === kind ? answer[field] : undefined;
  if (Array.isArray(list) && list.every(isObject)) return list;
  throw new ApiError(`the API server answered with something that is not an ${kind}`, {
    code: 0,
    reason: 'InvalidAnswer',
  });
}

/** The versions of a group, as `group/version`; empty if the group does not exist. */
export const groupVersionsIn = (answer: unknown, group: string): readonly string[] =>
  listIn(answer, 'APIGroupList', 'groups')
    .filter(({ name }) => name === group)
    .flatMap(({ versions }) => (Array.isArray(versions) ? versions : []))
    .flatMap((version) =>
      isObject(version) && typeof version.groupVersion === 'string' ? [version.groupVersion] : [],
    );

/** The plural names of the resources of a group's version. Subresources have a slash. */
export const resourcesIn = (answer: unknown): readonly string[] =>
  listIn(answer, 'APIResourceList', 'resources').flatMap(({ name }) =>
    typeof name === 'string' ? [name] : [],
  );
