import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { Services } from './services.ts';

/** A shell line that opens a claim's database with psql, without showing its password. */
export const psqlLine = ({ metadata, spec }: Claim, kubectl: string): string =>
  `psql "$(${kubectl} -n ${metadata.namespace} get secret ${spec.writeConnectionSecretToRef?.name} -o jsonpath='{.data.uri}' | base64 -d)"`;

/**
 * Uses what a claim's secret holds, as an application would: logs in to the PostgreSQL database, or compares
 * with what the cloud accepts. Answers with what is wrong, undefined if nothing is.
 */
export async function problemOf(
  claim: Claim,
  details: ConnectionDetails,
  services: Services,
): Promise<string | undefined> {
  const missing = ['endpoint', 'port', 'username', 'password'].filter((key) => !details[key]);
  if (missing.length > 0) return `its secret lacks ${missing.join(', ')}`;
  return claim.kind === PostgreSQLInstanceKind.kind
    ? postgresqlProblem(claim, details, services)
    : cloudProblem(details, services);
}

async function postgresqlProblem(
  claim: Claim,
  details: ConnectionDetails,
  { controlPlane, kubectl }: Services,
): Promise<string | undefined> {
  const client = new Client({ connectionString: details.uri ?? '' });
  try {
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS demo (word text)');
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    if (rows[0]?.name !== details.database) return `it leads to database ${rows[0]?.name}`;
  } catch (error) {
    return `cannot use its database: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await client.end();
  }
  if (!(await hasPsql())) return undefined;
  const command = `${psqlLine(claim, kubectl)} -Atc 'SELECT current_database()'`;
  const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
  return stdout.trim() === details.database ? undefined : `psql leads to "${stdout.trim()}"`;
}

/** Whether psql is on this machine. */
export const hasPsql = (): Promise<boolean> =>
  promisify(execFile)('psql', ['--version']).then(
    () => true,
    () => false,
  );

function cloudProblem(details: ConnectionDetails, { clouds }: Services): string | undefined {
  const instances = [...clouds.favourite.instances(), ...clouds.other.instances()];
  const instance = instances.find(({ item }) => item.hostname === details.endpoint);
  if (instance === undefined) return `no cloud knows ${details.endpoint}`;
  return instance.item.password === details.password ? undefined : 'the cloud has another password';
}
