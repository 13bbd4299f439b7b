import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../time/clock.ts';
import type { ExecEntry } from './kube-config-entries.ts';
import { KubeConfigError } from './kube-config-entries.ts';

/** How long a credential plugin may take, in ms. */
const longestRunMs = 60_000;

/** The answer of a credential plugin (https://kubernetes.io/docs/reference/access-authn-authz/authentication). */
const answer = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z
    .object({
      expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
      token: z.string().min(1).nullish(),
      clientCertificateData: z.string().min(1).nullish(),
      clientKeyData: z.string().min(1).nullish(),
    })
    .refine(({ token, clientCertificateData, clientKeyData }) =>
      Boolean(token || (clientCertificateData && clientKeyData)),
    ),
});

/** Client certificate and key are PEM. */
type ExecCredential = z.infer<typeof answer>['status'];

export interface ExecCredentials {
  /** The credential: that of an earlier run until it expires. Throws KubeConfigError if the plugin yields none. */
  current(): Promise<ExecCredential>;
  /** The API server refused the credential, so that the next call runs the plugin again. */
  forget(): void;
}

export interface ExecOptions {
  readonly exec: ExecEntry;
  /** The name of the plugin in PATH, or its path. A relative path is joined with the folder of the kubeconfig before. */
  readonly command: string;
  /** `spec.cluster` of the ExecCredential that the plugin gets. Absent unless `provideClusterInfo` is set. */
  readonly cluster: object | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Runs a credential plugin as client-go does: an ExecCredential is in `KUBERNETES_EXEC_INFO`. Never with a terminal. */
export function execCredentials({
  exec,
  command,
  cluster,
  environment,
  clock,
}: ExecOptions): ExecCredentials {
  const { apiVersion, args, env, installHint } = exec;
  const question = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster && { cluster }) },
  };
  const variables = {
    ...environment,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(question),
  };
  let known: ExecCredential | undefined;

  async function run(): Promise<ExecCredential> {
    const output = await outputOf(command, args ?? [], variables).catch((error: unknown) => {
      throw new KubeConfigError(failureOf(command, error, installHint));
    });
    const { data } = answer.safeParse(parsed(output));
    if (data?.apiVersion === apiVersion) return data.status;
    throw new KubeConfigError(
      `credential plugin ${command} must print an ExecCredential of ${apiVersion} with a token, or with a client certificate and its key`,
    );
  }

  return {
    async current() {
      const expires = known?.expirationTimestamp;
      if (expires && Date.parse(expires) <= clock.now().getTime()) known = undefined;
      known ??= await run();
      return known;
    },
    forget() {
      known = undefined;
    },
  };
}

async function outputOf(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const running = promisify(execFile)(command, args, { env, timeout: longestRunMs });
  // Close the input, because a plugin that reads its input would wait for the end.
  running.child.stdin?.end();
  return (await running).stdout;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error itself is left out: it has the arguments and the output of the plugin, which may contain a credential. */
function failureOf(command: string, error: unknown, installHint: string | undefined): string {
  const { code, killed } = error as { readonly code?: number | string; readonly killed?: boolean };
  if (killed === true) return `credential plugin ${command} did not end within ${longestRunMs / 1000} s`;
  if (code !== 'ENOENT') return `credential plugin ${command} failed: ${code ?? 'unknown'}`;
  const where = isAbsolute(command) ? '' : ' in $PATH';
  return `credential plugin ${command} is not there${where}${installHint ? `; ${installHint.trim()}` : ''}`;
}
