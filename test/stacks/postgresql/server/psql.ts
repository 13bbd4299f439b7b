import { execFile } from 'node:child_process';
import { psql as program } from '../../../../tools/offline/debian-program.ts';

const support = await program.support();

/** The reason why tests with psql are left out; false: psql exists. */
export const withoutPsql: string | false = support.by === 'none' ? support.reason : false;

/** The output of a statement for a connection string; with the error of psql, if it fails. */
export async function psql(
  target: string,
  statement: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly isDone: boolean; readonly output: string }> {
  if (support.by === 'none') throw new Error(support.reason);
  const { path } = support;
  // No settings of the machine: no PG… variables, no .psqlrc, no .pgpass.
  const environment = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8', ...env };
  return new Promise((resolve) => {
    execFile(path, ['-XAtw', '-c', statement, target], { env: environment }, (error, out, errors) =>
      resolve({ isDone: error === null, output: `${out}${errors}`.trim() }),
    );
  });
}
