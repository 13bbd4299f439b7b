import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { psql } from '../../stacks/postgresql/server/psql.ts';

/** The databases into which teams wrote with psql, by team. */
const written = new Map<string, { readonly server: string; readonly database: string; rows: number }>();

const serverOf = ({ host = '', port = '' }: ConnectionDetails): string => `${host}:${port}`;

/** The `uri` of a Secret, for another database of its server. */
export function uriTo({ uri = '' }: ConnectionDetails, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

/** The answer of psql, which uses the certificates of the Secret. Rejects with the words of psql. */
export async function answerTo(
  statement: string,
  details: ConnectionDetails,
  target: string = details.uri ?? '',
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'psql-'));
  try {
    const authority = join(folder, 'ca.crt');
    if (details.clusterCA !== undefined) await writeFile(authority, details.clusterCA);
    const trusted = details.clusterCA !== undefined && { PGSSLROOTCERT: authority };
    const { isDone, output } = await psql(target, statement, { ...env, ...trusted });
    if (!isDone) throw new Error(`psql as ${details.username}: ${output}`);
    return output;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Rejects unless psql is refused, with words that match. */
export async function checkRefused(details: ConnectionDetails, target: string, words: RegExp): Promise<void> {
  const answer = await answerTo('SELECT current_database()', details, target).catch((error: Error) => error);
  if (!(answer instanceof Error)) throw new Error(`${details.username} gets into database ${answer}`);
  if (!words.test(answer.message)) throw answer;
}

/** The variables with which libpq takes the entries of a Secret one by one. */
const parts = (details: ConnectionDetails): NodeJS.ProcessEnv => ({
  PGHOST: details.host,
  PGPORT: details.port,
  PGUSER: details.username,
  PGPASSWORD: details.password,
  PGDATABASE: details.database,
  ...(details.sslmode !== undefined && { PGSSLMODE: details.sslmode }),
});

/**
 * Rejects unless a team can use its Secret and is entitled to the data. psql logs in with `uri`, and with the entries one
 * by one. It finds each row that this team wrote before, and none of another team. It gets into no database of another.
 */
export async function checkLogin(details: ConnectionDetails, team: string): Promise<void> {
  const { database = '' } = details;
  const before = written.get(team);
  await answerTo(
    `CREATE TABLE IF NOT EXISTS written_by (team text); INSERT INTO written_by VALUES ('${team}')`,
    details,
  );
  const rows = (before?.rows ?? 0) + 1;
  written.set(team, { server: serverOf(details), database, rows });
  const found = await answerTo(
    `SELECT string_agg(DISTINCT team, ' ') || ', ' || least(count(*), ${rows}) FROM written_by`,
    details,
    '',
    parts(details),
  );
  if (found !== `${team}, ${rows}`) throw new Error(`${team} finds ${found}, and wrote ${rows}`);
  await checkOthers(details, team);
}

/** Rejects if a team gets into a database into which another team wrote. */
async function checkOthers(details: ConnectionDetails, team: string): Promise<void> {
  const server = serverOf(details);
  const otherTeam = [...written].filter(([other, at]) => other !== team && at.server === server);
  const names = otherTeam.map(([, { database }]) => `'${database}'`);
  if (names.length === 0) return;
  const open = await answerTo(
    `SELECT string_agg(datname, ', ') FROM pg_database
    WHERE datname IN (${names}) AND has_database_privilege(oid, 'CONNECT')`,
    details,
  );
  if (open !== '') throw new Error(`${team} gets into ${open}`);
  const [[, { database = '' } = {}] = []] = otherTeam;
  await checkRefused(details, uriTo(details, database), /permission denied|does not exist/);
}
