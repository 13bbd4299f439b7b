import isPlainObject from 'lodash/isPlainObject.js';
import uniq from 'lodash/uniq.js';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import type { Credentials } from './credential-sources.ts';

/**
 * The last read credentials of each provider, and the secret texts among them. By name: an object of the cache is replaced
 * while a call runs, for example when the provider's status changes.
 */
const noted = boundedCache<{ readonly credentials: Credentials; readonly texts: readonly string[] }>(1_000);
const nameOf = ({ apiVersion, kind, metadata: { name } }: KubernetesObject): string =>
  `${apiVersion} ${kind} ${name}`;

/** Keeps the secret texts of a provider's credentials, so that no message of a stack contains them. */
export function noteSecretTexts(provider: KubernetesObject, credentials: Credentials): void {
  const name = nameOf(provider);
  if (noted.get(name)?.credentials === credentials) return;
  noted.set(name, { credentials, texts: secretTexts(credentials) });
}

/** The secret texts that no message about this provider may contain. */
export const secretTextsOf = (provider: KubernetesObject | undefined): readonly string[] =>
  (provider && noted.get(nameOf(provider))?.texts) ?? [];

/** A shorter text counts as no secret: it is in many words. */
export const shortestSecret = 4;

/** The names of fields with a secret. */
const secretName = /pass|pwd|secret|token|key|credential|auth|private/i;

/** The names of fields that lead to a system or name a user. They are in many messages, which need them. */
const placeName = /endpoint|host|server|address|user|port|project|region|database|ur[il]$/i;

/** A URL is no secret, for example `token_uri`. A password in it is one. */
const isSecret = (name: string): boolean => secretName.test(name) && !/ur[il]$/i.test(name);

/** The text itself, its fields with a secret name, and the passwords in its URLs. */
function secretTexts(credentials: Credentials): readonly string[] {
  if (!('text' in credentials)) return [];
  const { text, key = '' } = credentials;
  const fields = fieldsOf(text);
  const entries = credentials.source === 'Secret' ? Object.entries(credentials.entries()) : [];
  const named = [...fields, ...entries].filter(([name]) => isSecret(name)).map(([, value]) => value);
  const inUrls = [text, ...fields.map(([, value]) => value)].map(passwordIn);
  // guard: otherwise messages lack the host of a server whose credentials are several entries of a Secret
  const isPlace = placeName.test(key) && !isSecret(key);
  const whole = isPlace ? [] : [text, text.trim()];
  return uniq([...whole, ...named, ...inUrls]).filter((each) => each.length >= shortestSecret);
}

type Field = readonly [name: string, value: string];

/** The fields of a JSON object, at any depth, or of lines such as `name = value`. */
function fieldsOf(text: string): readonly Field[] {
  try {
    return fieldsIn('', JSON.parse(text));
  } catch {
    return text.split('\n').flatMap((line): readonly Field[] => {
      const [, name, value] = /^\s*([\w.-]+)\s*[=:]\s*(.+?)\s*$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value.replace(/^["']|["']$/g, '')]];
    });
  }
}

function fieldsIn(name: string, value: unknown): readonly Field[] {
  if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)]];
  if (!Array.isArray(value) && !isPlainObject(value)) return [];
  return Object.entries(value as object).flatMap(([key, each]) => fieldsIn(`${name}.${key}`, each));
}

function passwordIn(text: string): string {
  const { password = '' } = URL.parse(text) ?? {};
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
