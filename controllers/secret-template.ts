/*
 * The language of templates: a text in which `{{ key }}` and `{{ key | filter }}` stand for entries of the connection
 * details. It is a function of these alone, without conditions, loops or other objects.
 */

import attempt from 'lodash/attempt.js';
import isString from 'lodash/isString.js';
import type { TemplateFilter } from '../apis/core/v1alpha1/claim-secret.ts';
import { isWellFormed, reference } from '../apis/core/v1alpha1/claim-secret.ts';
import { percentEncoded } from '../clients/percent-encoded.ts';

/** The entries of a Secret as bytes, by key. They may not be text. */
export type Entries = ReadonlyMap<string, Buffer>;

/** The entry of a template, or why there is none: a text that names keys, and never a value or the template. */
export type Rendered = { readonly value: Buffer } | { readonly problem: string };

/** Bytes as a string with one character for each byte. So bytes that are no text stay as they are. */
const raw = (bytes: Buffer): string => bytes.toString('latin1');
const rawText = (text: string): string => raw(Buffer.from(text, 'utf8'));

/** Undefined: the filter has no result for this entry. */
const filters: Readonly<Record<TemplateFilter, (bytes: Buffer) => string | undefined>> = {
  uri: (bytes) => percentEncoded(bytes.toString('utf8')),
  json: (bytes) => rawText(JSON.stringify(bytes.toString('utf8'))),
  base64: (bytes) => bytes.toString('base64'),
  shell: (bytes) => `'${raw(bytes).replaceAll("'", `'\\''`)}'`,
  jdbc: (bytes) => jdbcOf(bytes.toString('utf8')),
  upper: (bytes) => rawText(bytes.toString('utf8').toUpperCase()),
};

/** `postgresql://user:password@host/name?a=b` as `jdbc:postgresql://host/name?a=b&user=user&password=password`. */
function jdbcOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.host === '') return undefined;
  const scheme = url.protocol === 'postgres:' ? 'postgresql:' : url.protocol;
  const login = Object.entries({ user: url.username, password: url.password }).flatMap(([name, encoded]) => {
    const text: unknown = attempt(decodeURIComponent, encoded);
    return isString(text) && text !== '' ? [`${name}=${percentEncoded(text)}`] : [];
  });
  const parameters = [...(url.search === '' ? [] : [url.search.slice(1)]), ...login].join('&');
  return `jdbc:${scheme}//${url.host}${url.pathname}${parameters === '' ? '' : `?${parameters}`}`;
}

/** Renders one template from the connection details, to at most so many bytes. Pure. */
export function rendered(template: string, details: Entries, mostBytes: number): Rendered {
  if (!isWellFormed(template)) return { problem: 'is not well-formed' };
  let problem: string | undefined;
  let insertedBytes = 0;
  const entry = (key: string, filter: TemplateFilter | undefined): string => {
    const bytes = details.get(key);
    // guard: otherwise a short template that repeats a long entry fills the memory
    if (insertedBytes > mostBytes) return '';
    const text = bytes && (filter === undefined ? raw(bytes) : filters[filter](bytes));
    if (bytes === undefined) problem ??= `needs the key "${key}"`;
    else if (text === undefined) problem ??= `needs an address in the key "${key}"`;
    insertedBytes += text?.length ?? 0;
    return text ?? '';
  };
  const result = rawText(template).replaceAll(
    new RegExp(reference, 'g'),
    (_found, key: string | undefined, filter: TemplateFilter | undefined) =>
      key === undefined ? '{{' : entry(key, filter),
  );
  if (problem !== undefined) return { problem };
  return result.length > mostBytes
    ? { problem: 'makes the Secret too large' }
    : { value: Buffer.from(result, 'latin1') };
}
