import attempt from 'lodash/attempt.js';
import isObject from 'lodash/isObject.js';
import isString from 'lodash/isString.js';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';

const secretName = /pass|token|secret|key|credential|uri/i;

/** Shorter texts occur in messages by chance. */
const shortest = 6;

/**
 * The secrets in credentials and connection details: values with the name of a secret, and whole texts without a
 * structure. JSON is parsed and searched.
 */
export function secretsIn(
  credentials: string | ConnectionDetails,
  ...details: readonly ConnectionDetails[]
): readonly string[] {
  const given = isString(credentials) ? { credentials } : credentials;
  const all = [...Object.entries(given), ...details.flatMap((each) => Object.entries(each))];
  const texts = all.flatMap(([name, value]) => secretTexts(name, value));
  return [...new Set(texts)].filter((text) => text.length >= shortest);
}

function secretTexts(name: string, value: unknown): readonly string[] {
  const inside: unknown = isString(value) ? attempt(JSON.parse, value) : value; // an Error if it is not JSON
  if (isObject(inside) && !(inside instanceof Error)) {
    return Object.entries(inside).flatMap(([inner, each]) => secretTexts(inner, each));
  }
  return isString(value) && secretName.test(name) && !isAddress(value) ? [value] : [];
}

/** A URI without user, password and query is only an address, not a secret. */
function isAddress(text: string): boolean {
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, search } = new URL(text);
  return username === '' && password === '' && search === '';
}
