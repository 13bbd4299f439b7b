import type { z } from 'zod';
import { CloudError, isMissing, nonsense } from './cloud-error.ts';
import type { HttpClient } from './http.ts';

/** The resources of one kind in a cloud, by the name in their path. Every method may throw CloudError. */
export interface CloudCollection<T, New, Change> {
  /** Undefined if the cloud answers that there is no resource of that name. Any other 404 is an error. */
  get(name: string, signal?: AbortSignal): Promise<T | undefined>;
  /** All resources, from as many pages as there are. */
  list(signal?: AbortSignal): Promise<readonly T[]>;
  /** Throws CloudError with status 409 if another resource has the name. */
  create(wanted: New, signal?: AbortSignal): Promise<T>;
  update(name: string, change: Change, signal?: AbortSignal): Promise<T>;
  /** Requests deletion. A resource that was deleted before is no error. */
  delete(name: string, signal?: AbortSignal): Promise<void>;
}

export interface CloudCollectionOptions<T, New, Change> {
  readonly http: HttpClient;
  /** For messages: `instance`. */
  readonly noun: string;
  /** `/v1/instances`. */
  readonly path: string;
  /** The cloud's own code, or codes, of a 404 for a resource that does not exist: `InstanceNotFound`. */
  readonly missingCode: string | readonly string[];
  /** The required fields of an answer; other fields are dropped. */
  readonly schema: z.ZodType<T>;
  /** The items of a page as received, and the query of the next page, if there is one. */
  readonly page: (answer: Readonly<Record<string, unknown>>) => {
    readonly items: unknown;
    readonly next?: Readonly<Record<string, string>> | undefined;
  };
  /** The query parameter for the size of a page. */
  readonly pageSize: Readonly<Record<string, string>>;
  /** The password in a request, if it has one. */
  readonly secretOf?: (body: New | Change) => string | undefined;
  /** The name of a new resource; undefined if the cloud chooses it. */
  readonly nameOf: (wanted: New) => string | undefined;
  /** The name of a resource in its path. An answer about another resource counts as none. */
  readonly idOf: (item: T) => string;
}

/** A path treats these names as itself or its parent. No resource can be read or created under them. */
const leadsElsewhere = (name: string): boolean => ['', '.', '..'].includes(name);

/** More pages than this mean that the cloud repeats its pages. */
const maxPages = 10_000;

export function cloudCollection<T, New extends object, Change extends object>(
  options: CloudCollectionOptions<T, New, Change>,
): CloudCollection<T, New, Change> {
  const { http, noun, path, schema, page, pageSize, secretOf, nameOf, idOf, missingCode } = options;
  const pathOf = (name: string): string => `${path}/${encodeURIComponent(name)}`;
  const secretsIn = (body: New | Change): readonly string[] => {
    const secret = secretOf?.(body);
    return secret === undefined ? [] : [secret];
  };
  const read = (what: string, answer: unknown): T => {
    const { success, data, error } = schema.safeParse(answer);
    if (success) return data;
    const field = error.issues[0]?.path.join('.') || 'body';
    throw nonsense(what, `its ${field} is not as documented`);
  };
  const readOne = (what: string, name: string | undefined, answer: unknown): T => {
    const item = read(what, answer);
    if (name !== undefined && idOf(item) !== name) throw nonsense(what, `it is about "${idOf(item)}"`);
    return item;
  };

  return {
    async get(name, signal) {
      if (leadsElsewhere(name)) return undefined;
      const what = `get ${noun} "${name}"`;
      try {
        return readOne(what, name, await http.request({ what, method: 'GET', path: pathOf(name) }, signal));
      } catch (error) {
        if (isMissing(error, missingCode)) return undefined;
        throw error;
      }
    },
    async list(signal) {
      const what = `list ${noun}s`;
      const all: T[] = [];
      let query: Readonly<Record<string, string>> | undefined = pageSize;
      for (let pages = 0; query !== undefined; pages += 1) {
        if (pages === maxPages) throw nonsense(what, 'its list does not end');
        const answer = await http.request({ what, method: 'GET', path, query }, signal);
        const { items, next } = page((answer ?? {}) as Readonly<Record<string, unknown>>);
        if (!Array.isArray(items)) throw nonsense(what, 'it holds no list');
        for (const item of items) all.push(read(what, item));
        query = next && { ...pageSize, ...next };
      }
      return all;
    },
    async create(wanted, signal) {
      const name = nameOf(wanted);
      const what = name === undefined ? `create ${noun}` : `create ${noun} "${name}"`;
      if (name !== undefined && leadsElsewhere(name)) {
        const code = 'InvalidName';
        throw new CloudError(`cannot ${what}: nothing can have that name`, {
          status: 0,
          code,
          isRetryable: false,
        });
      }
      const request = { what, method: 'POST', path, body: wanted, secrets: secretsIn(wanted) } as const;
      return readOne(what, name, await http.request(request, signal));
    },
    async update(name, change, signal) {
      const what = `update ${noun} "${name}"`;
      const secrets = secretsIn(change);
      return readOne(
        what,
        name,
        await http.request({ what, method: 'PATCH', path: pathOf(name), body: change, secrets }, signal),
      );
    },
    async delete(name, signal) {
      if (leadsElsewhere(name)) return;
      try {
        await http.request(
          { what: `delete ${noun} "${name}"`, method: 'DELETE', path: pathOf(name) },
          signal,
        );
      } catch (error) {
        if (!isMissing(error, missingCode)) throw error;
      }
    },
  };
}
