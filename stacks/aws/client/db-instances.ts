import type {
  CreateDBInstanceMessage,
  DBInstance,
  DeleteDBInstanceMessage,
  ModifyDBInstanceMessage,
  Tag,
} from '@aws-sdk/client-rds';
import without from 'lodash/without.js';
import type { CloudCollection } from '../../../package/http.ts';
import { CloudError, nonsense } from '../../../package/http.ts';
import type { AwsClient } from './aws-client.ts';
import { countedTags } from './tag-limit.ts';

export type {
  CreateDBInstanceMessage,
  DBInstance,
  DeleteDBInstanceMessage,
  ModifyDBInstanceMessage,
} from '@aws-sdk/client-rds';

type Tags = Readonly<Record<string, string>>;

/** The parameters of a new DB instance, as in the API. */
export interface NewDBInstance extends Readonly<Omit<CreateDBInstanceMessage, 'Tags'>> {
  readonly Tags: Tags;
}

/** The changes of a DB instance. Tags are added; other tags stay. */
export interface DBInstanceChange
  extends Readonly<
    Omit<ModifyDBInstanceMessage, 'DBInstanceIdentifier' | 'CloudwatchLogsExportConfiguration'>
  > {
  readonly EnableCloudwatchLogsExports?: readonly string[];
  readonly OwnTags?: Tags;
  readonly OwnerTags?: Tags;
}

export interface DBInstancesOptions {
  /** Default: the provider's region. */
  readonly region: string | undefined;
  /** Fields of `forProvider`, by the pattern that finds them in AWS's refusals. */
  readonly fields: Readonly<Record<string, RegExp>>;
  /** The options of a change. */
  readonly changing: Pick<ModifyDBInstanceMessage, 'ApplyImmediately' | 'AllowMajorVersionUpgrade'>;
  /** The options of a deletion. */
  readonly deleting: Omit<DeleteDBInstanceMessage, 'DBInstanceIdentifier'>;
  /** The field of `forProvider` that skips the final snapshot of a deletion. */
  readonly skipSnapshotField: string | undefined;
}

export interface DBInstances extends CloudCollection<DBInstance, NewDBInstance, DBInstanceChange> {
  /** The instance with a `DbiResourceId`, whatever its name is. Undefined: there is none. */
  find(resourceId: string, signal?: AbortSignal): Promise<DBInstance | undefined>;
}

const isCode = (error: unknown, code: string): boolean =>
  // guard: otherwise a bare 404 proves absence
  error instanceof CloudError && (error.code === code || error.code === `${code}Fault`);

const tagList = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** The tags of an instance, as a map. */
export const tagsOf = ({ TagList = [] }: DBInstance): Tags =>
  Object.fromEntries(TagList.flatMap(({ Key, Value = '' }) => (Key === undefined ? [] : [[Key, Value]])));

/** More pages than this mean that the service repeats its pages. */
const maxPages = 1_000;

/** The DB instances of Amazon RDS in one region, by identifier. */
export function dbInstances(aws: AwsClient, options: DBInstancesOptions): DBInstances {
  const { region, fields, changing, deleting } = options;
  const service = 'rds';
  const titleOf = (name: string): string => `DB instance "${name}"`;

  const collection: DBInstances = {
    async get(name, signal = never()) {
      const what = `get ${titleOf(name)}`;
      try {
        const { DBInstances: found = [] } = await aws.call(
          {
            service,
            region,
            what,
            isRepeatable: true,
            run: (rds, http) => rds.describeDBInstances({ DBInstanceIdentifier: name }, http),
          },
          signal,
        );
        const [instance] = found;
        if (instance === undefined) throw nonsense(what, 'it holds no instance');
        return named(what, name, instance);
      } catch (error) {
        if (isCode(error, 'DBInstanceNotFound')) return undefined;
        throw error;
      }
    },

    async find(resourceId, signal = never()) {
      const what = `find DB instance with id "${resourceId}"`;
      const Filters = [{ Name: 'dbi-resource-id', Values: [resourceId] }];
      const { DBInstances: found = [] } = await aws.call(
        {
          service,
          region,
          what,
          isRepeatable: true,
          run: (rds, http) => rds.describeDBInstances({ Filters }, http),
        },
        signal,
      );
      return found.find(({ DbiResourceId }) => DbiResourceId === resourceId);
    },

    async list(signal = never()) {
      const what = 'list DB instances';
      const all: DBInstance[] = [];
      let Marker: string | undefined;
      for (let pages = 0; pages < maxPages; pages += 1) {
        const input = { MaxRecords: 100, ...(Marker !== undefined && { Marker }) };
        const page = await aws.call(
          {
            service,
            region,
            what,
            isRepeatable: true,
            run: (rds, http) => rds.describeDBInstances(input, http),
          },
          signal,
        );
        all.push(...(page.DBInstances ?? []));
        Marker = page.Marker;
        if (Marker === undefined || Marker === '') return all;
      }
      throw nonsense(what, 'its list does not end');
    },

    async create({ Tags, ...wanted }, signal = never()) {
      const what = `create ${titleOf(wanted.DBInstanceIdentifier ?? '')}`;
      const input = { ...wanted, Tags: tagList(countedTags(Tags)) };
      try {
        const { DBInstance: made } = await aws.call(
          {
            service,
            region,
            what,
            fields,
            isRepeatable: false,
            secrets: secretsIn(wanted),
            run: (rds, http) => rds.createDBInstance(input, http),
          },
          signal,
        );
        return named(what, wanted.DBInstanceIdentifier ?? '', made);
      } catch (error) {
        if (!isCode(error, 'DBInstanceAlreadyExists')) throw error;
        const { message, code, requestId } = error as CloudError;
        throw new CloudError(message, { status: 409, code, isRetryable: false, requestId });
      }
    },

    async update(
      name,
      { OwnTags, OwnerTags, EnableCloudwatchLogsExports: logs, ...change },
      signal = never(),
    ) {
      const what = `change ${titleOf(name)}`;
      const call = { service, region, what, fields, isRepeatable: true } as const;
      const tags = { ...OwnerTags, ...OwnTags };
      const isTagging = Object.keys(tags).length > 0;
      const before = isTagging || logs !== undefined ? await collection.get(name, signal) : undefined;
      if (isTagging) {
        const ResourceName = before?.DBInstanceArn;
        if (ResourceName === undefined) throw nonsense(what, 'the instance has no ARN');
        countedTags({ ...tagsOf(before ?? {}), ...tags });
        await aws.call(
          { ...call, run: (rds, http) => rds.addTagsToResource({ ResourceName, Tags: tagList(tags) }, http) },
          signal,
        );
      }
      const exported = before?.EnabledCloudwatchLogsExports ?? [];
      const input = {
        ...change,
        ...(logs !== undefined && {
          CloudwatchLogsExportConfiguration: {
            EnableLogTypes: without(logs, ...exported),
            DisableLogTypes: without(exported, ...logs),
          },
        }),
      };
      if (Object.keys(input).length === 0) return (await collection.get(name, signal)) ?? gone(what);
      const { DBInstance: changed } = await aws.call(
        {
          ...call,
          secrets: secretsIn(change),
          run: (rds, http) =>
            rds.modifyDBInstance({ DBInstanceIdentifier: name, ...changing, ...input }, http),
        },
        signal,
      );
      return named(what, name, changed);
    },

    async delete(name, signal = never()) {
      try {
        await aws.call(
          {
            service,
            region,
            what: `delete ${titleOf(name)}`,
            fields,
            isRepeatable: true,
            run: (rds, http) => rds.deleteDBInstance({ DBInstanceIdentifier: name, ...deleting }, http),
          },
          signal,
        );
      } catch (error) {
        if (isCode(error, 'DBInstanceNotFound')) return;
        // RDS refuses to delete an instance that is being deleted.
        if (!isCode(error, 'InvalidDBInstanceState')) throw error;
        const state = (await collection.get(name, signal))?.DBInstanceStatus ?? 'deleting';
        if (state !== 'deleting') throw withoutSnapshot(error as CloudError, state, options);
      }
    },
  };
  return collection;
}

/** The states in which RDS deletes an instance only without a final snapshot. */
const unsnapped = ['failed', 'incompatible-restore', 'incompatible-network'];

/** The refusal of a deletion, with the field that ends it if RDS cannot take the final snapshot. */
function withoutSnapshot(error: CloudError, state: string, options: DBInstancesOptions): CloudError {
  const { deleting, skipSnapshotField: field } = options;
  if (field === undefined || deleting.SkipFinalSnapshot === true || !unsnapped.includes(state)) return error;
  const path = `spec.forProvider.${field}`;
  return new CloudError(
    `${error.message}; RDS takes no final snapshot of an instance that is ${state}: to delete it without one, set ${path} to true`,
    { ...error, errorClass: 'Invalid', advice: { kinds: ['ChangeFields'], fields: [path] } },
  );
}

const never = (): AbortSignal => new AbortController().signal;

const secretsIn = ({ MasterUserPassword }: Pick<NewDBInstance, 'MasterUserPassword'>): readonly string[] =>
  MasterUserPassword === undefined ? [] : [MasterUserPassword];

/** An answer about another instance counts as none. RDS stores identifiers in lower case. */
function named(what: string, name: string, instance: DBInstance | undefined): DBInstance {
  const id = instance?.DBInstanceIdentifier;
  if (instance === undefined || id === undefined) throw nonsense(what, 'it names no instance');
  // guard: otherwise an answer about another database counts
  if (id.toLowerCase() !== name.toLowerCase()) throw nonsense(what, `it is about "${id}"`);
  return instance;
}

function gone(what: string): never {
  throw new CloudError(`cannot ${what}: it does not exist any more`, {
    status: 404,
    code: 'DBInstanceNotFound',
    isRetryable: false,
  });
}
