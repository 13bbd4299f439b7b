import isString from 'lodash/isString.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type {
  DesiredCredential,
  ExternalClient,
  Observation,
} from '../../controllers/managed/connecting/external-client.ts';
import type { Bench } from '../bench.ts';
import { Broken } from '../verdict.ts';

const { signal } = new AbortController();

/** A call of observe, by its own client. */
export async function observe(
  bench: Bench,
  managed: Managed,
  credential?: DesiredCredential,
): Promise<Observation> {
  const client = await bench.client(managed);
  return bench.settled(client.observe(managed, credential, signal), 'observe');
}

/** A call of delete, whose result may be undefined. */
export const deletion = async (client: ExternalClient, managed: Managed): Promise<Begun> =>
  (await client.delete(managed, signal)) ?? {};

/** The operation that a call has started, if any. */
interface Begun {
  readonly operation?: unknown;
}

/** Polls the operation that a call has started, until it ends. */
export async function finished(bench: Bench, client: ExternalClient, { operation }: Begun): Promise<void> {
  if (!isString(operation) || client.poll === undefined) return;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const { state } = await bench.settled(client.poll(operation, signal), 'poll');
    if (state !== 'running') return;
    await bench.passTime(bench.pauseMs);
  }
  throw new Broken(`operation ${operation} does not end. To fix: report its state in poll`);
}

const mostLooks = 200;
