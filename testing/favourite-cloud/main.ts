/**
 * `npm run favourite-cloud [-- flags]`: a cloud's HTTP API on loopback until SIGINT or SIGTERM. Standard output
 * carries its URL, nothing else; a wrong flag ends it with code 2.
 */
import { runCommandLine, serveUntilStopped } from '../emulators/emulator-process.ts';
import { parseCommandLine } from './command-line.ts';
import { startFavouriteCloud } from './server.ts';

await runCommandLine(parseCommandLine(process.argv.slice(2)), async (options) =>
  serveUntilStopped(await startFavouriteCloud(options)),
);
