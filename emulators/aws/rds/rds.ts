import type { Snapshot } from '../collection.ts';
import { queryProtocol } from '../query-protocol.ts';
import { queryRefusals } from '../refusals.ts';
import type { Call, Service } from '../service.ts';
import type { DatabaseServers } from './database-servers.ts';
import { noServers } from './database-servers.ts';
import type { Settings, StoredInstance } from './db-instance.ts';
import { describedInstance, settledInstance, stateOf } from './db-instance.ts';
import { engines } from './engines.ts';
import type { Parameters } from './parameters.ts';
import { parametersOf } from './parameters.ts';
import {
  instanceExists,
  instanceNotFound,
  invalidCombination,
  invalidState,
  invalidValue,
  quotaExceeded,
  snapshotExists,
} from './problems.ts';
import { changedSettings, newSettings } from './settings.ts';

export interface RdsOptions {
  /** What stands behind instances; default: nothing. */
  readonly servers?: DatabaseServers;
  /** How long changes take that have to be applied; default 0. */
  readonly modificationMs?: number;
}

/** A snapshot that was made when an instance was deleted. */
interface StoredSnapshot {
  readonly instance: string;
  readonly settings: Settings;
}

export const instanceSort = 'rds/db-instance';
const snapshotSort = 'rds/db-snapshot';

/** Changes that wait for the maintenance window, unless they are to be applied at once. */
const waiting: readonly (keyof Settings)[] = [
  ...(['AllocatedStorage', 'BackupRetentionPeriod', 'CACertificateIdentifier', 'DBInstanceClass'] as const),
  ...(['DBSubnetGroupName', 'EngineVersion', 'Iops', 'LicenseModel', 'MultiAZ', 'Port'] as const),
  ...(['StorageThroughput', 'StorageType'] as const),
];

/** RDS, as far as DB instances go. */
export function rds({ servers = noServers, modificationMs = 0 }: RdsOptions = {}): Service {
  const instancesOf = (call: Call) => call.things<StoredInstance>(instanceSort);
  const arnOf = ({ region, account }: Call, id: string): string =>
    `arn:aws:rds:${region}:${account.id}:db:${id}`;

  const described = (call: Call, snapshot: Snapshot<StoredInstance>): object => {
    const { id, createdAtMs } = snapshot;
    const item = settledInstance(snapshot.item, call.now());
    const reach = servers.reach(
      { ...item, id, region: call.region },
      { isStarting: snapshot.phase !== 'deleting' },
    );
    const state = stateOf({ ...snapshot, item }, reach, call.now());
    return describedInstance(item, { id, arn: arnOf(call, id), state, reach, createdAtMs });
  };

  /** As it is. Throws AwsProblem where there is none. */
  const existing = (call: Call, id: string): Snapshot<StoredInstance> => {
    const found = instancesOf(call).get(id.toLowerCase());
    if (found === undefined) throw instanceNotFound(id);
    return { ...found, item: settledInstance(found.item, call.now()) };
  };

  /** Its state by now; throws AwsProblem unless it takes changes. */
  function requireAvailable(call: Call, snapshot: Snapshot<StoredInstance>): void {
    const reach = servers.reach(
      { ...snapshot.item, id: snapshot.id, region: call.region },
      { isStarting: snapshot.phase !== 'deleting' },
    );
    if (stateOf(snapshot, reach, call.now()) !== 'available') {
      throw invalidState('Database instance is not in available state.');
    }
  }

  return {
    name: 'rds',
    protocols: [queryProtocol({ namespace: 'http://rds.amazonaws.com/doc/2014-10-31/' })],
    refusals: queryRefusals,
    stop: () => servers.stop(),
    actions: {
      CreateDBInstance(call) {
        const parameters = parametersOf(call.params);
        const id = identifierIn(parameters);
        const things = instancesOf(call);
        if (things.get(id) !== undefined) throw instanceExists();
        const settings = newSettings(parameters, contextOf(call));
        const password = passwordIn(parameters, settings.Engine);
        if (password === undefined) {
          throw invalidValue('The parameter MasterUserPassword must be provided and must not be blank.');
        }
        const most = call.quota('db-instance');
        if (things.all().length >= most) throw quotaExceeded(most);
        const resourceId = `db-${call.newId('X').slice(2).toUpperCase()}`;
        const item = { resourceId, settings, pending: {}, password, tags: tagsIn(parameters) };
        return { DBInstance: described(call, things.add(id, item)) };
      },

      DescribeDBInstances(call) {
        const parameters = parametersOf(call.params);
        const things = instancesOf(call);
        const id = parameters.text('DBInstanceIdentifier')?.toLowerCase();
        if (id !== undefined) {
          const found = things.seen(id);
          if (found === undefined || found.phase === 'gone') throw instanceNotFound(id);
          return { DBInstances: { DBInstance: [described(call, found)] } };
        }
        const limit = parameters.number('MaxRecords') ?? 100;
        if (limit < 20 || limit > 100) {
          throw invalidValue(`Invalid value ${limit} for MaxRecords. Must be between 20 and 100`);
        }
        const after = parameters.text('Marker');
        const all = things.allSeen().filter((one) => one.phase !== 'gone' && isMeant(parameters, one));
        const from = after === undefined ? 0 : all.findIndex((one) => one.id === after) + 1;
        const page = all.slice(from, from + limit);
        const next = from + limit < all.length ? page.at(-1)?.id : undefined;
        return {
          ...(next !== undefined && { Marker: next }),
          DBInstances: { DBInstance: page.map((one) => described(call, one)) },
        };
      },

      async ModifyDBInstance(call) {
        const parameters = parametersOf(call.params);
        const snapshot = existing(call, parameters.needed('DBInstanceIdentifier'));
        const { id, item } = snapshot;
        requireAvailable(call, snapshot);
        const password = passwordIn(parameters, item.settings.Engine);
        const changes = changedSettings(parameters, { ...item.settings, ...item.pending }, contextOf(call));
        const isImmediate = parameters.flag('ApplyImmediately') ?? false;
        const [later, now] = partition(changes, (name) => waiting.includes(name));
        const pending = { ...item.pending, ...later };
        const isPending = Object.keys(pending).length > 0;
        if (password !== undefined) await servers.setPassword(item.resourceId, password);
        const isBusy = modificationMs > 0 && (password !== undefined || Object.keys(now).length > 0);
        const untilMs = call.now() + modificationMs;
        const { changesAtMs: _before, ...rest } = item;
        const changed = instancesOf(call).change(id, () =>
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
        return { DBInstance: described(call, changed) };
      },

      DeleteDBInstance(call) {
        const parameters = parametersOf(call.params);
        const { id, item, phase } = existing(call, parameters.needed('DBInstanceIdentifier'));
        if (phase === 'deleting' || phase === 'gone')
          throw invalidState(`Instance ${id} is already being deleted.`);
        const name = parameters.text('FinalDBSnapshotIdentifier');
        const skips = parameters.flag('SkipFinalSnapshot') ?? false;
        if (item.settings.DeletionProtection) {
          throw invalidCombination(
            'Cannot delete protected DB Instance, please disable deletion protection and try again.',
          );
        }
        if (skips && name !== undefined) {
          throw invalidCombination(
            'FinalDBSnapshotIdentifier can not be specified when deleting with SkipFinalSnapshot.',
          );
        }
        if (!skips && name === undefined) {
          throw invalidCombination(
            'FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.',
          );
        }
        if (name !== undefined) {
          const snapshots = call.things<StoredSnapshot>(snapshotSort);
          if (snapshots.get(name.toLowerCase()) !== undefined) throw snapshotExists(name);
          snapshots.add(name.toLowerCase(), { instance: id, settings: item.settings });
        }
        const things = instancesOf(call);
        things.remove(id);
        servers.end(item.resourceId);
        const left = things.get(id) ?? { id, item, phase: 'deleting' as const, createdAtMs: call.now() };
        return { DBInstance: described(call, left) };
      },

      AddTagsToResource(call) {
        const parameters = parametersOf(call.params);
        retag(call, parameters, (tags) => ({ ...tags, ...tagsIn(parameters) }));
        return {};
      },

      RemoveTagsFromResource(call) {
        const parameters = parametersOf(call.params);
        const keys = parameters.list('TagKeys', 'member') ?? [];
        retag(call, parameters, (tags) =>
          Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.includes(key))),
        );
        return {};
      },

      ListTagsForResource(call) {
        const { item } = existing(call, namedBy(call, parametersOf(call.params)));
        return { TagList: { Tag: Object.entries(item.tags).map(([Key, Value]) => ({ Key, Value })) } };
      },

      DescribeDBSnapshots(call) {
        const snapshots = call.things<StoredSnapshot>(snapshotSort).allSeen();
        return {
          DBSnapshots: {
            DBSnapshot: snapshots.map(({ id, item, phase, createdAtMs }) => ({
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
        };
      },
    },
  };

  /** The instance that an ARN names. */
  function namedBy(call: Call, parameters: Parameters): string {
    const arn = parameters.needed('ResourceName');
    const [, id] = /^arn:aws:rds:[^:]+:\d{12}:db:(.+)$/.exec(arn) ?? [];
    if (id === undefined || arnOf(call, id) !== arn) throw invalidValue(`Invalid resource name: ${arn}`);
    return id;
  }

  function retag(
    call: Call,
    parameters: Parameters,
    change: (tags: StoredInstance['tags']) => StoredInstance['tags'],
  ): void {
    const { id, item } = existing(call, namedBy(call, parameters));
    instancesOf(call).change(id, () => ({ ...item, tags: change(item.tags) }));
  }
}

const contextOf = ({ account, region, random }: Call) => ({ account: account.id, region, random });

function identifierIn(parameters: Parameters): string {
  const id = parameters.needed('DBInstanceIdentifier');
  if (!/^(?=.{1,63}$)[A-Za-z](-?[A-Za-z0-9])*$/.test(id)) {
    throw invalidValue(
      'The parameter DBInstanceIdentifier is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.',
    );
  }
  return id.toLowerCase();
}

/** The messages must not repeat what was sent. */
function passwordIn(parameters: Parameters, engine: string): string | undefined {
  const password = parameters.text('MasterUserPassword');
  if (password === undefined) return undefined;
  const invalid = 'The parameter MasterUserPassword is not a valid password';
  if (!/^[\x21-\x7e]*$/.test(password) || /[/@" ]/.test(password)) {
    throw invalidValue(`${invalid}. Only printable ASCII characters besides '/', '@', '"', ' ' may be used.`);
  }
  const { longestPassword = 128 } = engines[engine] ?? {};
  if (password.length < 8) throw invalidValue(`${invalid} because it is shorter than 8 characters.`);
  if (password.length > longestPassword) {
    throw invalidValue(`${invalid} because it is longer than ${longestPassword} characters.`);
  }
  return password;
}

const tagsIn = (parameters: Parameters): StoredInstance['tags'] =>
  Object.fromEntries(
    (parameters.records('Tags', 'Tag') ?? []).map(({ Key, Value }) => {
      if (/^(aws|rds):/.test(String(Key))) throw invalidValue(`Invalid tag key: ${String(Key)}`);
      return [String(Key), String(Value ?? '')];
    }),
  );

/** Whether an instance passes the filters of a request. */
function isMeant(parameters: Parameters, { id, item }: Snapshot<StoredInstance>): boolean {
  const values: Readonly<Record<string, string>> = {
    'db-instance-id': id,
    'dbi-resource-id': item.resourceId,
    engine: item.settings.Engine,
  };
  return (parameters.records('Filters', 'Filter') ?? []).every((filter) => {
    const wanted = parametersOf(filter).list('Values', 'Value') ?? [];
    const value = values[String(filter.Name)];
    if (value === undefined) throw invalidValue(`Unrecognized filter name: ${String(filter.Name)}`);
    return wanted.includes(value);
  });
}

function partition(
  changes: Partial<Settings>,
  isFirst: (name: keyof Settings) => boolean,
): readonly [Partial<Settings>, Partial<Settings>] {
  const entries = Object.entries(changes);
  const part = (first: boolean) => entries.filter(([name]) => isFirst(name as keyof Settings) === first);
  return [Object.fromEntries(part(true)), Object.fromEntries(part(false))];
}
