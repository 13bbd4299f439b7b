/**
 * `npm run aws [-- flags]`: AWS on loopback, all services on one port, until SIGINT or SIGTERM. Standard output
 * carries its URL, nothing else; a wrong flag ends it with code 2.
 */
import { textProgress } from '../control-plane/progress.ts';
import { prepareMariadb } from '../mariadb-binaries.ts';
import { parseCommandLine } from './command-line.ts';
import { localDatabases } from './rds/local-databases.ts';
import { startAws } from './server.ts';
import { allServices } from './services.ts';

const options = parseCommandLine(process.argv.slice(2));
if (typeof options === 'string') {
  process.stderr.write(`${options}\n`);
  process.exit(2);
}

try {
  const progress = textProgress({ prefix: 'aws:' });
  const mariadb = await prepareMariadb({ environment: process.env, progress });
  const databases = localDatabases(mariadb, progress);
  const modificationMs = options.provisioningMs ?? 0;
  const cloud = await startAws({ ...options, services: allServices({ databases, modificationMs }) });
  const end = (): void => void cloud.stop().then(() => process.exit(0));
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.stdout.write(`${cloud.url}\n`);
  // npm passes signals to the shell between it and this process, and that shell may die without passing them on:
  // then this process has another parent, and that is the sign to end.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => process.ppid !== parent && end(), 500);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
