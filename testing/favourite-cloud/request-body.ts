import { invalid, Problem } from './problem.ts';

/** A request's JSON object, field by field; each reader throws 422 that names the field. */
export interface RequestBody {
  /** Throws 422 for a field that is not among these. */
  only(...fields: readonly string[]): void;
  integer(field: string, range: { readonly min: number; readonly max: number }): number | undefined;
  text(field: string, rule?: { readonly pattern: RegExp; readonly says: string }): string | undefined;
  texts(field: string): Readonly<Record<string, string>> | undefined;
}

/** Throws 400 if the text is no JSON object. */
export function requestBody(json: string): RequestBody {
  const body = parsed(json);
  return {
    only(...fields) {
      const unknown = Object.keys(body).find((field) => !fields.includes(field));
      if (unknown !== undefined) throw invalid(unknown, 'is not a field that can be set');
    },
    integer(field, { min, max }) {
      const value = body[field];
      if (value === undefined) return undefined;
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
        throw invalid(field, `must be an integer from ${min} to ${max}`);
      }
      return value;
    },
    text(field, rule) {
      const value = body[field];
      if (value === undefined) return undefined;
      if (typeof value !== 'string') throw invalid(field, 'must be text');
      if (rule !== undefined && !rule.pattern.test(value)) throw invalid(field, rule.says);
      return value;
    },
    texts(field) {
      const value = body[field];
      if (value === undefined) return undefined;
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isMap || Object.values(value).some((text) => typeof text !== 'string')) {
        throw invalid(field, 'must be an object with texts as values');
      }
      return value as Readonly<Record<string, string>>;
    },
  };
}

/** A field that has to be there. */
export function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalid(field, 'is required');
  return value;
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    throw new Problem(400, 'BadRequest', 'the body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(400, 'BadRequest', 'the body is not a JSON object');
  }
  return body as Readonly<Record<string, unknown>>;
}
