import type { Fault } from '../favourite-cloud/faults.ts';
import type { LoopbackReply, LoopbackRequest } from '../loopback-server.ts';
import type { GoogleCloud } from './cloud.ts';
import { roles } from './iam.ts';
import type { OperationFault } from './memorystore.ts';
import type { NewAccount } from './service-accounts.ts';

type Controlled = Pick<GoogleCloud, 'calls' | 'faults' | 'failOperation' | 'createKey'>;

/** What is no part of Google Cloud, for whoever tries things out with this: keys, faults to come, and what was called. */
export async function control(
  { calls, faults, failOperation, createKey }: Controlled,
  { method, target, body }: LoopbackRequest,
): Promise<LoopbackReply> {
  const acts: Readonly<Record<string, (body: string) => unknown>> = {
    'GET /_calls': calls,
    'POST /_faults': (text) => faults.inject(JSON.parse(text) as Fault),
    'DELETE /_faults': () => faults.clear(),
    'POST /_operation-faults': (text) => failOperation(JSON.parse(text) as OperationFault),
    'POST /_keys': (text) => createKey(newAccount(JSON.parse(text))),
  };
  const key = `${method} ${target}`;
  const act = Object.hasOwn(acts, key) ? acts[key] : undefined;
  if (act === undefined) {
    return reply(404, { message: `there is nothing but ${Object.keys(acts).join(', ')}` });
  }
  try {
    return reply(200, act(await body()) ?? {});
  } catch (error) {
    return reply(400, { message: error instanceof Error ? error.message : String(error) });
  }
}

/** Throws an error that says what no account can have. */
export function newAccount(wanted: NewAccount): NewAccount {
  const { name = 'crossplane', project = 'example-project', roles: granted = [] } = wanted;
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(name)) {
    throw new Error(
      `"${name}" is no name of a service account: 6 to 30 lower-case letters, digits and dashes`,
    );
  }
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project)) {
    throw new Error(`"${project}" is no id of a project: 6 to 30 lower-case letters, digits and dashes`);
  }
  const unknown = granted.find((role) => !roles.includes(role));
  if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${roles.join(', ')}`);
  return wanted;
}

const reply = (status: number, body: unknown): LoopbackReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: `${JSON.stringify(body, null, 2)}\n`,
});
