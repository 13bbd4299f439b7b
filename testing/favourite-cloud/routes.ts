import type { Inventory } from './inventory.ts';
import { invalid } from './problem.ts';
import type { RequestBody } from './request-body.ts';

interface Call {
  readonly inventory: Inventory;
  /** The value of `{name}` in the path. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly body: () => RequestBody;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** The functions that answer a path, by method. */
export type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', (call: Call) => Answer>>>;

/** One flavour of the cloud's API. */
export interface Flavour {
  /** The noun for a database in messages. */
  readonly noun: string;
  readonly domain: string;
  /** By path template, for example `/v1/instances/{name}`. */
  readonly routes: Readonly<Record<string, Methods>>;
}

/** Of FancySQL; 2.3 is that of the instance in Crossplane's services developer guide. */
export const versionRule = {
  pattern: /^(2\.3|5\.6|5\.7|8\.0)$/,
  says: 'must be one of 2.3, 5.6, 5.7, 8.0',
} as const;
export const defaultVersion = '5.7';

export const nameRule = {
  pattern: /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
  says: 'must be of 1 to 253 lower-case letters, digits, dots and dashes',
} as const;

// The message must not quote the request.
export const passwordRule = { pattern: /^.{8,128}$/s, says: 'must be of 8 to 128 characters' } as const;

/** The page that a query requests. Throws 422 for values that are not numbers. */
export function pageOf(
  query: URLSearchParams,
  fields: { readonly size: string; readonly after: string },
): { readonly after: number; readonly limit: number } {
  const number = (field: string, fallback: number, max: number): number => {
    const text = query.get(field);
    if (text === null) return fallback;
    if (!/^\d{1,15}$/.test(text) || Number(text) > max) throw invalid(field, `must be a number up to ${max}`);
    return Number(text);
  };
  const limit = number(fields.size, 100, 1000);
  return { after: number(fields.after, 0, Number.MAX_SAFE_INTEGER), limit: limit || 100 };
}
