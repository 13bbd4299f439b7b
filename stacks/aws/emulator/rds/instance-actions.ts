import type { Call } from '../service.ts';
import type { Settings } from './db-instance.ts';
import { settledInstance } from './db-instance.ts';
import type { InstanceContext } from './instances.ts';
import { described, existing, instancesOf, requireAvailable } from './instances.ts';
import type { Parameters } from './parameters.ts';
import { parametersOf } from './parameters.ts';
import {
  instanceExists,
  instanceNotFound,
  invalidCombination,
  invalidState,
  invalidValue,
  quotaExceeded,
} from './problems.ts';
import { identifierIn, matchesFilters, newIdentifierIn, passwordIn, tagsIn } from './request-parts.ts';
import type { SettingsContext } from './settings.ts';
import { changedSettings, newSettings } from './settings.ts';
import { takeSnapshot } from './snapshots.ts';

/** Changes of these settings wait for the maintenance window unless the request says ApplyImmediately. */
const delayedSettings: readonly (keyof Settings)[] = [
  ...(['AllocatedStorage', 'BackupRetentionPeriod', 'CACertificateIdentifier', 'DBInstanceClass'] as const),
  ...(['DBSubnetGroupName', 'EngineVersion', 'Iops', 'LicenseModel', 'MultiAZ', 'Port'] as const),
  ...(['StorageThroughput', 'StorageType'] as const),
];

const contextOf = ({ account, region, random }: Call): SettingsContext => ({
  account: account.id,
  region,
  random,
});

export function createDBInstance({ servers }: InstanceContext, call: Call): object {
  const parameters = parametersOf(call.params);
  const id = identifierIn(parameters);
  const instances = instancesOf(call);
  if (instances.get(id) !== undefined) throw instanceExists();
  const settings = newSettings(parameters, contextOf(call));
  const password = passwordIn(parameters, settings.Engine);
  if (password === undefined) {
    throw invalidValue('The parameter MasterUserPassword must be provided and must not be blank.');
  }
  const most = call.quota('db-instance');
  if (instances.all().length >= most) throw quotaExceeded(most);
  const resourceId = `db-${call.newId('X').slice(2).toUpperCase()}`;
  const item = { resourceId, settings, pending: {}, password, tags: tagsIn(parameters) };
  return { DBInstance: described(servers, call, instances.add(id, item)) };
}

export function describeDBInstances({ servers }: InstanceContext, call: Call): object {
  const parameters = parametersOf(call.params);
  const instances = instancesOf(call);
  const id = parameters.text('DBInstanceIdentifier')?.toLowerCase();
  if (id !== undefined) {
    const found = instances.visible(id);
    if (found === undefined || found.phase === 'gone') throw instanceNotFound(id);
    return { DBInstances: { DBInstance: [described(servers, call, found)] } };
  }
  const limit = parameters.number('MaxRecords') ?? 100;
  if (limit < 20 || limit > 100) {
    throw invalidValue(`Invalid value ${limit} for MaxRecords. Must be between 20 and 100`);
  }
  const after = parameters.text('Marker');
  const all = instances.allVisible().filter((one) => one.phase !== 'gone' && matchesFilters(parameters, one));
  const from = after === undefined ? 0 : all.findIndex((one) => one.id === after) + 1;
  const page = all.slice(from, from + limit);
  const next = from + limit < all.length ? page.at(-1)?.id : undefined;
  return {
    ...(next !== undefined && { Marker: next }),
    DBInstances: { DBInstance: page.map((one) => described(servers, call, one)) },
  };
}

export async function modifyDBInstance(
  { servers, modificationMs }: InstanceContext,
  call: Call,
): Promise<object> {
  const parameters = parametersOf(call.params);
  const snapshot = existing(call, parameters.needed('DBInstanceIdentifier'));
  const { id, item } = snapshot;
  requireAvailable(servers, call, snapshot);
  const password = passwordIn(parameters, item.settings.Engine);
  const changes = changedSettings(parameters, { ...item.settings, ...item.pending }, contextOf(call));
  const isImmediate = parameters.flag('ApplyImmediately') ?? false;
  const instances = instancesOf(call);
  // The maintenance window, in which it would have its new name otherwise, never comes.
  const name = isImmediate ? newIdentifierIn(parameters) : undefined;
  if (name !== undefined && name !== id && instances.get(name) !== undefined) throw instanceExists();
  const [later, now] = partition(changes, (name) => delayedSettings.includes(name));
  const pending = { ...item.pending, ...later };
  const isPending = Object.keys(pending).length > 0;
  if (password !== undefined) await servers.setPassword(item.resourceId, password);
  const isBusy = modificationMs > 0 && (password !== undefined || Object.keys(now).length > 0);
  const untilMs = call.now() + modificationMs;
  const { changesAtMs: _before, ...rest } = item;
  const changed = instances.change(id, () =>
    settledInstance(
      {
        ...rest,
        settings: { ...item.settings, ...now },
        pending,
        ...(isImmediate && isPending && { changesAtMs: untilMs }),
        ...(isBusy && { busyUntilMs: untilMs }),
        ...(password !== undefined && { password }),
      },
      call.now(),
    ),
  );
  const renamed = name === undefined || name === id ? changed : instances.rename(id, name);
  return { DBInstance: described(servers, call, renamed) };
}

export function deleteDBInstance({ servers }: InstanceContext, call: Call): object {
  const parameters = parametersOf(call.params);
  const { id, item, phase } = existing(call, parameters.needed('DBInstanceIdentifier'));
  if (phase === 'deleting' || phase === 'gone') {
    throw invalidState(`Instance ${id} is already being deleted.`);
  }
  if (item.settings.DeletionProtection) {
    throw invalidCombination(
      'Cannot delete protected DB Instance, please disable deletion protection and try again.',
    );
  }
  const finalSnapshot = finalSnapshotIn(parameters);
  if (finalSnapshot !== undefined) {
    if (servers.reach({ ...item, id, region: call.region }, { isStarting: false }).state === 'failed') {
      throw invalidState(`Cannot create a snapshot because the database instance ${id} is failed.`);
    }
    takeSnapshot(call, finalSnapshot, { instance: id, settings: item.settings });
  }
  const instances = instancesOf(call);
  instances.remove(id);
  servers.end(item.resourceId);
  const deleted = instances.get(id) ?? { id, item, phase: 'deleting' as const, createdAtMs: call.now() };
  return { DBInstance: described(servers, call, deleted) };
}

/** The name of the final snapshot; undefined: the request skips the snapshot. Throws AwsProblem for any other request. */
function finalSnapshotIn(parameters: Parameters): string | undefined {
  const name = parameters.text('FinalDBSnapshotIdentifier');
  const isSkipped = parameters.flag('SkipFinalSnapshot') ?? false;
  if (isSkipped && name !== undefined) {
    throw invalidCombination(
      'FinalDBSnapshotIdentifier can not be specified when deleting with SkipFinalSnapshot.',
    );
  }
  if (!isSkipped && name === undefined) {
    throw invalidCombination('FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.');
  }
  return name;
}

/** Splits changes in two: the settings that match, and the others. */
function partition(
  changes: Partial<Settings>,
  matches: (name: keyof Settings) => boolean,
): readonly [Partial<Settings>, Partial<Settings>] {
  const entries = Object.entries(changes);
  const part = (first: boolean) => entries.filter(([name]) => matches(name as keyof Settings) === first);
  return [Object.fromEntries(part(true)), Object.fromEntries(part(false))];
}
