import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import type {
  Deletion,
  ExternalClient,
  Observation,
} from '../../controllers/core/managed/external-client.ts';
import type { Bench } from '../bench.ts';

const { signal } = new AbortController();

/** A look, by a client of its own. */
export async function observe(
  bench: Bench,
  managed: Managed,
  known: ConnectionDetails = {},
): Promise<Observation> {
  const client = await bench.client(managed);
  return bench.settled(client.observe(managed, known, signal), 'observe');
}

/** A call of delete, which may answer with nothing. */
export const deletion = async (client: ExternalClient, managed: Managed): Promise<Deletion> =>
  (await client.delete(managed, signal)) ?? {};
