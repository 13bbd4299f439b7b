import { operationJson } from '../operations.ts';
import type { Call, Route } from '../service.ts';
import type { InstanceOperation } from './instance.ts';
import type { InstanceOperations } from './instance-operations.ts';
import { locationsTemplate, placeOf } from './location-routes.ts';
import { pageOf } from './page.ts';
import { notFound } from './problems.ts';

const collection = `${locationsTemplate}/{location}/operations`;
const one = `${collection}/{operation}`;

/** The methods on long-running operations. */
export function operationRoutes(operations: InstanceOperations): readonly Route[] {
  /** The operation that the path names. Throws Problem. */
  function named(call: Call): InstanceOperation {
    const { project, region } = placeOf(call);
    const name = `projects/${project}/locations/${region}/operations/${call.path.operation}`;
    const operation = operations.get(name);
    if (operation === undefined) throw notFound(name);
    return operation;
  }
  return [
    {
      verb: 'GET',
      template: collection,
      permission: 'redis.operations.list',
      query: ['filter', 'pageSize', 'pageToken'],
      act(call) {
        const { project, region } = placeOf(call);
        const prefix = `projects/${project}/locations/${region}/operations/`;
        const found = operations.all().filter(({ name }) => name.startsWith(prefix));
        const { items, ...next } = pageOf(found, call.query);
        return { ...(items.length > 0 && { operations: items.map(operationJson) }), ...next };
      },
    },
    {
      verb: 'GET',
      template: one,
      permission: 'redis.operations.get',
      act: (call) => operationJson(named(call)),
    },
    {
      verb: 'DELETE',
      template: one,
      permission: 'redis.operations.delete',
      act(call) {
        operations.forget(named(call));
        return {};
      },
    },
    {
      verb: 'POST',
      template: `${one}:cancel`,
      permission: 'redis.operations.cancel',
      act(call) {
        operations.cancel(named(call));
        return {};
      },
    },
  ];
}
