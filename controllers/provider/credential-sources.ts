import isPlainObject from 'lodash/isPlainObject.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { CredentialSelector } from '../../apis/core/v1alpha1/credentials.ts';
import type { SecretKeySelector } from '../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { invalid } from '../../clients/external-error.ts';
import { recentSecrets } from '../../runtime/cache/recent-secrets.ts';
import { annotate, messageOf } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';

/** Credentials in clear text. They must never be logged. */
export interface HeldCredentials {
  readonly source: 'Secret' | 'Environment' | 'Filesystem';
  /** The value of the key in the Secret, or the content of the variable or file. */
  readonly text: string;
  /** All keys and values of the Secret, or of the JSON object in the variable or file. */
  entries(): ConnectionDetails;
  /** The origin of the credentials, for messages: `secret infra/cloud` or `file /etc/cloud.json`. */
  readonly origin: string;
  readonly key?: string;
}

export type Credentials =
  | HeldCredentials
  | {
      readonly source: 'None' | 'InjectedIdentity';
      /** The object that has no credentials, for messages: `ProviderConfig default`. */
      readonly who: string;
    };

/** Reads the credentials of an object (`who` in messages). Its Errors name the missing part, but no secret. */
export type CredentialReader = (selector: CredentialSelector, who: string) => Promise<Credentials>;

/**
 * Reads credentials (crossplane-runtime v1.16, CommonCredentialExtractor). Secrets are read one by one, because they
 * can have any type: a watch would see every Secret of the cluster.
 */
export function credentialReader(env: Environment): CredentialReader {
  const read = recentSecrets(env);
  /** The credentials in a Secret. All runs within 2 s read the same one. */
  const decoded = new WeakMap<Secret, HeldCredentials>();

  return async ({ source, secretRef, env: variable, fs }, who) => {
    switch (source) {
      case 'None':
      case 'InjectedIdentity':
        return { source, who };
      case 'Secret':
        if (secretRef === undefined) throw incomplete(who, source, 'secretRef');
        return fromSecret(secretRef, who);
      case 'Environment':
        if (variable === undefined) throw incomplete(who, source, 'env');
        return fromText(source, hostVariable(variable.name, who), `environment variable ${variable.name}`);
      case 'Filesystem':
        if (fs === undefined) throw incomplete(who, source, 'fs');
        return fromText(source, await hostFile(fs.path, who), `file ${fs.path}`);
      default:
        throw new Error(`${who} has an unknown source of credentials: ${String(source)}`);
    }
  };

  async function fromSecret(
    { namespace, name, key }: SecretKeySelector,
    who: string,
  ): Promise<HeldCredentials> {
    const secret = `${namespace}/${name}`;
    const found = await annotate(`cannot get secret ${secret} of ${who}`, read({ namespace, name }));
    if (found === undefined) throw new Error(`secret ${secret} of ${who} does not exist`);
    const known = decoded.get(found);
    if (known?.key === key) return known;
    const data = decodeDetails(found);
    const text = Object.hasOwn(data, key) ? data[key] : undefined;
    if (text === undefined) throw new Error(`secret ${secret} of ${who} has no key "${key}"`);
    // A copy for each caller, because a change of it must not reach another run.
    const entries = () => ({ ...data });
    const held = { source: 'Secret', text, entries, origin: `secret ${secret}`, key } as const;
    decoded.set(found, held);
    return held;
  }

  function hostVariable(name: string, who: string): string {
    const text = env.host?.variable(name);
    if (!text)
      throw new Error(`environment variable ${name} of ${who} is not set in the controllers' process`);
    return text;
  }

  async function hostFile(path: string, who: string): Promise<string> {
    if (env.host === undefined) throw new Error(`file ${path} of ${who}: the controllers read no files`);
    const text = await env.host.file(path).catch((error: unknown) => {
      throw new Error(`${messageOf(error)} (${who})`, { cause: error });
    });
    if (text.trim() === '') throw new Error(`file ${path} is empty (${who})`);
    return text;
  }
}

/** Returns the credentials. If the source has none, throws an Error that lists the possible sources. */
export function heldCredentials(credentials: Credentials): HeldCredentials {
  if ('text' in credentials) return credentials;
  const { who, source } = credentials;
  throw new Error(
    `${who} has credentials of the source ${source}, but the external system needs credentials: ${advice.useHeldCredentials}`,
  );
}

const fromText = (source: 'Environment' | 'Filesystem', text: string, origin: string): HeldCredentials => ({
  source,
  text,
  entries: () => entriesOf(text),
  origin,
});

/** The texts and numbers in a JSON object. Errors do not quote the parser's message, which could contain a secret. */
function entriesOf(text: string): ConnectionDetails {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid('it holds no JSON; an object with the entries of the credentials is expected');
  }
  if (!isPlainObject(parsed)) {
    throw invalid('it holds no JSON object; one with the entries of the credentials is expected');
  }
  return Object.fromEntries(
    Object.entries(parsed as object).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [],
    ),
  );
}

const incomplete = (who: string, source: string, field: string): Error =>
  new Error(`${who} has credentials of the source ${source} and no ${field}`);
