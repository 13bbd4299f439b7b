/**
 * `npm run aws [-- flags]`: AWS on loopback, all services on one port, until SIGINT or SIGTERM. Standard output
 * carries its URL, nothing else; a wrong flag ends it with code 2.
 */

import { prepareMariadb } from '../../local/mariadb-binaries.ts';
import { textProgress } from '../../local/text-progress.ts';
import { parseCommandLine } from '../../stacks/aws/emulator/command-line.ts';
import type { DatabaseServers } from '../../stacks/aws/emulator/rds/database-servers.ts';
import { startAws } from '../../stacks/aws/emulator/server.ts';
import { allServices } from '../../stacks/aws/emulator/services.ts';
import { checkPlace, runCommandLine, serveUntilStopped } from '../../testing/emulators/emulator-process.ts';
import { localDatabases } from './local-databases.ts';

await runCommandLine(parseCommandLine(process.argv.slice(2)), async ({ options, hasDatabases }) => {
  await checkPlace(options);
  const databases = hasDatabases ? await realDatabases() : undefined;
  const services = allServices({
    modificationMs: options.provisioningMs ?? 0,
    ...(databases !== undefined && { databases }),
  });
  await serveUntilStopped(await startAws({ ...options, services }));
});

async function realDatabases(): Promise<DatabaseServers> {
  const progress = textProgress({ prefix: 'aws:' });
  return localDatabases(await prepareMariadb({ environment: process.env, progress }), progress);
}
