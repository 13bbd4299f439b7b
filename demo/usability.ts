import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { RedisClusterKind } from '../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import { MySQLInstanceKind } from '../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../apis/database/v1alpha1/postgresql-instance.ts';
import { FancySQLInstanceKind } from '../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { Services } from './services.ts';

/** A shell line that opens a claim's database with psql, without showing its password. */
export const psqlLine = ({ metadata, spec }: Claim, kubectl: string): string =>
  `psql "$(${kubectl} -n ${metadata.namespace} get secret ${spec.writeConnectionSecretToRef?.name} -o jsonpath='{.data.uri}' | base64 -d)"`;

/** A shell line that opens a claim's Redis with redis-cli, without showing its password. */
export const redisLine = (
  { metadata, spec }: Claim,
  { kubectl, cli }: { readonly kubectl: string; readonly cli: string },
): string =>
  `${cli} --no-auth-warning -u "$(${kubectl} -n ${metadata.namespace} get secret ${spec.writeConnectionSecretToRef?.name} -o jsonpath='{.data.uri}' | base64 -d)"`;

/** A shell line (of bash, zsh or ksh) that opens a claim's MySQL database with a client, without showing its password. */
export const mysqlLine = (
  { metadata, spec }: Claim,
  { kubectl, client }: { readonly kubectl: string; readonly client: string },
): string => {
  const option = (name: string, key: string): string => `${name}="{{.data.${key}|base64decode}}"{{"\\n"}}`;
  const options = `[client]{{"\\n"}}${option('host', 'host')}${option('port', 'port')}${option('user', 'username')}${option('password', 'password')}`;
  const secret = `${kubectl} -n ${metadata.namespace} get secret ${spec.writeConnectionSecretToRef?.name}`;
  const database = `"$(${secret} -o jsonpath='{.data.database}' | base64 -d)"`;
  return `${client} --defaults-file=<(${secret} -o go-template='${options}') ${database}`;
};

interface Use {
  /** The entries that a Secret must have. */
  readonly needed: readonly string[];
  problem(claim: Claim, details: ConnectionDetails, services: Services): Promise<string | undefined>;
}

const databaseKeys = ['endpoint', 'port', 'username', 'password'];
const uses: Readonly<Record<string, Use>> = {
  [PostgreSQLInstanceKind.kind]: { needed: databaseKeys, problem: postgresqlProblem },
  [MySQLInstanceKind.kind]: { needed: [...databaseKeys, 'host', 'database'], problem: mysqlProblem },
  [RedisClusterKind.kind]: { needed: ['endpoint', 'port', 'password'], problem: redisProblem },
  [FancySQLInstanceKind.kind]: { needed: databaseKeys, problem: cloudProblem },
};

/**
 * Uses the content of a claim's Secret as an application would: logs in to the database or the Redis, or compares the
 * password with that of the cloud. Returns the problem; undefined if there is none.
 */
export async function problemOf(
  claim: Claim,
  details: ConnectionDetails,
  services: Services,
): Promise<string | undefined> {
  const use = uses[claim.kind];
  if (use === undefined) return `the demo cannot use a ${claim.kind}`;
  const missing = use.needed.filter((key) => !details[key]);
  return missing.length > 0
    ? `its secret lacks ${missing.join(', ')}`
    : use.problem(claim, details, services);
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

/** Creates a table with the client. Without a MariaDB, the cloud reports only that the database exists. */
async function mysqlProblem(
  claim: Claim,
  details: ConnectionDetails,
  { controlPlane, kubectl, mariadb }: Services,
): Promise<string | undefined> {
  if (mariadb.by === 'none') return undefined;
  const statements = 'CREATE TABLE IF NOT EXISTS demo (word text); SELECT database()';
  const command = `${mysqlLine(claim, { kubectl, client: mariadb.client })} -Ne '${statements}'`;
  const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  return stdout.trim() === details.database ? undefined : `its MySQL leads to "${stdout.trim()}"`;
}

/** Sends PING with redis-cli. Without a Redis, compares the password with that of the cloud. */
async function redisProblem(
  claim: Claim,
  details: ConnectionDetails,
  { controlPlane, kubectl, redis, google }: Services,
): Promise<string | undefined> {
  if (redis.by === 'none') {
    const isKnown = google.instances.all().some(({ authString }) => authString === details.password);
    return isKnown ? undefined : 'the cloud has another AUTH string';
  }
  const command = `${redisLine(claim, { kubectl, cli: redis.cli })} PING`;
  const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
  return stdout.trim() === 'PONG' ? undefined : `its Redis says "${stdout.trim()}"`;
}

async function cloudProblem(
  _claim: Claim,
  details: ConnectionDetails,
  { clouds }: Services,
): Promise<string | undefined> {
  const instances = [...clouds.favourite.instances(), ...clouds.other.instances()];
  const instance = instances.find(({ item }) => item.hostname === details.endpoint);
  if (instance === undefined) return `no cloud knows ${details.endpoint}`;
  return instance.item.password === details.password ? undefined : 'the cloud has another password';
}
