import { queryProtocol } from '../query-protocol.ts';
import { queryRefusals } from '../refusals.ts';
import type { Service } from '../service.ts';
import type { DatabaseServers } from './database-servers.ts';
import { noServers } from './database-servers.ts';
import {
  createDBInstance,
  deleteDBInstance,
  describeDBInstances,
  modifyDBInstance,
} from './instance-actions.ts';
import { describeDBSnapshots } from './snapshots.ts';
import { addTagsToResource, listTagsForResource, removeTagsFromResource } from './tag-actions.ts';

export interface RdsOptions {
  /** The database servers behind DB instances. Default: none. */
  readonly servers?: DatabaseServers;
  /** How long modifications take. Default 0. */
  readonly modificationMs?: number;
}

/** The part of RDS that is about DB instances. */
export function rds({ servers = noServers, modificationMs = 0 }: RdsOptions = {}): Service {
  const context = { servers, modificationMs };
  return {
    name: 'rds',
    protocols: [queryProtocol({ namespace: 'http://rds.amazonaws.com/doc/2014-10-31/' })],
    refusals: queryRefusals,
    stop: () => servers.stop(),
    actions: {
      CreateDBInstance: (call) => createDBInstance(context, call),
      DescribeDBInstances: (call) => describeDBInstances(context, call),
      ModifyDBInstance: (call) => modifyDBInstance(context, call),
      DeleteDBInstance: (call) => deleteDBInstance(context, call),
      AddTagsToResource: addTagsToResource,
      RemoveTagsFromResource: removeTagsFromResource,
      ListTagsForResource: listTagsForResource,
      DescribeDBSnapshots: describeDBSnapshots,
    },
  };
}
