import type { Collection, Snapshot } from '../collection.ts';
import type { Call } from '../service.ts';
import type { DatabaseServers } from './database-servers.ts';
import type { Reach, StoredInstance } from './db-instance.ts';
import { describedInstance, settledInstance, stateOf } from './db-instance.ts';
import { instanceNotFound, invalidState } from './problems.ts';

export const instanceSort = 'rds/db-instance';

/** The dependencies of the actions on DB instances. */
export interface InstanceContext {
  readonly servers: DatabaseServers;
  /** How long modifications take. */
  readonly modificationMs: number;
}

export const instancesOf = (call: Call): Collection<StoredInstance> =>
  call.collection<StoredInstance>(instanceSort);

export const instanceArn = ({ region, account }: Call, id: string): string =>
  `arn:aws:rds:${region}:${account.id}:db:${id}`;

/** The current DB instance. Throws AwsProblem if there is none. */
export function existing(call: Call, id: string): Snapshot<StoredInstance> {
  const found = instancesOf(call).get(id.toLowerCase());
  if (found === undefined) throw instanceNotFound(id);
  return { ...found, item: settledInstance(found.item, call.now()) };
}

/** A DB instance in the format of DescribeDBInstances. */
export function described(servers: DatabaseServers, call: Call, snapshot: Snapshot<StoredInstance>): object {
  const { id, createdAtMs } = snapshot;
  const item = settledInstance(snapshot.item, call.now());
  const current = { ...snapshot, item };
  const reach = reachOf(servers, call, current);
  const state = stateOf(current, reach, call.now());
  return describedInstance(item, { id, arn: instanceArn(call, id), state, reach, createdAtMs });
}

/** Throws AwsProblem unless the DB instance is available. */
export function requireAvailable(
  servers: DatabaseServers,
  call: Call,
  snapshot: Snapshot<StoredInstance>,
): void {
  if (stateOf(snapshot, reachOf(servers, call, snapshot), call.now()) !== 'available') {
    throw invalidState('Database instance is not in available state.');
  }
}

const reachOf = (
  servers: DatabaseServers,
  { region }: Call,
  { id, item, phase }: Snapshot<StoredInstance>,
): Reach => servers.reach({ ...item, id, region }, { isStarting: phase !== 'deleting' });
