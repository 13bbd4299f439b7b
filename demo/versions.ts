import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import type { Services } from './services.ts';

/** The running programs and their versions, on one line. */
export async function versionsOf(
  client: Pick<KubernetesClient, 'serverVersion'>,
  { postgresql }: Pick<Services, 'postgresql'>,
): Promise<string> {
  const { major, minor } = await client.serverVersion();
  const manifest = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  const ours = `Services Stack ${(JSON.parse(manifest) as { readonly version: string }).version}`;
  return `${ours}, Kubernetes ${major}.${minor}, PostgreSQL ${await versionOf(postgresql)}, Node ${process.versions.node}`;
}

/** As in `15.8`. */
async function versionOf({ port, superuser, password }: Services['postgresql']): Promise<string> {
  const client = new Client({ host: '127.0.0.1', port, user: superuser, password, database: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '';
  } finally {
    await client.end();
  }
}
