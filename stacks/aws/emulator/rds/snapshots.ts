import type { Call } from '../service.ts';
import type { Settings } from './db-instance.ts';
import { snapshotExists } from './problems.ts';

/** A snapshot that RDS took when a DB instance was deleted. */
interface StoredSnapshot {
  readonly instance: string;
  readonly settings: Settings;
}

const snapshotsOf = (call: Call) => call.collection<StoredSnapshot>('rds/db-snapshot');

/** Takes a snapshot. Throws AwsProblem if one with this name exists. */
export function takeSnapshot(call: Call, name: string, snapshot: StoredSnapshot): void {
  const snapshots = snapshotsOf(call);
  if (snapshots.get(name.toLowerCase()) !== undefined) throw snapshotExists(name);
  snapshots.add(name.toLowerCase(), snapshot);
}

export const describeDBSnapshots = (call: Call): object => ({
  DBSnapshots: {
    DBSnapshot: snapshotsOf(call)
      .allVisible()
      .map(({ id, item, phase, createdAtMs }) => ({
        DBSnapshotIdentifier: id,
        DBInstanceIdentifier: item.instance,
        Status: phase,
        SnapshotCreateTime: new Date(createdAtMs).toISOString(),
        SnapshotType: 'manual',
        Engine: item.settings.Engine,
        EngineVersion: item.settings.EngineVersion,
        AllocatedStorage: item.settings.AllocatedStorage,
      })),
  },
});
