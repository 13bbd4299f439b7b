import { z } from 'zod';

/** An entry of `clusters` in a kubeconfig (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1). */
const cluster = z.strictObject({
  server: z.string().min(1),
  'tls-server-name': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.base64().optional(),
  'proxy-url': z.string().optional(),
  /** Has no effect, because requests and answers are never compressed. */
  'disable-compression': z.boolean().optional(),
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })).nullish(),
});

const exec = z.strictObject({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().optional(),
  provideClusterInfo: z.boolean().optional(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).optional(),
});

const user = z.strictObject({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.base64().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.base64().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  as: z.string().optional(),
  'as-uid': z.string().optional(),
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  exec: exec.nullish(),
  extensions: z.unknown().optional(),
});

/** Unknown fields are allowed here, because they give no rights, and because client-node writes a field `name`. */
const context = z.looseObject({
  cluster: z.string().min(1),
  user: z.string().optional(),
  namespace: z.string().optional(),
});

const named = z.looseObject({ name: z.string().min(1) });

/** A whole file. The entries are read when a context selects them: kubectl does not read the others either. */
const file = z.looseObject({
  kind: z.literal('Config').optional(),
  apiVersion: z.literal('v1').optional(),
  'current-context': z.string().nullish(),
  clusters: z.array(named).nullish(),
  users: z.array(named).nullish(),
  contexts: z.array(named).nullish(),
});

const schemas = { cluster, user, context } as const;

/** The content of a kubeconfig file, before its entries are read. */
export type KubeConfigFile = z.infer<typeof file>;
export type ClusterEntry = z.infer<typeof cluster>;
export type UserEntry = z.infer<typeof user>;
export type ExecEntry = z.infer<typeof exec>;
export type EntryKind = keyof typeof schemas;

/** A kubeconfig or variable that cannot be used. The message names the file, or the entry and the field. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';
  /** The flag or variable with the wrong value; `kubeconfig` if the fault is in a file that no flag names. */
  readonly place: string;

  constructor(message: string, { place = 'kubeconfig', ...options }: ErrorOptions & { place?: string } = {}) {
    super(message, options);
    this.place = place;
  }
}

/** Whether a text is the URL of a proxy. */
export function isProxyUrl(text: string): boolean {
  try {
    const { protocol, hostname, username, password, pathname } = new URL(text);
    decodeURIComponent(`${username}:${password}`);
    // A proxy has no path: `http//proxy`, where the colon is missing, would be the path of a host `http`.
    return /^(?:https?|socks5h?):$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname);
  } catch {
    return false;
  }
}

/** Returns the content of a kubeconfig. Throws KubeConfigError for any other content. `path` is for the message. */
export const fileIn = (content: unknown, path: string): KubeConfigFile =>
  checked(file, content, `${path} is not a kubeconfig`);

/** Throws KubeConfigError for a field that is missing, unknown or of the wrong type. */
export const entryIn = <K extends EntryKind>(
  kind: K,
  name: string,
  content: unknown,
): z.infer<(typeof schemas)[K]> =>
  checked<unknown>(schemas[kind], withoutNulls(content), `${kind} "${name}"`) as never;

/** A field that is null is absent, as in Go. */
const withoutNulls = (content: unknown): object =>
  Object.fromEntries(
    Object.entries(content ?? {}).filter(([, value]) => value !== null && value !== undefined),
  );

function checked<T>(schema: z.ZodType<T>, content: unknown, what: string): T {
  const { success, data, error } = schema.safeParse(content);
  if (success) return data;
  const [issue] = error.issues;
  throw new KubeConfigError(`${what}: ${issue === undefined ? 'invalid' : explained(issue)}`);
}

/** One fault in words. It shows the name of a field, and never its value, which may be a credential. */
function explained(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = [...issue.path, issue.keys[0]].join('.');
    return unknown === 'auth-provider'
      ? 'auth-provider is not supported; use exec'
      : `${unknown} is not supported; remove it`;
  }
  const expected = {
    invalid_type: () => `must be ${issue.code === 'invalid_type' ? issue.expected : ''}`,
    invalid_format: () => 'must be base64',
    invalid_value: () => `must be ${issue.code === 'invalid_value' ? issue.values.join(' or ') : ''}`,
    too_small: () => 'must not be empty',
  } as const;
  const explain = Object.hasOwn(expected, issue.code)
    ? expected[issue.code as keyof typeof expected]
    : undefined;
  return [path, explain?.() ?? 'is invalid'].filter(Boolean).join(' ');
}
