import type { Params } from '../service.ts';
import { invalidValue, missingParameter } from './problems.ts';

/** Reads the parameters of a request by their types. An absent parameter is undefined. */
export interface Parameters {
  text(name: string): string | undefined;
  /** Throws AwsProblem if it is absent. */
  needed(name: string): string;
  number(name: string): number | undefined;
  flag(name: string): boolean | undefined;
  /** `member` is the name of an element. */
  list(name: string, member: string): readonly string[] | undefined;
  /** A list of elements with fields. */
  records(name: string, member: string): readonly Params[] | undefined;
  within(name: string): Parameters;
}

export function parametersOf(params: Params): Parameters {
  const text = (name: string): string | undefined => {
    const value = params[name];
    return typeof value === 'string' ? value : undefined;
  };
  const elements = (name: string, member: string): readonly unknown[] | undefined => {
    const list = params[name];
    if (typeof list !== 'object' || list === null) return list === '' ? [] : undefined;
    const inner = (list as Params)[member];
    return Array.isArray(inner) ? inner : [];
  };
  return {
    text,
    needed(name) {
      const value = text(name);
      if (value === undefined || value === '') throw missingParameter(name);
      return value;
    },
    number(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^-?\d{1,9}$/.test(value)) throw invalidValue(`Invalid value for ${name}: it must be an integer.`);
      return Number(value);
    },
    flag(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (value !== 'true' && value !== 'false') {
        throw invalidValue(`Invalid value for ${name}: it must be true or false.`);
      }
      return value === 'true';
    },
    list: (name, member) => elements(name, member)?.map(String),
    records: (name, member) => elements(name, member) as readonly Params[] | undefined,
    within: (name) => parametersOf((params[name] ?? {}) as Params),
  };
}
