import { estateFile } from '../estate-file.ts';
import type { LoopbackReply, LoopbackRequest } from '../loopback-server.ts';
import { startLoopbackServer } from '../loopback-server.ts';
import type { Aws, AwsOptions } from './aws.ts';
import { createAws } from './aws.ts';
import type { SavedEstate } from './estate.ts';
import type { Fault } from './faults.ts';

export interface LocalAwsOptions extends AwsOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A file in which it keeps what it holds, passwords included, beyond its end; default: nowhere. */
  readonly dataFile?: string;
}

/** A running cloud. */
export interface LocalAws extends Omit<Aws, 'answer'> {
  readonly url: string;
  /** Ends all connections, and what stands behind its things. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves AWS's API (see `createAws`) on loopback: all services on one port. Rejects if the port is taken. */
export async function startAws(options: LocalAwsOptions = {}): Promise<LocalAws> {
  const { dataFile } = options;
  const { answer, ...inside } = createAws({
    ...options,
    ...(dataFile !== undefined && estateFile<SavedEstate>(dataFile)),
  });
  const server = await startLoopbackServer({
    port: options.port,
    answer: (request) => (request.target.startsWith('/_') ? control(inside, request) : answer(request)),
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.stop().then(inside.stop);
    return stopped;
  };
  return { ...inside, url: server.url, stop, [Symbol.asyncDispose]: stop };
}

/** What is no part of AWS, for whoever tests with this: faults to come, and what was called. */
async function control(
  { faults, calls }: Pick<Aws, 'faults' | 'calls'>,
  { method, target, body }: LoopbackRequest,
): Promise<LoopbackReply> {
  const json = (status: number, value: unknown): LoopbackReply => ({
    status,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(value),
  });
  if (method === 'GET' && target === '/_calls') return json(200, calls());
  if (method === 'DELETE' && target === '/_faults') {
    faults.clear();
    return json(200, {});
  }
  if (method === 'POST' && target === '/_faults') {
    try {
      faults.inject(JSON.parse(await body()) as Fault);
      return json(200, {});
    } catch {
      return json(400, { message: 'the body is not JSON' });
    }
  }
  return json(404, { message: 'GET /_calls, POST /_faults and DELETE /_faults are all there is' });
}
