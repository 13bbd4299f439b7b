/**
 * `npm run aws [-- flags]`: AWS on loopback, all services on one port, until SIGINT or SIGTERM. Standard output
 * carries its URL, nothing else; a wrong flag ends it with code 2.
 */
import { textProgress } from '../control-plane/progress.ts';
import { prepareMariadb } from '../mariadb-binaries.ts';
import { checkPlace, runCommandLine, serveUntilStopped } from '../stand-in-process.ts';
import { parseCommandLine } from './command-line.ts';
import { localDatabases } from './rds/local-databases.ts';
import { startAws } from './server.ts';
import { allServices } from './services.ts';

await runCommandLine(parseCommandLine(process.argv.slice(2)), async (options) => {
  await checkPlace(options);
  const progress = textProgress({ prefix: 'aws:' });
  const mariadb = await prepareMariadb({ environment: process.env, progress });
  const databases = localDatabases(mariadb, progress);
  const modificationMs = options.provisioningMs ?? 0;
  await serveUntilStopped(
    await startAws({ ...options, services: allServices({ databases, modificationMs }) }),
  );
});
