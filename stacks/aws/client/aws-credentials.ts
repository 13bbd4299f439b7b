import { CloudError } from '../../../package/http.ts';

/** An access key of AWS, with the session token that temporary ones have. Never logged. */
interface AwsAccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The access key and the addresses of AWS. Never logged. */
export interface AwsCredentials {
  /** Absent: the official client's own chain finds credentials in the environment of the process. */
  readonly accessKey?: AwsAccessKey;
}

/**
 * Reads credentials from a text in one of AWS's own forms:
 * - a credentials file: `[default]`, then `aws_access_key_id = …`, `aws_secret_access_key = …` and perhaps
 *   `aws_session_token = …`. The profile `default` counts, or the only profile. The lines may also stand without a
 *   profile;
 * - JSON from `aws iam create-access-key` or a credential process: `{"AccessKeyId": …, "SecretAccessKey": …}`.
 *
 * Throws CloudError `InvalidCredentials` that names the field and never its value.
 */
export function parseAwsCredentials(text: string): AwsCredentials {
  const fields = text.trimStart().startsWith('{') ? fieldsOfJson(text) : fieldsOfProfile(text);
  const accessKeyId = plain(fields, 'aws_access_key_id');
  const secretAccessKey = plain(fields, 'aws_secret_access_key');
  if (accessKeyId === undefined) throw invalid('have no aws_access_key_id');
  if (secretAccessKey === undefined) throw invalid('have no aws_secret_access_key');
  const sessionToken = plain(fields, 'aws_session_token');
  return {
    accessKey: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
  };
}

type Fields = Readonly<Record<string, string>>;

/** The value of a field. It becomes part of a header, or signs one. */
function plain(fields: Fields, field: string): string | undefined {
  const value = fields[field]?.trim();
  if (value === undefined || value === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(value)) throw invalid(`have an ${field} with invalid characters`);
  return value;
}

function fieldsOfProfile(text: string): Fields {
  const profiles = new Map<string, Record<string, string>>();
  let profile: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    const [, name] = /^\[\s*(?:profile\s+)?([^\]]*?)\s*\]$/.exec(line) ?? [];
    const [, key, value] = /^([a-z0-9_]+)\s*[=:]\s*(.*)$/i.exec(line) ?? [];
    if (name !== undefined) {
      profile = profiles.get(name) ?? {};
      profiles.set(name, profile);
    } else if (key !== undefined) {
      profile ??= {};
      if (profiles.size === 0) profiles.set('default', profile);
      profile[key.toLowerCase()] = value ?? '';
    }
  }
  const only = profiles.size === 1 ? [...profiles.values()][0] : undefined;
  const chosen = profiles.get('default') ?? only;
  if (chosen !== undefined) return chosen;
  if (profiles.size > 1) throw invalid('have several profiles and none of them is [default]');
  throw invalid(
    `are no profile: [default], aws_access_key_id = … and aws_secret_access_key = … are expected`,
  );
}

const jsonFields: Fields = {
  AccessKeyId: 'aws_access_key_id',
  SecretAccessKey: 'aws_secret_access_key',
  SessionToken: 'aws_session_token',
};

function fieldsOfJson(text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid('are neither a profile nor JSON');
  }
  const { AccessKey, Credentials } = parsed as {
    readonly AccessKey?: unknown;
    readonly Credentials?: unknown;
  };
  const entries = Object.entries((AccessKey ?? Credentials ?? parsed) as object);
  return Object.fromEntries(
    entries.flatMap(([key, value]: [string, unknown]) => {
      const field = jsonFields[key];
      return field !== undefined && typeof value === 'string' ? [[field, value]] : [];
    }),
  );
}

const invalid = (what: string): CloudError =>
  new CloudError(`the credentials ${what}`, { status: 0, code: 'InvalidCredentials', isRetryable: false });
