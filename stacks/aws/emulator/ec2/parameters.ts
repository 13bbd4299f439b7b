import { AwsProblem } from '../problem.ts';
import type { Params } from '../service.ts';

/** Tags by their keys. */
export type Tags = Readonly<Record<string, string>>;

export const textOf = (params: Params, name: string): string | undefined => {
  const value = params[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Throws AwsProblem if it is missing. */
export function required(params: Params, name: string): string {
  const value = textOf(params, name);
  if (value !== undefined) return value;
  throw new AwsProblem('MissingParameter', `The request must contain the parameter ${name}`);
}

/** The list that a request writes as `Name.1`, `Name.2`. */
export const listOf = (params: Params, name: string): readonly unknown[] => {
  const value = params[name];
  return Array.isArray(value) ? value : [];
};

export const textsOf = (params: Params, name: string): readonly string[] =>
  listOf(params, name).filter((one) => typeof one === 'string');

/** `Name.Value`, as attributes are set. */
export const attributeOf = (params: Params, name: string): string | undefined =>
  textOf((params[name] ?? {}) as Params, 'Value');

const tagsIn = (given: readonly unknown[]): Tags =>
  Object.fromEntries(
    given.map((one) => {
      const { Key, Value = '' } = one as { readonly Key?: string; readonly Value?: string };
      if (Key === undefined || Key === '' || Key.length > 128)
        throw new AwsProblem('InvalidParameterValue', 'Tag keys must be of 1 to 128 characters.');
      if (/^aws:/i.test(Key))
        throw new AwsProblem(
          'InvalidParameterValue',
          `Tag keys starting with 'aws:' are reserved for internal use`,
        );
      if (Value.length > 256)
        throw new AwsProblem(
          'InvalidParameterValue',
          `Tag value exceeds the maximum length of 256 characters`,
        );
      return [Key, Value];
    }),
  );

/** The tags that a request gives directly (`Tag.1.Key`). */
export const givenTags = (params: Params): Tags => tagsIn(listOf(params, 'Tag'));

/** The tags for the resource that a request creates. */
export function specifiedTags(params: Params, resourceType: string): Tags {
  const specifications = listOf(params, 'TagSpecification') as readonly Params[];
  return Object.assign(
    {},
    ...specifications
      .filter(({ ResourceType }) => ResourceType === resourceType)
      .map((one) => tagsIn(listOf(one, 'Tag'))),
  ) as Tags;
}

export const tagSet = (tags: Tags): object => ({
  item: Object.entries(tags).map(([key, value]) => ({ key, value })),
});

/** The values of a resource that filters compare, by the names of the filters. */
export interface Filterable {
  readonly tags: Tags;
  readonly facts: Readonly<Record<string, string | undefined>>;
}

/** The resources that match every filter of a request, by any of its values. In a value `*` matches any text. */
export function filtered<T>(
  params: Params,
  items: readonly T[],
  filterableOf: (item: T) => Filterable,
): readonly T[] {
  const filters = listOf(params, 'Filter').map((one) => {
    const given = one as Params;
    return { name: required(given, 'Name'), values: textsOf(given, 'Value') };
  });
  return items.filter((item) => {
    const { tags, facts } = filterableOf(item);
    return filters.every(({ name, values }) => {
      const matches = (text: string | undefined): boolean =>
        text !== undefined && values.some((value) => patternOf(value).test(text));
      if (name.startsWith('tag:')) return matches(tags[name.slice('tag:'.length)]);
      if (name === 'tag-key') return Object.keys(tags).some(matches);
      if (!(name in facts)) {
        throw new AwsProblem('InvalidParameterValue', `The filter '${name}' is invalid`);
      }
      return matches(facts[name]);
    });
  });
}

/** `*` stands for anything, `?` for any one character, and neither does behind a backslash. */
const patternOf = (value: string): RegExp => {
  const parts = value.match(/\\.|[\s\S]/g) ?? [];
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  const pattern = parts.map((part) =>
    part === '*' ? '.*' : part === '?' ? '.' : literal(part.at(-1) ?? ''),
  );
  return new RegExp(`^${pattern.join('')}$`, 's');
};

/** A page of a list, and where the next begins. */
export function paged<T>(
  params: Params,
  items: readonly T[],
): { readonly page: readonly T[]; readonly nextToken: string | undefined } {
  const size = Number(textOf(params, 'MaxResults') ?? 1000);
  if (!Number.isInteger(size) || size < 5 || size > 1000) {
    throw new AwsProblem(
      'InvalidParameterValue',
      `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value greater than 5 and less than 1000.`,
    );
  }
  const start = Number(textOf(params, 'NextToken') ?? 0);
  const next = start + size;
  return { page: items.slice(start, next), nextToken: next < items.length ? String(next) : undefined };
}

/** Those of the ids that a request names, or all. Throws AwsProblem for one that is not there. */
export function named<T extends { readonly id: string }>(
  ids: readonly string[],
  items: readonly T[],
  missing: (id: string) => AwsProblem,
): readonly T[] {
  const unknown = ids.find((id) => !items.some((item) => item.id === id));
  if (unknown !== undefined) throw missing(unknown);
  return ids.length === 0 ? items : items.filter(({ id }) => ids.includes(id));
}

export const isTrue = (text: string | undefined): boolean => text === 'true';
